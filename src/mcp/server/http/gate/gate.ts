import type { IncomingMessage } from 'node:http';
import { isThenable } from '../../../../tool/is-thenable.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { createTokenAuthenticator } from '../../auth/token-authenticator.ts';
import { createToken, hashToken, LEAST_TOKEN_LENGTH } from '../../auth/token-hash.ts';
import { ANONYMOUS, type Caller } from '../../caller.ts';
import { createSenderCheck } from './check-sender.ts';
import { type ClientAddress, createClientAddress } from './client-address.ts';
import { ClientLimiter } from './client-limiter.ts';
import { type Authenticator, type HttpOptions, isLoopback } from '../http-options.ts';
import { createLogin, type LoginOutcome } from './login.ts';
import { RefusalCount } from './refusal-count.ts';

/** Decides about access and rates before a request reaches the protocol. */
export interface Gate {
  readonly authenticator: Authenticator | undefined;
  /** The token that was made because nothing else was said; its one holder is the code that started the server. */
  readonly token: string | undefined;
  readonly metricsOpen: boolean;
  readonly limiter: ClientLimiter;
  readonly addressOf: ClientAddress;
  checkSender(request: IncomingMessage): string | undefined;
  /** Finds out who sends a request; `undefined` where no token is needed. */
  readonly login: ((request: IncomingMessage) => LoginOutcome | Promise<LoginOutcome>) | undefined;
  /** Checks the sender of an admitted request again; `undefined` when it has no access any more. */
  recheck(request: IncomingMessage): Caller | undefined | Promise<Caller | undefined>;
  readonly refusals: RefusalCount;
  readonly accepted: Set<string>;
}

const WRONG_TOKENS = 20;
const REMOTE_LIMITS = { rate: 100, concurrency: 64 } as const;

/**
 * Makes the gate of a server. With the one before it, what was counted goes on counting.
 *
 * Throws when other machines could reach the server without a token, or when an option makes no sense.
 */
export function createGate(options: HttpOptions, before?: Gate): Gate {
  const { host = '127.0.0.1', wrongTokens = WRONG_TOKENS, metricsOpen = false } = options;
  const made = options.authenticator === undefined && options.token === undefined;
  const token = made ? (before?.token ?? createToken()) : undefined;
  const authenticator = options.authenticator ?? fromToken(options.token ?? token ?? false);
  if (!isLoopback(host) && authenticator === undefined) {
    const message = `Others can reach ${host}, so it needs a token. Without one only this machine is served: use 127.0.0.1.`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  const addressOf = createClientAddress(options.trustedProxies);
  const checkSender = createSenderCheck({ ...options, authenticator });
  const limits = options.limits ?? (isLoopback(host) ? {} : REMOTE_LIMITS);
  const limiter = before?.limiter ?? new ClientLimiter(limits);
  limiter.limits = limits;
  const refusals = before?.refusals ?? new RefusalCount(wrongTokens);
  refusals.limit = wrongTokens;
  const accepted = before?.accepted ?? new Set<string>();
  return {
    authenticator,
    token,
    metricsOpen,
    limiter,
    addressOf,
    checkSender,
    refusals,
    accepted,
    login: authenticator && createLogin(authenticator, { addressOf, refusals, accepted }),
    recheck(request) {
      if (authenticator === undefined) return ANONYMOUS;
      const who = authenticator.authenticate(request);
      return isThenable(who) ? Promise.resolve(who).then(toCaller) : toCaller(who);
    },
  };
}

function toCaller(who: Exclude<Awaited<LoginOutcome>, { readonly status: 429 }>): Caller | undefined {
  return 'status' in who ? undefined : who;
}

function fromToken(token: string | false): Authenticator | undefined {
  if (token === false) return undefined;
  if (typeof token !== 'string' || token.length < LEAST_TOKEN_LENGTH) {
    const length = typeof token === 'string' ? `has ${token.length} characters` : 'is no text';
    const message = `The token ${length}, which can be guessed; ${LEAST_TOKEN_LENGTH} is the least. Make one with: pegboard serve --new-token`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  return createTokenAuthenticator([{ name: 'token', hash: hashToken(token), access: { key: '', allows: () => true } }]);
}
