import { isPlainObject } from '../../tool/json.ts';
import { findId, type JsonRpcId, PEEK } from '../protocol/json-rpc.ts';

/** A line of a client, as far as a front has to know it. */
export type ClientLine =
  /** A stream has no end of its own: it follows changes. */
  | { readonly type: 'request'; readonly id: JsonRpcId; readonly isStream: boolean }
  /** `misnamed` is a request whose id is too long. */
  | { readonly type: 'answer' | 'cancel' | 'misnamed'; readonly id: JsonRpcId }
  | { readonly type: 'other' };

/** Ids of requests that a front sends by itself. */
const OWN_ID = 'pegboard-front-';
/** Characters of an id at most: the front finds it in the first bytes of the answer. */
export const MAX_ID = 256;
/** Characters of a line from which its two ends are read alone: to parse megabytes takes longer than to pass them on. */
const LONG = 16_384;
/** The beginning of a request, as clients of both official libraries write it. */
const REQUEST = /^\{(?:"jsonrpc":"2\.0",)?(?:"id":[^,{}]+,)?"method":"([^"\\]+)"/;
const STREAM = 'subscriptions/listen';
/** Methods whose messages are kept. */
const KEPT = new Set(['initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** The state of a client's session that another board must learn: its handshake, log level and subscriptions. */
export class ClientSession {
  #initialize: Readonly<Record<string, unknown>> | undefined;
  #initialized: string | undefined;
  #level: Readonly<Record<string, unknown>> | undefined;
  readonly #subscriptions = new Map<unknown, Readonly<Record<string, unknown>>>();
  #lastId = 0;

  /** Reads a line of the client and keeps the state that it sets. */
  read(line: string): ClientLine {
    if (line.length > LONG) {
      const [head, tail] = [line.slice(0, PEEK), line.slice(-PEEK)];
      const [, method] = REQUEST.exec(head) ?? [];
      const id = method === undefined || KEPT.has(method) ? undefined : findId(head, tail);
      if (id !== undefined) return { type: 'request', id, isStream: method === STREAM };
    }
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return { type: 'other' };
    }
    if (!isPlainObject(message)) return { type: 'other' };
    const { id, method, params } = message;
    // A number beyond those of JSON could not be written into an answer.
    const isId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
    if (typeof method !== 'string') return isId ? { type: 'answer', id } : { type: 'other' };
    if (isId) {
      if (String(id).length > MAX_ID) return { type: 'misnamed', id };
      if (KEPT.has(method)) this.#keep(method, message);
      return { type: 'request', id, isStream: method === STREAM };
    }
    if (method === 'notifications/initialized') this.#initialized = line;
    const cancelled = method === 'notifications/cancelled' && isPlainObject(params) ? params['requestId'] : undefined;
    if (typeof cancelled === 'string' || typeof cancelled === 'number') return { type: 'cancel', id: cancelled };
    return { type: 'other' };
  }

  #keep(method: string, message: Readonly<Record<string, unknown>>): void {
    const uri = isPlainObject(message['params']) ? message['params']['uri'] : undefined;
    if (method === 'initialize') this.#initialize = message;
    else if (method === 'logging/setLevel') this.#level = message;
    else if (method === 'resources/subscribe') this.#subscriptions.set(uri, message);
    else if (method === 'resources/unsubscribe') this.#subscriptions.delete(uri);
  }

  /** Returns the lines that give another board this state, and the ids of their answers, which are not for the client. */
  replay(): { readonly lines: readonly string[]; readonly ids: readonly string[] } {
    if (this.#initialize === undefined || this.#initialized === undefined) return { lines: [], ids: [] };
    const ids: string[] = [];
    const again = (message: Readonly<Record<string, unknown>>): string => {
      const id = `${OWN_ID}${++this.#lastId}`;
      ids.push(id);
      return JSON.stringify({ ...message, id });
    };
    const lines = [again(this.#initialize), this.#initialized];
    if (this.#level !== undefined) lines.push(again(this.#level));
    for (const message of this.#subscriptions.values()) lines.push(again(message));
    return { lines, ids };
  }
}
