import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isThenable } from '../../../../tool/is-thenable.ts';
import type { Caller } from '../../caller.ts';
import type { ClientAddress } from './client-address.ts';
import type { Authenticator, Refusal } from '../http-options.ts';
import type { RefusalCount } from './refusal-count.ts';

/** The answer to an address that showed too many wrong tokens: the seconds to wait. */
interface TooManyRefusals {
  readonly status: 429;
  readonly message: string;
  readonly retryAfter: number;
}

/** The sender of a request, or the reason for its refusal. */
export type LoginOutcome = Caller | Refusal | TooManyRefusals;

interface LoginOptions {
  readonly addressOf: ClientAddress;
  /** Counts wrong tokens by address. */
  readonly refusals: RefusalCount;
  /** Hashes of what was good before, the oldest first. */
  readonly accepted: Set<string>;
}

const MAX_ACCEPTED = 1_000;

/**
 * Finds out who sends requests, and stops looking at tokens from addresses that keep sending wrong ones.
 *
 * Tokens that were good before are taken from every address, so that a client that shares an address with a guesser works on.
 */
export function createLogin(
  authenticator: Authenticator,
  { addressOf, refusals, accepted }: LoginOptions,
): (request: IncomingMessage) => LoginOutcome | Promise<LoginOutcome> {
  let last: string | undefined;

  const note = (request: IncomingMessage, outcome: Caller | Refusal): LoginOutcome => {
    const { authorization } = request.headers;
    // A request without a token asks what is wanted here, and guesses nothing.
    if (authorization === undefined) return outcome;
    if (!('status' in outcome)) {
      if (authorization !== last) accept((last = authorization));
    } else if (outcome.status === 401) {
      // One that was good before is so no more.
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
