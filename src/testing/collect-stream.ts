import type { GenerateResult, StreamPart } from '../agent/model-v4.ts';

/** Passes a stream on as it is and gives the whole answer when it is over; nothing when it breaks off. */
export function collectStream(
  stream: ReadableStream<StreamPart>,
  done: (result: GenerateResult) => void,
): ReadableStream<StreamPart> {
  const content: GenerateResult['content'] = [];
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>();
  let response: GenerateResult['response'];
  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        controller.enqueue(part);
        switch (part.type) {
          case 'text-start':
          case 'reasoning-start': {
            const block = { type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '' };
            open.set(part.id, block);
            content.push(block);
            break;
          }
          case 'text-delta':
          case 'reasoning-delta': {
            const block = open.get(part.id);
            if (block !== undefined) block.text += part.delta;
            break;
          }
          case 'tool-call':
          case 'file':
          case 'source':
          case 'tool-result':
            content.push(part);
            break;
          case 'response-metadata':
            response = part;
            break;
          case 'finish':
            done({
              content,
              finishReason: part.finishReason,
              usage: part.usage,
              warnings: [],
              ...(response === undefined ? {} : { response }),
            });
            break;
          default:
        }
      },
    }),
  );
}
