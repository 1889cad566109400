import type { ServerResponse } from 'node:http';
import { formatError } from '../../protocol/json-rpc.ts';
import { formatPlainError } from './plain/plain-answer.ts';
import { isPlainPath } from './plain/plain-paths.ts';

/** Headers of one response, besides its type and length. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** Answers with JSON that is written already. */
export function respondJson(
  response: ServerResponse,
  text: string,
  { status = 200, headers }: { readonly status?: number; readonly headers?: ExtraHeaders | undefined } = {},
): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
  // Plain ASCII needs no encoding.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
}

/** Answers with an error that belongs to no request of the protocol. */
export function respondError(
  response: ServerResponse,
  status: number,
  error: {
    readonly message: string;
    readonly code?: number;
    /** The code for programs that know no MCP. Default: by the status. */
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

/** Answers with plain text. */
export function respondText(
  response: ServerResponse,
  text: string,
  { status = 200, type = 'text/plain; charset=utf-8' }: { readonly status?: number; readonly type?: string } = {},
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** The responses of a server that have not reached their clients yet. */
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

  /** Settles when there is none left. */
  async done(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#whenDone = resolve));
  }
}
