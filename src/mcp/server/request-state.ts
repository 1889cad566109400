import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { RequestError } from '../protocol/json-rpc.ts';
import { invalidParams } from '../protocol/json-rpc.ts';

/** The server's memory of a request while the client gathers answers; the client returns it. */
export interface RequestState {
  /** The hash of method and arguments. */
  readonly digest: string;
  readonly caller: string;
  readonly answers: Readonly<Record<string, unknown>>;
  /** The keys of the last questions. */
  readonly asked: readonly string[];
  /** Identifies the request with all its rounds. */
  readonly id: string;
  readonly nonce: string;
  readonly expires: number;
}

/** Milliseconds for a client to gather answers. */
export const STATE_LIFETIME: number = 10 * 60_000;
const MAX_SPENT = 10_000;
/** The space in which the servers of a board share the key and the used states. */
const SPACE = 'request-states';
const KEY = 'key';

interface RequestStateOptions {
  /** The board's sealed store: servers that share it accept each other's states. Default: each server accepts only its own. */
  readonly store?: (() => Pick<SealedStore, 'space'> | undefined) | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * Signs the state that a client keeps for the server, and accepts only what a server of the board signed.
 *
 * While the store is unavailable, a server signs with its own key, and only it accepts such states.
 */
export class RequestStates {
  readonly #store: () => Pick<SealedStore, 'space'> | undefined;
  readonly #now: () => number;
  #shared: Buffer | undefined;
  /** Created on first use: most servers ask no questions. */
  #own: Buffer | undefined;
  readonly #spent = new Map<string, number>();
  /** Opened states that this server's own key signed. */
  readonly #local = new WeakSet<RequestState>();

  constructor({ store = () => undefined, now = Date.now }: RequestStateOptions = {}) {
    this.#store = store;
    this.#now = now;
  }

  /** Loads the board's key, with which `seal` signs from then on. */
  async load(): Promise<void> {
    if (this.#shared !== undefined) return;
    try {
      const space = this.#store()?.space(SPACE);
      if (space === undefined) return;
      await space.add(KEY, randomBytes(32).toString('base64'));
      // If several servers created one, all use the stored one.
      const key = await space.get(KEY);
      if (typeof key === 'string') this.#shared = Buffer.from(key, 'base64');
    } catch {
      // The store is unavailable or read-only: the next question tries again.
    }
  }

  seal(state: Omit<RequestState, 'nonce' | 'expires'>): string {
    const full: RequestState = {
      ...state,
      nonce: randomBytes(12).toString('base64url'),
      expires: this.#now() + STATE_LIFETIME,
    };
    const content = Buffer.from(JSON.stringify(full)).toString('base64url');
    return `${content}.${sign(content, this.#shared ?? (this.#own ??= randomBytes(32)))}`;
  }

  /** Rejects with `invalid params` for a state that the board did not sign, of another request or caller, or that has expired or was used. */
  async open(text: unknown, expected: { readonly digest: string; readonly caller: string }): Promise<RequestState> {
    await this.load();
    const [content = '', signature = '', ...rest] = typeof text === 'string' ? text.split('.') : [];
    const isBy = (key: Buffer | undefined): boolean => key !== undefined && isSigned(content, signature, key);
    const isOwn = isBy(this.#own);
    if (rest.length > 0 || !(isOwn || isBy(this.#shared))) throw refuse('was changed or comes from another server');
    // The signature guarantees the shape.
    const state: RequestState = JSON.parse(Buffer.from(content, 'base64url').toString());
    if (state.digest !== expected.digest) throw refuse('belongs to another request');
    if (state.caller !== expected.caller) throw refuse('belongs to another caller');
    if (state.expires < this.#now()) throw refuse('is too old');
    if (this.#spent.has(state.nonce)) throw refuse('was used before');
    // Only this server accepts states of its own key.
    if (isOwn) this.#local.add(state);
    else if ((await this.#store()?.space(SPACE).get(state.nonce)) !== undefined) throw refuse('was used before');
    return state;
  }

  /** Invalidates a state: an approval is used once. Rejects if another request used it first, at any server. */
  async spend(state: RequestState): Promise<void> {
    const { nonce, expires } = state;
    if (this.#spent.has(nonce)) throw refuse('was used before');
    const now = this.#now();
    if (this.#spent.size >= MAX_SPENT) for (const [old, end] of this.#spent) if (end < now) this.#spent.delete(old);
    this.#spent.set(nonce, expires);
    if (this.#local.has(state)) return;
    const ttl = Math.max(1, expires - now);
    const isFirst = await this.#store()?.space(SPACE).add(nonce, true, { ttl });
    if (isFirst === false) throw refuse('was used before');
  }
}

function sign(content: string, key: Buffer): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}

function isSigned(content: string, signature: string, key: Buffer): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(content, key))];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Reads the answers of a client; each must be an object. */
export function readInputResponses(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  const wrong = isPlainObject(value) ? Object.keys(value).find((key) => !isPlainObject(value[key])) : '';
  if (isPlainObject(value) && wrong === undefined) return value;
  const what = wrong === '' ? 'inputResponses' : `inputResponses.${wrong}`;
  throw invalidParams(`${what} must be an object.`);
}

function refuse(why: string): RequestError {
  return invalidParams(`The requestState ${why}. Send the request again without requestState and inputResponses.`);
}
