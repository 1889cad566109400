import { setTimeout as wait } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { ToolError } from '../../../tool/tool-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ALL_TOOLS } from '../../../platform/http/egress.ts';
import { explainFailure } from '../../../platform/http/explain-failure.ts';
import type { HttpClient } from '../../../platform/http/http-client.ts';
import { readVersion } from '../../../platform/own-package.ts';
import { parseRetryAfter } from '../../../platform/http/retry-request.ts';

/** The answer of a server. */
export interface FetchedUrl {
  readonly status: number;
  /** Returns a header's value, or an empty text. */
  readonly header: (name: string) => string;
  /** The decompressed body. */
  readonly bytes: Buffer;
}

export interface FetchOptions {
  readonly client: HttpClient;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

const TIMEOUT = 30_000;
const ATTEMPTS = 3;
const FIRST_PAUSE = 500;
/** The longest `Retry-After` to wait for. */
const LONGEST_PAUSE = 30_000;
const BUSY = new Set([429, 502, 503, 504]);

/**
 * Fetches a URL without following redirects; retries if the server is busy or does not answer.
 *
 * Throws a `ToolError` if there is no usable answer.
 */
export async function fetchUrl(url: URL, options: FetchOptions): Promise<FetchedUrl> {
  for (let attempt = 1; ; attempt++) {
    let pause = FIRST_PAUSE * 2 ** (attempt - 1);
    try {
      const answer = await fetchOnce(url, options);
      if (attempt === ATTEMPTS || !BUSY.has(answer.status)) return answer;
      pause = parseRetryAfter(answer.header('retry-after'), Date.now()) ?? pause;
      if (pause > LONGEST_PAUSE) return answer;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (attempt === ATTEMPTS || !(error instanceof ToolError) || error.code !== 'upstream_unavailable') throw error;
    }
    await wait(pause, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

async function fetchOnce(url: URL, { client, headers, maxBytes, signal }: FetchOptions): Promise<FetchedUrl> {
  const refusal = client.egress.checkUrl(url);
  if (refusal !== undefined) throw aboutSource(refusal);
  const timeout = AbortSignal.timeout(TIMEOUT);
  try {
    const dispatcher = await client.connect();
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'user-agent': `pegboard/${readVersion()}`, accept: '*/*', 'accept-encoding': 'gzip', ...headers },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const header = (name: string): string => [answer.headers[name] ?? ''].flat()[0] ?? '';
    const bytes = await readBody(answer.body, header('content-encoding'), maxBytes);
    return { status: answer.statusCode, header, bytes };
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) {
      const message = `${url.origin} took longer than ${TIMEOUT / 1000} s`;
      throw new ToolError({ code: 'timeout', message, cause: error });
    }
    throw aboutSource(explainFailure(error, { method: 'GET', url: url.href }));
  }
}

type Body = NodeJS.ReadableStream & { destroy(): unknown };

async function readBody(body: Body, encoding: string, maxBytes: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name !== '' && name !== 'identity' && name !== 'gzip' && name !== 'x-gzip') {
    body.destroy();
    throw new ToolError({ code: 'execution_failed', message: `The encoding "${name.slice(0, 40)}" was not asked for` });
  }
  const isPacked = name.endsWith('gzip');
  const unpacked = isPacked ? body.pipe(createGunzip()) : body;
  if (isPacked) body.on('error', (error) => 'destroy' in unpacked && unpacked.destroy(error));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked) {
      const piece = Buffer.from(chunk);
      size += piece.length;
      // A few bytes may decompress to gigabytes, so the size is checked before all of it is in memory.
      if (size > maxBytes) {
        const message = `is larger than ${Math.round(maxBytes / 1_000_000)} MB`;
        throw new ToolError({ code: 'output_too_large', message });
      }
      chunks.push(piece);
    }
    return Buffer.concat(chunks, size);
  } finally {
    body.destroy();
  }
}

/** Changes the wording of errors about tools, which share these rules, to sources. */
function aboutSource(error: ToolError): ToolError {
  const message = messageOf(error).replace(ALL_TOOLS, '').replaceAll('of the tool', 'of the source');
  return new ToolError({ code: error.code, message, cause: error });
}
