import type { Dispatcher } from 'undici';
import { readFrame } from './frame-reader.ts';
import { isObject, type JsonObject, readRpcError, type TransportFailure } from './transport.ts';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { readText } from '../../../platform/http/http-messages.ts';

/** A server's answer over HTTP. */
export type HttpAnswer = { readonly session: string | undefined } & (
  | { readonly type: 'message'; readonly message: JsonObject }
  | { readonly type: 'stream'; readonly body: AsyncIterable<unknown> }
  | { readonly type: 'failed'; readonly status: number; readonly failure: TransportFailure }
);

interface AnswerOptions {
  readonly maxFrame: number;
  /** True when the request named a session, which the server may have lost. */
  readonly hasSession?: boolean;
}

const MAX_SHOWN = 300;

/** Reads an answer: a message, a stream that the caller reads, or a failure. */
export async function readAnswer(
  response: Dispatcher.ResponseData,
  { maxFrame, hasSession = false }: AnswerOptions,
): Promise<HttpAnswer> {
  const { statusCode: status, headers, body } = response;
  const session = toText(headers['mcp-session-id']);
  const type = toText(headers['content-type'])?.split(';', 1)[0]?.trim().toLowerCase();
  if (status >= 200 && status < 300 && type === 'text/event-stream') return { type: 'stream', body, session };
  const text = await readText(body, maxFrame);
  if (text === undefined) {
    const message = `it sent an answer of more than ${maxFrame.toLocaleString('en-US')} bytes (max_frame)`;
    return { type: 'failed', status, session, failure: { kind: 'unavailable', message } };
  }
  const message = await readFrame(text);
  const isMessage = isObject(message) && message['jsonrpc'] === '2.0' && ('result' in message || 'error' in message);
  const failure = explainStatus(status, text, headers);
  const refusal = { status, message: isMessage ? message : undefined, text };
  if (hasSession && headers['www-authenticate'] === undefined && isSessionLost(refusal))
    return { type: 'failed', status, session, failure: { ...failure, kind: 'session-expired' } };
  if (isMessage && status !== 401) return { type: 'message', message, session };
  return { type: 'failed', status, session, failure };
}

function explainStatus(
  status: number,
  text: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TransportFailure {
  if (status === 401 || status === 403) {
    const asked = toText(headers['www-authenticate']);
    const challenge = asked === undefined ? '' : ` (it asks for: ${asked.slice(0, MAX_SHOWN)})`;
    const message = `it answered ${status}${challenge}. Put a token into its headers, such as authorization: 'Bearer \${TOKEN}'`;
    return { kind: 'unauthorized', status, message };
  }
  const location = toText(headers['location']);
  if (status >= 300 && status < 400 && location !== undefined)
    return { kind: 'refused', status, message: `it answered ${status} and points to ${location}. Put that into url` };
  const said = text.trim() === '' ? '' : `: ${text.trim().slice(0, MAX_SHOWN)}`;
  const kind = status >= 500 || status === 429 ? 'unavailable' : 'refused';
  return { kind, status, message: `it answered ${status}${said}` };
}

function toText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** Explains an interrupted request. */
export function explainError(error: unknown, url: string): TransportFailure {
  const cause = error instanceof Error ? error : new Error(String(error));
  const { host } = new URL(url);
  const code = 'code' in cause ? String(cause.code) : '';
  const reason =
    code === 'ECONNREFUSED'
      ? `${host} refuses connections`
      : code === 'ENOTFOUND'
        ? `${host} cannot be found`
        : cause.message;
  return { kind: 'unavailable', message: reason === '' ? 'The connection was closed.' : reason };
}

/** A server's refusal: a JSON-RPC error, or a text. */
interface Refusal {
  readonly status: number;
  readonly message: JsonObject | undefined;
  readonly text: string;
}

/** Codes of errors about the request itself: the server knew the session and read the request. */
const ABOUT_REQUEST: ReadonlySet<number> = new Set([
  ERROR_CODES.parseError,
  ERROR_CODES.methodNotFound,
  ERROR_CODES.invalidParams,
  ERROR_CODES.headerMismatch,
  ERROR_CODES.missingClientCapability,
  ERROR_CODES.unsupportedVersion,
]);
const SESSION = /\bsession\b|session[-_ ]?id/i;
const UNKNOWN =
  /not found|no (?:such|valid|transport)|not valid|invalid|unknown|expired|missing|required|terminated|closed|not exist|no longer/i;
const NEVER_INITIALIZED = /\bnot (?:yet )?initiali[sz]ed\b/i;
const MAX_READ = 500;

/**
 * Returns true when a server refused a request because it does not know the request's session. It did not process the request, so the
 * request may be sent again in another session.
 *
 * | Server | Answer to a session it does not know |
 * |---|---|
 * | MCP's text, TypeScript SDK v1 and v2, C# and Go SDK | 404, -32001 "Session not found" or a text |
 * | TypeScript SDK with one transport, restarted | 400, -32000 "Bad Request: Server not initialized" |
 * | server-everything and hosts written like the TypeScript SDK's examples | 400, -32000 "Bad Request: No valid session ID provided", or
 * the text "Invalid or missing session ID" |
 * | Python SDK, FastMCP | 404, -32600 "Session not found"; earlier ones 400 and the text "Bad Request: No valid session ID provided" |
 * | HTTP+SSE of 2024, hosts of the TypeScript SDK | 400 or 404, the text "No transport found for sessionId" or "Session not found" |
 * | mcp-go | 404 "Session terminated", 400 "Invalid session ID" |
 * | Rust SDK | 404; earlier ones 401 "Unauthorized: Session not found" |
 * | Pegboard | 404, -32002 "There is no such session (any more)" |
 *
 * 404 is enough by itself, unless its error is about the request (404 and -32601 is an unknown method). Other refusals must state it in
 * words; 400 without any words also counts, because a server that had read the request would explain its refusal.
 */
export function isSessionLost({ status, message, text }: Refusal): boolean {
  if (status !== 400 && status !== 401 && status !== 404) return false;
  const error = message === undefined ? undefined : readRpcError(message['error']);
  if (error !== undefined && ABOUT_REQUEST.has(error.code)) return false;
  const said = (error?.message ?? text).slice(0, MAX_READ);
  if ((SESSION.test(said) && UNKNOWN.test(said)) || NEVER_INITIALIZED.test(said)) return true;
  return status === 404 || (status === 400 && said.trim() === '');
}
