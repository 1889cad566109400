import type { ServerResponse } from 'node:http';
import { formatError } from '../../protocol/json-rpc.ts';
import { formatPlainError, isPlainPath } from './plain/plain-answer.ts';

/** Headers in addition to type and length. */
export type ExtraHeaders = Readonly<Record<string, string>>;

export function respondJson(
  response: ServerResponse,
  text: string,
  { status = 200, headers }: { readonly status?: number; readonly headers?: ExtraHeaders | undefined } = {},
): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
  // ASCII needs no encoding.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
}

/** Answers with an error outside of MCP requests. */
export function respondError(
  response: ServerResponse,
  status: number,
  error: {
    readonly message: string;
    readonly code?: number;
    /** The code for programs without MCP. Default: by the status. */
    readonly plain?: string;
    readonly headers?: ExtraHeaders;
  },
): void {
  const { message, code = -32600, plain, headers } = error;
  const [pathname = ''] = (response.req.url ?? '').split('?', 1);
  if (isPlainPath(pathname))
    return respondJson(response, formatPlainError(status, message, plain), { status, headers });
  respondJson(response, formatError(undefined, { code, message }), { status, headers });
}

export function respondText(
  response: ServerResponse,
  text: string,
  { status = 200, type = 'text/plain; charset=utf-8' }: { readonly status?: number; readonly type?: string } = {},
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Responses that have not reached their clients yet. */
export class OpenResponses {
  readonly #open = new Set<ServerResponse>();
  #whenDone: (() => void) | undefined;

  add(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#whenDone?.();
    });
  }

  async done(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#whenDone = resolve));
  }
}

const KEEP_ALIVE = 15_000;
/** Bytes that may wait for a slow client before it counts as gone. */
const MAX_WAITING = 64 * 1024 * 1024;
const open = new Set<ServerResponse>();
let timer: NodeJS.Timeout | undefined;

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies must not buffer events.
  'x-accel-buffering': 'no',
} as const;

/** Turns a response into an event stream, kept alive by comments. */
export function openEventStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  // Missed events may have been sent before.
  if (response.headersSent) return;
  response.writeHead(200, { ...HEADERS, ...headers });
  response.flushHeaders();
  open.add(response);
  response.once('close', () => {
    open.delete(response);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  timer ??= setInterval(() => {
    for (const stream of open) stream.write(':\n\n');
  }, KEEP_ALIVE).unref();
}

/** Sends one message. JSON has no line breaks, so it is one line of data. A client resumes with the id. */
export function writeEvent(response: ServerResponse, text: string, id?: string): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.writableLength > MAX_WAITING) response.destroy();
  else response.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${text}\n\n`);
}

/** Sends the id from which a client can resume, without a message. */
export function writeEventId(response: ServerResponse, id: string): void {
  if (!response.destroyed && !response.writableEnded) response.write(`id: ${id}\ndata:\n\n`);
}
