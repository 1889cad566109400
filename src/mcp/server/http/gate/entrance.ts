import type { IncomingMessage, ServerResponse } from 'node:http';
import { isThenable } from '../../../../tool/is-thenable.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import { readBearer } from '../../auth/read-bearer.ts';
import { ANONYMOUS, type Caller } from '../../caller.ts';
import { type HttpOptions, isLoopback } from '../http-options.ts';
import { LOGIN_PATH } from '../login/login-paths.ts';
import { type ExtraHeaders, respondError } from '../respond.ts';
import type { Visit } from '../session-endpoint.ts';
import { createGate, type Gate } from './gate.ts';
import type { LoginOutcome } from './login.ts';

/** The parts of a server that its entrance uses. */
interface EntranceServices {
  /** Returns the origin on which the server listens. */
  readonly origin: () => string;
  /** Counts a refused request. */
  onRefuse(status: number): void;
}

/** Finds out who sends a request, and lets it in or answers it with the reason why not. */
export class Entrance {
  readonly #services: EntranceServices;
  /** The address on which the server listens, whatever later options say. */
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

  /** Applies other options and returns true when callers have to be checked again. Throws for invalid ones, and changes nothing. */
  update(options: HttpOptions): boolean {
    const { authenticator } = this.#gate;
    this.#gate = createGate({ ...options, host: this.#host }, this.#gate);
    this.#options = options;
    return this.#gate.authenticator !== authenticator;
  }

  /** The address at which browsers reach the server; `undefined` when it is not known. */
  get publicUrl(): string | undefined {
    const own = isLoopback(this.#host) ? this.#services.origin() : undefined;
    return this.#options.publicUrl?.replace(/\/+$/, '') ?? own;
  }

  /** Calls `enter` with the sender of a request, or answers the request with the reason of its refusal. */
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
      // Settings that changed while the token was checked decide.
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
    // A client that hangs up while its call continues has not made room for another.
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
