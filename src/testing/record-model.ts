import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GenerateResult, LanguageModel, ModelCallOptions, ModelV4, StreamPart } from '../agent/model/ai-types.ts';
import { AnswerCollector } from '../agent/model/ask-directly.ts';
import { isPlainObject } from '../tool/json.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import { messageOf } from '../tool/texts/message-of.ts';

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

/** Passes a stream through and calls `done` with the complete answer at its end, but not if the stream breaks off. */
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

interface CassetteEntry {
  readonly request: unknown;
  readonly response: unknown;
}

/** The contents of a cassette: all requests to a model and its answers, in order. */
interface Cassette {
  readonly provider: string;
  readonly modelId: string;
  readonly entries: readonly CassetteEntry[];
}

/** Texts that look like a key of any provider. */
const KEY =
  /\b(?:sk|pk|rk|xai|gsk|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{12,}|\bAIza[A-Za-z0-9_-]{30,}|\bBearer\s+[A-Za-z0-9._~+/-]{12,}=*/g;
const SECRET_NAME = /key|token|secret|pass|credential|auth/i;

/** Returns the parts of a request that determine its answer: no headers, no signal, no passwords. */
export function toRecordedRequest({
  prompt,
  tools,
  toolChoice,
  responseFormat,
  ...settings
}: ModelCallOptions): unknown {
  const { abortSignal, headers, includeRawChunks, ...rest } = settings;
  void [abortSignal, headers, includeRawChunks];
  return toPlain({ prompt, tools, toolChoice, responseFormat, ...rest });
}

/** Returns an answer without transport details. */
function toRecordedResponse({ content, finishReason, usage, response }: GenerateResult): unknown {
  const { id, modelId } = response ?? {};
  return toPlain({ content, finishReason, usage: { ...usage, raw: undefined }, response: { id, modelId } });
}

/** Removes secrets: the given ones, those of the environment, and texts that look like a key. */
export function withoutSecrets<T>(data: T, secrets: readonly string[]): T {
  const clean = new Redactor(secrets).data(data);
  // Only texts inside strings change, so the shape stays.
  return JSON.parse(JSON.stringify(clean).replaceAll(KEY, '[secret]')) as T;
}

/** Returns the values of variables whose names suggest a secret. */
export function secretsOfEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    SECRET_NAME.test(name) && value.length >= 8 ? [value] : [],
  );
}

/** Reads a cassette. Throws if it does not exist or is not a cassette. */
export function readCassette(file: string): Cassette {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`The cassette ${file} cannot be read: ${reason}. Record it with recordModel.`, { cause });
  }
  if (!isPlainObject(data) || !Array.isArray(data['entries']))
    throw new Error(`The file ${file} is not a cassette: it has no entries. Record it again with recordModel.`);
  // Only `writeCassette` writes files with entries.
  return data as unknown as Cassette;
}

/** Writes a cassette, and creates its folder if needed. */
function writeCassette(file: string, cassette: Cassette): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(cassette, undefined, 2)}\n`);
}

function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
