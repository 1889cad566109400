import type { ServerResponse } from 'node:http';
import { formatError } from '../../protocol/json-rpc.ts';

/** Headers of one response, besides its type and length. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** Answers with JSON that is written already. */
export function respondJson(
  response: ServerResponse,
  text: string,
  { status = 200, headers }: { readonly status?: number; readonly headers?: ExtraHeaders | undefined } = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Answers with an error that belongs to no request. */
export function respondError(
  response: ServerResponse,
  status: number,
  error: { readonly message: string; readonly code?: number; readonly headers?: ExtraHeaders },
): void {
  const { message, code = -32600, headers } = error;
  respondJson(response, formatError(undefined, { code, message }), { status, headers });
}

/** Answers with plain text. */
export function respondText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
