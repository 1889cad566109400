import { findId, PEEK } from '../../protocol/json-rpc.ts';
import { isObject, type JsonObject } from './transport.ts';
import { type JsonExcess, measureJson } from '../../../tool/input-limits.ts';

/** Levels of nesting that a message may have: far more than any real one, far fewer than what breaks a stack. */
const MAX_DEPTH = 256;
/** Keys and items of one message; empty lists and objects count twice. */
const MAX_VALUES = 250_000;
/** Characters of what a server says unasked. */
const MAX_NOTIFICATION = 1024 * 1024;

const WORDS: Readonly<Record<JsonExcess, string>> = {
  depth: `is nested more than ${MAX_DEPTH} levels deep`,
  values: `holds more than ${MAX_VALUES.toLocaleString('en-US')} values (keys and items)`,
};

/**
 * Parses a message, or gives `undefined` for what is no message. One that would keep the process busy is not parsed: deep nesting,
 * very many values, long notifications.
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

/** An error in the place of an answer that is not read, so that its request does not wait for ever. */
function refuse(text: string, fault: string): JsonObject | undefined {
  const id = findId(text.slice(0, PEEK), text.slice(-PEEK));
  if (typeof id !== 'number') return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32603, message: `the answer ${fault}, and was not read` } };
}
