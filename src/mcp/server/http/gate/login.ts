import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../caller.ts';
import type { ClientAddress } from './client-address.ts';
import type { Authenticator, Refusal } from '../http-options.ts';
import { isThenable } from '../../../../tool/is-thenable.ts';

/** The refusal of an address that sent too many wrong tokens. */
interface TooManyRefusals {
  readonly status: 429;
  readonly message: string;
  readonly retryAfter: number;
}

/** The sender of a request, or the reason for its refusal. */
export type LoginOutcome = Caller | Refusal | TooManyRefusals;

interface LoginOptions {
  readonly addressOf: ClientAddress;
  readonly refusals: RefusalCount;
  /** Hashes of tokens that were valid before, oldest first. */
  readonly accepted: Set<string>;
}

const MAX_ACCEPTED = 1_000;

/**
 * Authenticates requests, and ignores tokens from addresses that keep sending wrong ones.
 *
 * Tokens that were valid before are accepted from every address, so that a client that shares an address with an attacker keeps working.
 */
export function createLogin(
  authenticator: Authenticator,
  { addressOf, refusals, accepted }: LoginOptions,
): (request: IncomingMessage) => LoginOutcome | Promise<LoginOutcome> {
  let last: string | undefined;

  const note = (request: IncomingMessage, outcome: Caller | Refusal): LoginOutcome => {
    const { authorization } = request.headers;
    // A request without a token is no guess.
    if (authorization === undefined) return outcome;
    if (!('status' in outcome)) {
      if (authorization !== last) accept((last = authorization));
    } else if (outcome.status === 401) {
      // The token was valid before.
      accepted.delete(hashOf(authorization));
      if (authorization === last) last = undefined;
      refusals.add(addressOf(request));
    }
    return outcome;
  };
  const accept = (authorization: string): void => {
    const hash = hashOf(authorization);
    accepted.delete(hash);
    accepted.add(hash);
    const [oldest] = accepted;
    if (accepted.size > MAX_ACCEPTED && oldest !== undefined) accepted.delete(oldest);
  };

  return (request) => {
    const { authorization } = request.headers;
    if (refusals.isActive && authorization !== undefined) {
      const retryAfter = refusals.secondsToWait(addressOf(request));
      if (retryAfter > 0 && !accepted.has(hashOf(authorization))) {
        const message = `Too many wrong tokens came from this address. Try again in ${retryAfter} s.`;
        return { status: 429, message, retryAfter };
      }
    }
    const outcome = authenticator.authenticate(request);
    return isThenable(outcome) ? Promise.resolve(outcome).then((who) => note(request, who)) : note(request, outcome);
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

interface Count {
  /** Refusals that still count; they decay with time. */
  refusals: number;
  countedAt: number;
}

const MAX_ADDRESSES = 10_000;
const MINUTE = 60_000;

/** Counts refusals by address: a limit at once and for each minute. Forgets addresses without recent refusals. */
export class RefusalCount {
  readonly #counts = new Map<string, Count>();
  /** Changing the limit keeps the counts. */
  limit: number;
  readonly #now: () => number;

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.limit = limit;
    this.#now = now;
  }

  get isActive(): boolean {
    return this.#counts.size > 0;
  }

  get size(): number {
    return this.#counts.size;
  }

  add(address: string): void {
    const refusals = this.#current(address) + 1;
    // The map is ordered by the last refusal, so that the oldest address is removed first.
    this.#counts.delete(address);
    this.#counts.set(address, { refusals: Math.min(refusals, this.limit), countedAt: this.#now() });
    for (const [oldest, { countedAt }] of this.#counts) {
      const isFaded = this.#now() - countedAt > MINUTE;
      if (!isFaded && this.#counts.size <= MAX_ADDRESSES) break;
      this.#counts.delete(oldest);
    }
  }

  /** Seconds until another token of this address is checked. */
  secondsToWait(address: string): number {
    const over = this.#current(address) - (this.limit - 1);
    return over <= 0 ? 0 : Math.max(1, Math.ceil((over / this.limit) * (MINUTE / 1000)));
  }

  #current(address: string): number {
    const count = this.#counts.get(address);
    if (count === undefined) return 0;
    return Math.max(0, count.refusals - ((this.#now() - count.countedAt) / MINUTE) * this.limit);
  }
}
