import type { IncomingMessage } from 'node:http';
import type { ToolRegistry } from '../board/registry/tool-registry.ts';
import { messageValues, tooManyValues } from '../mcp/protocol/message-values.ts';
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
