import { SYSTEM_CLOCK } from '../../platform/http/retry-request.ts';
import type { HttpBody, HttpOutcome } from '../../platform/http/http-messages.ts';
import { ToolError, type ToolErrorCode } from '../../tool/tool-error.ts';
import { describeEmbedder, type EmbedderConfig, readPlatform, refuse } from '../embedder-config.ts';
import { type Embedder, type EmbedderResources, type EmbedOptions, toBatches } from '../embedder.ts';
import { openModelServer, readRefusal } from '../model-server.ts';
import { createPace, sendWithRetries } from './send-with-retries.ts';
import { isPlainObject } from '../../tool/json.ts';

/** Characters of a text that are sent: the limit of models with 8,192 tokens in most languages. */
const LONGEST_TEXT = 24_000;
/** Characters in one request: about 25,000 tokens, far below every server's limit. */
const MOST_CHARACTERS = 100_000;

/** Creates an embedder for any server with OpenAI's API: OpenAI, Voyage, Ollama, vLLM, LM Studio and others. */
export function createOpenAIEmbedder(config: EmbedderConfig, resources: EmbedderResources = {}): Embedder {
  const platform = readPlatform(config);
  const settings = readSettings(config);
  const url = `${platform.url.replace(/\/+$/, '')}/embeddings`;
  const { clock = SYSTEM_CLOCK } = resources;
  const pace = createPace({ ...settings, clock });
  const { client, close } = openModelServer(new URL(url), resources);
  const prefixes = { query: config.query_prefix ?? '', document: config.document_prefix ?? '' };
  let dimension = config.dimensions;

  const embedBatch = async (texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> => {
    const { as = 'document', signal } = options;
    const body = {
      model: platform.model,
      // Servers refuse an empty text.
      input: texts.map((text) => (prefixes[as] + text).slice(0, LONGEST_TEXT) || ' '),
      ...(config.dimensions === undefined ? {} : { [platform.dimensionsField]: config.dimensions }),
      ...(platform.saysInputType === true ? { input_type: as } : {}),
    };
    const headers = {
      'content-type': 'application/json',
      ...(config.api_key ? { authorization: `Bearer ${config.api_key}` } : {}),
    };
    const request = { method: 'POST', url, headers, body: JSON.stringify(body) };
    const answer = await sendWithRetries(request, { client, clock, pace, signal });
    if (answer.status === 413 && texts.length > 1) {
      const middle = Math.ceil(texts.length / 2);
      const first = await embedBatch(texts.slice(0, middle), options);
      return [...first, ...(await embedBatch(texts.slice(middle), options))];
    }
    if (!answer.ok) throw explainAnswer(answer, { url, model: platform.model, key: config.api_key });
    const vectors = readVectors(answer.body, { url, count: texts.length, dimension });
    dimension ??= vectors[0]?.length;
    return vectors;
  };

  return {
    id: describeEmbedder(config),
    get dimension() {
      return dimension;
    },
    embed: async (texts, options = {}) => {
      options.signal?.throwIfAborted();
      const batches = toBatches(texts, { texts: settings.batchSize, characters: MOST_CHARACTERS });
      // When one request fails, the others are stopped: their answers would not be used.
      const stop = new AbortController();
      const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
      try {
        const vectors = await Promise.all(
          batches.map((batch) => pace.run(() => embedBatch(batch, { ...options, signal }), signal)),
        );
        return vectors.flat();
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    },
    close,
  };
}

function readSettings(config: EmbedderConfig): { batchSize: number; concurrency: number; perMinute: number } {
  const read = (
    field: 'batch_size' | 'concurrency' | 'requests_per_minute' | 'dimensions',
    fallback: number,
  ): number => {
    const value = config[field] ?? fallback;
    if (value === Infinity || (Number.isInteger(value) && value > 0)) return value;
    throw refuse(field, `must be a whole number of 1 or more; got ${String(value)}.`);
  };
  read('dimensions', 1);
  return {
    batchSize: read('batch_size', 96),
    concurrency: read('concurrency', 4),
    perMinute: read('requests_per_minute', Infinity),
  };
}

interface AskedServer {
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
}

/** Creates the error for a refused request: the server's reason and the fix, never the key. */
function explainAnswer({ status, body }: HttpOutcome, { url, model, key }: AskedServer): ToolError {
  const said = readRefusal(body, key);
  const { code, fix } = judge(status, model);
  const what = said === '' || status === 401 ? '' : ` and says: ${said}`;
  return new ToolError({ code, message: `The embedder at ${url} answered ${status}${what}. ${fix}` });
}

function judge(status: number, model: string): { readonly code: ToolErrorCode; readonly fix: string } {
  if (status === 401 || status === 403) return { code: 'permission_denied', fix: 'Check api_key.' };
  if (status === 404) return { code: 'not_found', fix: `Check url, and that it serves the model "${model}".` };
  if (status === 429) return { code: 'upstream_unavailable', fix: 'Try again later, or set requests_per_minute.' };
  if (status >= 500) return { code: 'upstream_unavailable', fix: 'Try again later.' };
  return { code: 'execution_failed', fix: `Check url and that "${model}" is a model for embeddings.` };
}

interface VectorsExpected {
  readonly url: string;
  readonly count: number;
  /** Numbers in each vector, if known. */
  readonly dimension: number | undefined;
}

/** Reads the vectors of an answer in the order of the texts, scaled to length 1. Throws if the answer has another shape. */
function readVectors(body: HttpBody, expected: VectorsExpected): Float32Array[] {
  const fail = (fault: string): ToolError =>
    new ToolError({
      code: 'execution_failed',
      message: `The embedder at ${expected.url} answered ${fault}. Check that url leads to an OpenAI-compatible API.`,
    });
  const value = body.type === 'json' ? body.value : undefined;
  const data = isPlainObject(value) ? value['data'] : undefined;
  if (!Array.isArray(data)) throw fail('without a list "data"');
  const { count } = expected;
  if (data.length !== count) throw fail(`with ${data.length} vectors for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  let dimension = expected.dimension;
  for (const [place, item] of data.entries()) {
    const index: unknown = isPlainObject(item) ? (item['index'] ?? place) : undefined;
    const numbers: unknown = isPlainObject(item) ? item['embedding'] : undefined;
    if (typeof index !== 'number' || !(index in vectors)) throw fail(`with a vector for text ${String(index)}`);
    if (vectors[index] !== undefined) throw fail(`with two vectors for text ${index}`);
    if (!Array.isArray(numbers) || numbers.length === 0) throw fail('with a vector that is not a list of numbers');
    dimension ??= numbers.length;
    if (numbers.length !== dimension) {
      throw fail(
        `with a vector of ${numbers.length} numbers, not ${dimension}; remove dimensions, or name another model`,
      );
    }
    const vector = toUnit(numbers);
    if (vector === undefined) throw fail('with a vector that has other values than numbers');
    vectors[index] = vector;
  }
  return vectors.map((vector) => vector ?? new Float32Array());
}

/** Scales numbers to length 1. Returns `undefined` if one of them is not a finite number. */
function toUnit(numbers: readonly unknown[]): Float32Array | undefined {
  const vector = new Float32Array(numbers.length);
  let squares = 0;
  for (const [place, number] of numbers.entries()) {
    if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
    vector[place] = number;
    squares += number * number;
  }
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length)) return undefined;
  if (length > 0) for (let place = 0; place < vector.length; place++) vector[place] = Number(numbers[place]) / length;
  return vector;
}
