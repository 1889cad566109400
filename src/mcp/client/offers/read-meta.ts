import { isObject, type JsonObject } from '../transports/wire-message.ts';

/** Keys that belong to one message between board and server, and keys that only the board may set. */
const RESERVED = /^(?:progressToken$|io\.modelcontextprotocol\/|pegboard[./])/i;

/** Returns the part of `_meta` of a tool, a result or a block that clients should get; `undefined` when it is empty. */
export function readMeta(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const kept = entries.filter(([key]) => !RESERVED.test(key));
  if (kept.length === entries.length) return value;
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
