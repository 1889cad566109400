import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createToken,
  createTokenAuthenticator,
  hashToken,
  LEAST_TOKEN_LENGTH,
  readBearer,
} from '../../auth/token-authenticator.ts';
import { ANONYMOUS, type Caller } from '../../caller.ts';
import { createSenderCheck } from './check-sender.ts';
import { type ClientAddress, createClientAddress } from './client-address.ts';
import { ClientLimiter } from './client-limiter.ts';
import { createLogin, type LoginOutcome, RefusalCount } from './login.ts';
import { type Authenticator, type HttpOptions, isLoopback } from '../http-options.ts';
import { type ExtraHeaders, respondError } from '../respond.ts';
import type { Visit } from '../session-endpoint.ts';
import { isThenable } from '../../../../tool/is-thenable.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import { ToolError } from '../../../../tool/tool-error.ts';

interface EntranceServices {
  readonly origin: () => string;
  onRefuse(status: number): void;
}

/** Authenticates requests: admits them, or answers them with the reason of the refusal. */
export class Entrance {
  readonly #services: EntranceServices;
  /** The address on which the server listens; later options do not change it. */
  readonly #host: string;
  #options: HttpOptions;
  #gate: Gate;
  #lastFailure: string | undefined;

  constructor(options: HttpOptions, services: EntranceServices) {
    this.#services = services;
    this.#host = options.host ?? '127.0.0.1';
    this.#options = options;
    this.#gate = createGate(options);
  }

  get gate(): Gate {
    return this.#gate;
  }

  /** Applies other options and returns true when callers have to be checked again. Throws for invalid ones and then changes nothing. */
  update(options: HttpOptions): boolean {
    const { authenticator } = this.#gate;
    this.#gate = createGate({ ...options, host: this.#host }, this.#gate);
    this.#options = options;
    return this.#gate.authenticator !== authenticator;
  }

  /** The address for browsers; `undefined` if it is unknown. */
  get publicUrl(): string | undefined {
    const own = isLoopback(this.#host) ? this.#services.origin() : undefined;
    return this.#options.publicUrl?.replace(/\/+$/, '') ?? own;
  }

  /** Calls `enter` with the sender of a request, or answers the request with a refusal. */
  identify(request: IncomingMessage, response: ServerResponse, enter: (caller: Caller) => void): void {
    const gate = this.#gate;
    if (gate.login === undefined) return enter(this.#introduce(ANONYMOUS, request));
    const who = gate.login(request);
    const admit = (known: LoginOutcome): void => {
      if ('status' in known) this.#refuse(response, known);
      else enter(this.#introduce(known, request));
    };
    if (!isThenable(who)) return admit(who);
    Promise.resolve(who).then(
      // Settings that changed meanwhile decide.
      (known) => (this.#gate === gate ? admit(known) : this.identify(request, response, enter)),
      (error: unknown) => {
        this.#logFailure(messageOf(error));
        respondError(response, 503, { message: 'The token could not be checked. Try again later.' });
      },
    );
  }

  /** Counts a request against its sender's limits and returns it as a visit; answers it with 429 when it is over a limit. */
  begin(request: IncomingMessage, response: ServerResponse, caller: Caller): Visit | undefined {
    const gate = this.#gate;
    const owner = caller.id === '' ? `address:${gate.addressOf(request)}` : caller.id;
    const visit = {
      request,
      response,
      caller,
      owner,
      recheck: () => this.#recheck(request),
      isCurrent: () => this.#gate === gate,
    };
    if (!gate.limiter.isActive) return visit;
    const turn = gate.limiter.start(owner);
    if (!turn.ok) {
      const message = `Too many requests. Try again in ${turn.retryAfter} s.`;
      this.#refuse(response, { status: 429, retryAfter: turn.retryAfter, message });
      return undefined;
    }
    // A client that hangs up while its call continues does not free its place.
    let users = 1;
    const release = (): void => {
      if (--users === 0) turn.end();
    };
    response.once('close', release);
    return { ...visit, hold: () => (users++, release) };
  }

  #refuse(response: ServerResponse, refusal: Exclude<LoginOutcome, Caller>): void {
    this.#services.onRefuse(refusal.status);
    const headers: ExtraHeaders =
      refusal.status === 429
        ? { 'retry-after': String(refusal.retryAfter) }
        : { 'www-authenticate': refusal.wwwAuthenticate };
    respondError(response, refusal.status, { message: refusal.message, headers });
  }

  /** Adds the address of the login pages and the token of the request to a caller, for its calls. */
  #introduce(caller: Caller, request: IncomingMessage): Caller {
    const { publicUrl } = this;
    const token = caller.user?.startsWith('oauth:') === true ? readBearer(request) : undefined;
    return {
      ...caller,
      ...(publicUrl === undefined ? {} : { loginPages: publicUrl + LOGIN_PATH }),
      ...(token === undefined ? {} : { subjectToken: () => token }),
    };
  }

  #recheck(request: IncomingMessage): Caller | undefined | Promise<Caller | undefined> {
    const now = this.#gate.recheck(request);
    const again = (found: Caller | undefined): Caller | undefined => found && this.#introduce(found, request);
    return isThenable(now) ? Promise.resolve(now).then(again) : again(now);
  }

  #logFailure(reason: string): void {
    // Once, however many tokens arrive meanwhile.
    if (reason !== this.#lastFailure) this.#options.log?.(`tokens cannot be checked: ${reason}`);
    this.#lastFailure = reason;
  }
}

/** Decides about access and rates before a request reaches the protocol. */
export interface Gate {
  readonly authenticator: Authenticator | undefined;
  /** The generated token, which only the code that started the server knows. */
  readonly token: string | undefined;
  readonly metricsOpen: boolean;
  readonly limiter: ClientLimiter;
  readonly addressOf: ClientAddress;
  checkSender(request: IncomingMessage): string | undefined;
  /** Authenticates a request; `undefined` if no token is needed. */
  readonly login: ((request: IncomingMessage) => LoginOutcome | Promise<LoginOutcome>) | undefined;
  /** Checks the sender of an admitted request again; `undefined` if it has lost its access. */
  recheck(request: IncomingMessage): Caller | undefined | Promise<Caller | undefined>;
  readonly refusals: RefusalCount;
  readonly accepted: Set<string>;
}

const WRONG_TOKENS = 20;
const REMOTE_LIMITS = { rate: 100, concurrency: 64 } as const;

/**
 * Creates the gate of a server; `before` keeps its counts.
 *
 * Throws if other machines could reach the server without a token, or if an option is invalid.
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

/** The path of the pages on which users log in to other servers. */
export const LOGIN_PATH = '/login';

export function isLoginPath(pathname: string): boolean {
  return pathname.startsWith(`${LOGIN_PATH}/`);
}
