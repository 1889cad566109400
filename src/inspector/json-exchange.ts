import { respondJson } from '../mcp/server/http/respond.ts';
import { ToolError } from '../tool/tool-error.ts';
import { revealHidden } from '../tool/texts/reveal-hidden.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolRegistry } from '../board/registry/tool-registry.ts';
import { messageValues, tooManyValues } from '../mcp/protocol/json-rpc.ts';
import { type ReadBody, readBody } from '../mcp/server/http/read-body.ts';
import { isPlainObject } from '../tool/json.ts';
import { messageOf } from '../tool/texts/message-of.ts';

/** A request that cannot be answered, with the reason. */
export class HttpFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface JsonBounds {
  readonly registry: ToolRegistry;
  /** The maximum size of the body in bytes. */
  readonly maxBody: number;
}

/** Reads the JSON object in a request. Rejects with an `HttpFault` for other types, invalid JSON and bodies that are too large. */
export async function readJson(
  request: IncomingMessage,
  { registry, maxBody }: JsonBounds,
): Promise<Record<string, unknown>> {
  const type = request.headers['content-type'] ?? '';
  // Pages of other sites cannot send this type without a preflight request.
  if (!/^application\/json(?:\s*;|$)/i.test(type))
    throw new HttpFault(415, `Send JSON with content-type: application/json; got "${type}".`);
  const values = messageValues(registry.executor);
  const read = await new Promise<ReadBody>((resolve) => readBody(request, { bytes: maxBody, values }, resolve));
  if (!read.ok && read.excess === 'values') throw new HttpFault(400, tooManyValues(values));
  if (!read.ok) throw new HttpFault(413, `The body is larger than the limit of ${maxBody} bytes.`);
  let body: unknown;
  try {
    body = JSON.parse(read.text);
  } catch (error) {
    throw new HttpFault(400, `The body is not JSON: ${messageOf(error)}.`);
  }
  if (!isPlainObject(body)) throw new HttpFault(400, 'The body must be a JSON object.');
  return body;
}

/** Converts an error to the status, code and message of an answer. */
export function explainFault(thrown: unknown): {
  readonly status: number;
  readonly code: string;
  readonly message: string;
} {
  if (thrown instanceof HttpFault) return { status: thrown.status, code: 'bad_request', message: thrown.message };
  if (thrown instanceof ToolError)
    return { status: thrown.code === 'not_found' ? 404 : 400, code: thrown.code, message: thrown.message };
  const message = messageOf(thrown);
  return { status: 500, code: 'failed', message: `The inspector could not answer: ${message}` };
}

/** Sends a JSON answer with hidden characters escaped. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return;
  const closing = status === 413 ? { connection: 'close' } : {};
  respondJson(response, JSON.stringify(revealAnswer(body)), {
    status,
    headers: { 'cache-control': 'no-store', ...closing },
  });
}

/** Keys whose values the page sends back or renders itself, so that they must stay unchanged. */
const AS_THEY_ARE: ReadonlySet<string> = new Set([
  'inputSchema',
  'outputSchema',
  'schema',
  'input',
  'data',
  'mcpResult',
]);

/** Escapes hidden characters in all texts that are only displayed. */
export function revealAnswer(value: unknown): unknown {
  if (typeof value === 'string') return revealHidden(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(revealAnswer);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, AS_THEY_ARE.has(key) ? item : revealAnswer(item)]),
  );
}
