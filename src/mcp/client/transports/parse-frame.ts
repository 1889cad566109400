import { findId, PEEK } from '../../protocol/json-rpc.ts';
import { isObject, type JsonObject } from './transport.ts';
import { type JsonExcess, measureJson } from '../../../tool/input-limits.ts';

/** Far deeper than any real message, and far less than would overflow the stack. */
const MAX_DEPTH = 256;
/** Keys and items of one message; empty lists and objects count twice. */
const MAX_VALUES = 250_000;
/** Characters of a notification. */
const MAX_NOTIFICATION = 1024 * 1024;

// Written out, because formatting a number loads Node's locale data.
const WORDS: Readonly<Record<JsonExcess, string>> = {
  depth: `is nested more than ${MAX_DEPTH} levels deep`,
  values: 'contains more than 250,000 values (keys and items)',
};

/**
 * Parses a message; `undefined` for an invalid one. Does not parse messages that would block the process: deep nesting, too many values,
 * long notifications.
 */
export function parseFrame(text: string): JsonObject | undefined {
  const isLong = text.length > MAX_NOTIFICATION;
  if (isLong && NOTIFICATION.test(text.slice(0, 200))) return undefined;
  const excess = measureJson(text, { values: MAX_VALUES, depth: MAX_DEPTH });
  if (excess !== undefined) return refuse(text, WORDS[excess]);
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) && (!isLong || 'id' in message) ? message : undefined;
  } catch {
    return undefined;
  }
}

const NOTIFICATION = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"notifications\//;

/** Returns an error in place of an answer that is not parsed, so that its request does not wait forever. */
function refuse(text: string, fault: string): JsonObject | undefined {
  const id = findId(text.slice(0, PEEK), text.slice(-PEEK));
  if (typeof id !== 'number') return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32603, message: `the answer ${fault}, and was not read` } };
}
