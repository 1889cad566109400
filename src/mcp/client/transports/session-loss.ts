import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { type JsonObject, readRpcError } from './wire-message.ts';

/** A server's refusal: a JSON-RPC error, or a text. */
export interface Refusal {
  readonly status: number;
  readonly message: JsonObject | undefined;
  readonly text: string;
}

/** Codes of errors about the request itself: the server knew the session and read what was asked. */
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
 * Tells whether a server refused a request because it does not know the session that the request named. It did not look at
 * the request then, so the request may be sent again in another session.
 *
 * | Server | Answer to a session it does not know |
 * |---|---|
 * | MCP's text, TypeScript SDK v1 and v2, C# and Go SDK | 404, -32001 "Session not found" or a text |
 * | TypeScript SDK with one transport, restarted | 400, -32000 "Bad Request: Server not initialized" |
 * | server-everything and hosts written like the TypeScript SDK's examples | 400, -32000 "Bad Request: No valid session ID provided", or the text "Invalid or missing session ID" |
 * | Python SDK, FastMCP | 404, -32600 "Session not found"; earlier ones 400 and the text "Bad Request: No valid session ID provided" |
 * | HTTP+SSE of 2024, hosts of the TypeScript SDK | 400 or 404, the text "No transport found for sessionId" or "Session not found" |
 * | mcp-go | 404 "Session terminated", 400 "Invalid session ID" |
 * | Rust SDK | 404; earlier ones 401 "Unauthorized: Session not found" |
 * | Pegboard | 404, -32002 "There is no such session (any more)" |
 *
 * 404 says it in itself, unless its error is about the request (404 and -32601 is an unknown method). Other refusals have to
 * say it in words; 400 without any words counts too, as no server read the request that has nothing to say about it.
 */
export function isSessionLost({ status, message, text }: Refusal): boolean {
  if (status !== 400 && status !== 401 && status !== 404) return false;
  const error = message === undefined ? undefined : readRpcError(message['error']);
  if (error !== undefined && ABOUT_REQUEST.has(error.code)) return false;
  const said = (error?.message ?? text).slice(0, MAX_READ);
  if ((SESSION.test(said) && UNKNOWN.test(said)) || NEVER_INITIALIZED.test(said)) return true;
  return status === 404 || (status === 400 && said.trim() === '');
}
