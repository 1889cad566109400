import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { HttpOutcome } from '../../platform/http/http-messages.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import type { EmbedderResources } from '../embedder.ts';
import { openModelServer, readRefusal } from '../model-server.ts';
import { readReranker, type RerankerConfig, type RerankerPlatform } from './reranker-config.ts';

/** Scores how well texts answer a query: slower than a search, but better. */
export interface Reranker {
  /** Platform and model. */
  readonly id: string;
  /** The most texts it accepts. */
  readonly candidates: number;
  /** Returns a score from 0 to 1 for each text, in order; higher is better. Fails if the server does not answer in time. */
  rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>;
  close(): Promise<void>;
}

const CANDIDATES = 30;
const TIMEOUT = 5;
/** Characters of a text that are sent: the limit of models with 8,192 tokens in most languages. */
const LONGEST_TEXT = 24_000;

/** Creates a reranker for a server with `/rerank`: Cohere, Jina, vLLM or Text Embeddings Inference. Sends nothing yet. */
export function createReranker(
  config: RerankerConfig,
  resources: Pick<EmbedderResources, 'httpClient'> = {},
): Reranker {
  const platform = readReranker(config);
  const { client, close } = openModelServer(new URL(platform.url), resources);
  const { candidates = CANDIDATES, timeout = TIMEOUT, api_key: key } = config;

  const ask = async (query: string, texts: readonly string[], signal: AbortSignal | undefined): Promise<number[]> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    };
    const body = JSON.stringify(toBody(platform, query, texts));
    const request = { method: 'POST', url: platform.url, headers, body };
    const answer = await sendRequest(request, { client, signal, timeout: timeout * 1000 });
    if (!answer.ok) throw explain(answer, platform, key);
    return readScores(answer, { platform, count: texts.length });
  };

  return {
    id: platform.model === undefined ? platform.name : `${platform.name}:${platform.model}`,
    candidates,
    rerank: async (query, texts, signal) => {
      const short = texts.map((text) => text.slice(0, LONGEST_TEXT).toWellFormed());
      const requests: Promise<number[]>[] = [];
      for (let at = 0; at < short.length; at += platform.mostTexts)
        requests.push(ask(query, short.slice(at, at + platform.mostTexts), signal));
      return toShares((await Promise.all(requests)).flat());
    },
    close,
  };
}

function toBody(
  { dialect, model }: RerankerPlatform,
  query: string,
  texts: readonly string[],
): Readonly<Record<string, unknown>> {
  if (dialect === 'tei') return { query, texts, raw_scores: false, truncate: true };
  return { model, query, documents: texts, top_n: texts.length, return_documents: false };
}

/** Reads `{ results: [{ index, relevance_score }] }` and `[{ index, score }]`, in any order. */
function readScores(
  { body }: HttpOutcome,
  { platform, count }: { readonly platform: RerankerPlatform; readonly count: number },
): number[] {
  const value: unknown = body.type === 'json' ? body.value : undefined;
  const list: unknown = isPlainObject(value) ? value['results'] : value;
  const scores = Array.from<number | undefined>({ length: count });
  for (const item of Array.isArray(list) ? list : []) {
    if (!isPlainObject(item)) continue;
    const { index } = item;
    const score = item['relevance_score'] ?? item['score'];
    if (typeof index === 'number' && index in scores && typeof score === 'number' && Number.isFinite(score))
      scores[index] = score;
  }
  const given = scores.filter((score) => score !== undefined);
  if (given.length === count) return given;
  const message = `The reranker at ${platform.url} gave ${given.length} scores for ${count} texts. Check url and platform.`;
  throw new ToolError({ code: 'execution_failed', message });
}

/** Maps unbounded scores, which some models return, to 0 to 1 in the same order. */
function toShares(scores: readonly number[]): number[] {
  if (scores.every((score) => score >= 0 && score <= 1)) return [...scores];
  return scores.map((score) => 1 / (1 + Math.exp(-score)));
}

function explain({ status, body }: HttpOutcome, { url }: RerankerPlatform, key: string | undefined): ToolError {
  const said = readRefusal(body, key);
  const isKey = status === 401 || status === 403;
  const what = said === '' || isKey ? '' : ` and says: ${said}`;
  const fix = isKey ? 'Check api_key.' : status === 404 ? 'Check url and model.' : 'Try again later.';
  const code = isKey ? 'permission_denied' : 'upstream_unavailable';
  return new ToolError({ code, message: `The reranker at ${url} answered ${status}${what}. ${fix}` });
}
