import type { GenerateResult, LanguageModel, ModelCallOptions, ModelV4, StreamPart } from '../agent/model/ai-types.ts';
import { AnswerCollector } from '../agent/model/answer-collector.ts';
import {
  type CassetteEntry,
  secretsOfEnvironment,
  toRecordedRequest,
  toRecordedResponse,
  withoutSecrets,
  writeCassette,
} from './cassette.ts';

/** The file of a recording, and the secrets to remove. */
export interface RecordOptions {
  /** The file to write; it is replaced. */
  readonly cassette: string;
  /** Secrets to remove, in addition to those of variables such as `OPENAI_API_KEY`. */
  readonly secrets?: readonly string[];
  /** Variables whose secrets are removed from the recording. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Wraps a model so that every request and answer is recorded, with secrets removed.
 *
 * The file is complete after every answer, so a test that fails midway leaves a usable file.
 */
export function recordModel(model: LanguageModel, options: RecordOptions): ModelV4 {
  const inner = asModel(model);
  const secrets = [...(options.secrets ?? []), ...secretsOfEnvironment(options.env ?? process.env)];
  const entries: CassetteEntry[] = [];
  const keep = (request: ModelCallOptions, response: GenerateResult): void => {
    entries.push(
      withoutSecrets({ request: toRecordedRequest(request), response: toRecordedResponse(response) }, secrets),
    );
    writeCassette(options.cassette, { provider: inner.provider, modelId: inner.modelId, entries });
  };
  return {
    specificationVersion: 'v4',
    provider: inner.provider,
    modelId: inner.modelId,
    supportedUrls: inner.supportedUrls,
    async doGenerate(request) {
      const response = await inner.doGenerate(request);
      keep(request, response);
      return response;
    },
    async doStream(request) {
      const { stream, ...rest } = await inner.doStream(request);
      return { ...rest, stream: collectStream(stream, (response) => keep(request, response)) };
    },
  };
}

function asModel(model: LanguageModel): ModelV4 {
  if (typeof model === 'object' && model.specificationVersion === 'v4') return model;
  const given =
    typeof model === 'string' ? `the name "${model}"` : `a model of specification ${model.specificationVersion}`;
  throw new Error(`recordModel needs a model of the AI SDK 7, such as openai('gpt-5.4-mini'); got ${given}.`);
}

/** Passes a stream through and calls `done` with the whole answer at its end, or not at all if it breaks off. */
function collectStream(
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
