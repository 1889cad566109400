import { setTimeout as wait } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { ToolError } from '../../../tool/tool-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ALL_TOOLS } from '../../../platform/http/egress.ts';
import { explainFailure } from '../../../platform/http/explain-failure.ts';
import type { HttpClient } from '../../../platform/http/http-client.ts';
import { readVersion } from '../../../platform/own-package.ts';
import { parseRetryAfter } from '../../../platform/http/retry-request.ts';

export interface FetchedUrl {
  readonly status: number;
  /** Returns a header's value, or an empty text. */
  readonly header: (name: string) => string;
  /** The decompressed body. */
  readonly bytes: Buffer;
}

interface FetchOptions {
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

/** Parallel requests to one host. */
const AT_ONCE = 4;

interface Turn {
  running: number;
  readonly waiting: (() => void)[];
  /** The earliest time of the next request, if the host asks for a delay. */
  nextAt: number;
}

/** Limits the requests to each host and their rate, for all sources of a run. */
export class HostGate {
  readonly #hosts = new Map<string, Turn>();

  async run<T>(
    host: string,
    { delay, signal }: { delay: number; signal: AbortSignal | undefined },
    work: () => Promise<T>,
  ): Promise<T> {
    let turn = this.#hosts.get(host);
    if (turn === undefined) this.#hosts.set(host, (turn = { running: 0, waiting: [], nextAt: 0 }));
    const mine = turn;
    // Another request may have taken the slot meanwhile.
    while (mine.running >= (delay > 0 ? 1 : AT_ONCE)) await new Promise<void>((settle) => mine.waiting.push(settle));
    mine.running++;
    try {
      const pause = mine.nextAt - Date.now();
      if (delay > 0 && pause > 0) await wait(pause, undefined, signal === undefined ? {} : { signal });
      mine.nextAt = Date.now() + delay;
      return await work();
    } finally {
      mine.running--;
      mine.waiting.shift()?.();
    }
  }
}
