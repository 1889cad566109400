import { isObject, type JsonObject } from '../transports/wire-message.ts';

/** What belongs to one message between board and server, and what only the board may say of itself. */
const RESERVED = /^(?:progressToken$|io\.modelcontextprotocol\/|pegboard[./])/i;

/** What a server says under `_meta` of a tool, a result or a block that its clients should get; `undefined` where that is nothing. */
export function readMeta(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const kept = entries.filter(([key]) => !RESERVED.test(key));
  if (kept.length === entries.length) return value;
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
