import { SYSTEM_CLOCK } from '../../platform/http/retry-request.ts';
import type { HttpOutcome } from '../../platform/http/http-messages.ts';
import { ToolError, type ToolErrorCode } from '../../tool/tool-error.ts';
import { describeEmbedder, type EmbedderConfig, readPlatform, refuse } from '../embedder-config.ts';
import { type Embedder, type EmbedderResources, type EmbedOptions, toBatches } from '../embedder.ts';
import { openModelServer, readRefusal } from '../model-server.ts';
import { readVectors } from './read-vectors.ts';
import { createPace, sendWithRetries } from './send-with-retries.ts';

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
