import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isPlainObject } from '../../tool/json.ts';
import type { RequestError } from '../protocol/json-rpc.ts';
import { invalidParams } from '../protocol/json-rpc.ts';

/** What the server remembers of a request while the client gathers answers; the client carries it. */
export interface RequestState {
  /** The request it belongs to: method and arguments, hashed. */
  readonly digest: string;
  /** Who sent the request. */
  readonly caller: string;
  /** Answers of earlier rounds. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What was asked in the last round. */
  readonly asked: readonly string[];
  readonly nonce: string;
  readonly expires: number;
}

const LIFETIME = 10 * 60_000;
const MAX_SPENT = 10_000;

/** Signs what a client carries for the server, and believes nothing that it did not sign. */
export class RequestStates {
  /** Made when it is first needed: most servers ask no questions. */
  #secret: Buffer | undefined;
  readonly #now: () => number;
  readonly #spent = new Map<string, number>();

  constructor(secret?: Buffer, now: () => number = Date.now) {
    this.#secret = secret;
    this.#now = now;
  }

  seal(state: Omit<RequestState, 'nonce' | 'expires'>): string {
    const full: RequestState = {
      ...state,
      nonce: randomBytes(12).toString('base64url'),
      expires: this.#now() + LIFETIME,
    };
    const content = Buffer.from(JSON.stringify(full)).toString('base64url');
    return `${content}.${this.#sign(content)}`;
  }

  /** Throws `invalid params` for what was not sealed here, for another request or caller, or is too old. */
  open(text: unknown, expected: { readonly digest: string; readonly caller: string }): RequestState {
    const [content = '', signature = '', ...rest] = typeof text === 'string' ? text.split('.') : [];
    const [given, right] = [Buffer.from(signature), Buffer.from(this.#sign(content))];
    if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right))
      throw refuse('was changed or comes from another server');
    // It carries our signature, so it has our shape.
    const state: RequestState = JSON.parse(Buffer.from(content, 'base64url').toString());
    if (state.digest !== expected.digest) throw refuse('belongs to another request');
    if (state.caller !== expected.caller) throw refuse('belongs to another caller');
    if (state.expires < this.#now()) throw refuse('is too old');
    if (this.#spent.has(state.nonce)) throw refuse('was used before');
    return state;
  }

  /** Makes a state worthless: what a person agreed to happens once. Throws when another request was faster. */
  spend({ nonce, expires }: RequestState): void {
    if (this.#spent.has(nonce)) throw refuse('was used before');
    const now = this.#now();
    if (this.#spent.size >= MAX_SPENT) for (const [old, end] of this.#spent) if (end < now) this.#spent.delete(old);
    this.#spent.set(nonce, expires);
  }

  #sign(content: string): string {
    return createHmac('sha256', (this.#secret ??= randomBytes(32)))
      .update(content)
      .digest('base64url');
  }
}

/** Reads the answers a client sends along; each is an object. */
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
