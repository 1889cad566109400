import { AnswerCollector } from '../agent/model/answer-collector.ts';
import type { GenerateResult, StreamPart } from '../agent/model/ai-types.ts';

/** Passes a stream on as it is and gives the whole answer when it is over; nothing when it breaks off. */
export function collectStream(
  stream: ReadableStream<StreamPart>,
  done: (result: GenerateResult) => void,
): ReadableStream<StreamPart> {
  const answer = new AnswerCollector();
  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        controller.enqueue(part);
        answer.add(part);
        if (part.type === 'finish' && answer.result !== undefined) done(answer.result);
      },
    }),
  );
}
