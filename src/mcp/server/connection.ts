import { Cancellation, type CancelSignal } from '../../tool/calls/cancellation.ts';
import type { ClientApp, ClientRoot } from '../../tool/calls/call-owner.ts';
import { FewMap } from '../protocol/few-map.ts';
import {
  formatNotification,
  formatRequest,
  type JsonRpcError,
  type JsonRpcId,
  type JsonRpcParams,
  RequestError,
} from '../protocol/json-rpc.ts';
import type { Caller } from './caller.ts';
import type { LogLevel } from '../protocol/mcp-names.ts';

/** The capabilities that a client declares. */
export type ClientCapabilities = Readonly<Record<string, unknown>>;

/** A request under way. */
export interface RunningRequest {
  readonly cancellation: Cancellation;
  /** Answers it at once, where its work is waited for. */
  waiting?: { fail(error: RequestError): void };
}

/** The folders of a client, between its calls. */
export interface KeptRoots {
  /** True when the client announces changes; otherwise it is asked each time. */
  isTold: boolean;
  /** Number of changes so far. */
  version: number;
  list: readonly ClientRoot[] | undefined;
}

const REVOKED = 'The client may not answer any more: its token was revoked.';

interface Question {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

let questionCount = 0;
let connectionCount = 0;

/**
 * One client: a process on the other end of stdio, a session over HTTP, or a single stateless request.
 *
 * Holds what the handshake settled, and the requests and questions under way.
 */
export class Connection {
  /** The sender of requests, with the rights of the latest one: a call keeps those that it started with. */
  caller: Caller;
  /** Checks the caller again, after the settings changed; `undefined` when it has no access any more. */
  recheck: (() => Caller | undefined | Promise<Caller | undefined>) | undefined;
  /** Called when the caller has lost its access. */
  onRevoked: (() => void) | undefined;
  /** Tells clients apart, for what is remembered from one call to the next. No secret: nothing is granted by it. */
  readonly sessionId: string;
  /** The revision that was agreed on; none before the handshake, and never for stateless requests. */
  version: string | undefined;
  capabilities: ClientCapabilities = {};
  /** The client's own name and version, from the handshake. */
  app: ClientApp | undefined;
  /** The folders that the client shows, once it was asked. */
  readonly roots: KeptRoots = { isTold: false, version: 0, list: undefined };
  logLevel: LogLevel | undefined;
  /** Sends what belongs to no request; `undefined` while the client does not listen. */
  notify: ((text: string) => void) | undefined;
  /** Sends what belongs to no request to the client where it listens at another process of the board. */
  forward: ((text: string) => void) | undefined;
  /** Stands in the ids of questions: which process asked. */
  questionMark = '';
  /** Resources whose changes the client wants to hear of. */
  readonly subscribed: Set<string> = new Set();
  /** Functions that end each subscription at other servers. */
  #unsubscribe: Map<string, () => void> | undefined;
  #running: FewMap<RunningRequest> | undefined;
  #questions: Map<JsonRpcId, Question> | undefined;
  readonly #ending: AbortController | undefined;
  #isClosed = false;
  #isRevoked = false;

  /** Without a `sessionId` it is a session of its own, and so it is with one that no other connection has: `isWhole`. */
  constructor(caller: Caller, sessionId?: string, isWhole: boolean = sessionId === undefined) {
    this.caller = caller;
    this.sessionId = sessionId ?? `mcp-${++connectionCount}`;
    this.#ending = isWhole ? new AbortController() : undefined;
  }

  /** Sends what belongs to no request to the client, at this process or the one where it listens. */
  tell(text: string): void {
    if (this.notify === undefined) this.forward?.(text);
    else this.notify(text);
  }

  /** Returns true when a request with this id is in progress here. */
  isRunning(id: JsonRpcId): boolean {
    return this.#running?.get(id) !== undefined;
  }

  /** Aborts when the session is over; `undefined` where other connections belong to it too. */
  get ended(): AbortSignal | undefined {
    return this.#ending?.signal;
  }

  /** Notes that a request is under way; `undefined` when its id is in use. */
  begin(id: JsonRpcId): RunningRequest | undefined {
    this.#running ??= new FewMap();
    if (this.#running.get(id) !== undefined) return undefined;
    const running: RunningRequest = { cancellation: new Cancellation() };
    this.#running.add(id, running);
    if (this.#isClosed) running.cancellation.abort(new Error('The client is gone.'));
    return running;
  }

  end(id: JsonRpcId): void {
    this.#running?.delete(id);
  }

  /** Ends a request that is under way; does nothing about others. */
  cancel(id: JsonRpcId, reason: string): void {
    this.#running?.get(id)?.cancellation.abort(new Error(reason));
  }

  /** Takes what ends a subscription; at once where the client has gone or does not want it any more. */
  onUnsubscribe(uri: string, stop: () => void): void {
    if (this.#isClosed || !this.subscribed.has(uri)) return stop();
    (this.#unsubscribe ??= new Map()).set(uri, stop);
  }

  /** Ends a subscription. */
  unsubscribe(uri: string): void {
    this.subscribed.delete(uri);
    this.#unsubscribe?.get(uri)?.();
    this.#unsubscribe?.delete(uri);
  }

  /** Number of requests in progress. */
  get running(): number {
    return this.#running?.size ?? 0;
  }

  /** Sends a request of ours and gives the client's answer. */
  ask(
    send: (text: string) => void,
    question: { readonly method: string; readonly params: JsonRpcParams },
    signal: CancelSignal,
  ): Promise<unknown> {
    this.#questions ??= new Map();
    const questions = this.#questions;
    const id = `pegboard-${this.questionMark}${++questionCount}`;
    return new Promise<unknown>((resolve, reject) => {
      const stop = (): void => {
        // The client need not go on asking its user.
        questions.delete(id);
        send(formatNotification('notifications/cancelled', { requestId: id, reason: 'The call is over.' }));
        reject(new Error('The call ended before the client answered.'));
      };
      if (signal.aborted || this.#isRevoked) {
        reject(new Error(signal.aborted ? 'The call ended before the client was asked.' : REVOKED));
        return;
      }
      signal.addEventListener('abort', stop, { once: true });
      const done = (): void => {
        questions.delete(id);
        signal.removeEventListener('abort', stop);
      };
      questions.set(id, { resolve: (answer) => (done(), resolve(answer)), reject: (error) => (done(), reject(error)) });
      send(formatRequest(id, question.method, question.params));
    });
  }

  /** Takes the client's answer to a question of the server; answers to no question are ignored. */
  answer(id: JsonRpcId | undefined, outcome: { readonly result: unknown } | { readonly error: JsonRpcError }): void {
    const question = id === undefined ? undefined : this.#questions?.get(id);
    if ('result' in outcome) question?.resolve(outcome.result);
    else question?.reject(new Error(`The client answered with an error: ${outcome.error.message}`));
  }

  /** True when the caller has lost its access. */
  get isRevoked(): boolean {
    return this.#isRevoked;
  }

  /** Takes the caller's access away. Running calls end as they started, and their questions are not answered. */
  revoke(): void {
    if (this.#isRevoked) return;
    this.#isRevoked = true;
    this.notify = undefined;
    for (const uri of this.#unsubscribe?.keys() ?? []) this.unsubscribe(uri);
    this.#rejectQuestions(REVOKED);
    this.onRevoked?.();
  }

  /**
   * Ends everything that is under way.
   *
   * With a `RequestError` each request is answered with it: the server ended it, so its client still waits.
   */
  close(given?: Error): void {
    this.#isClosed = true;
    this.notify = undefined;
    this.#ending?.abort();
    for (const uri of this.#unsubscribe?.keys() ?? []) this.unsubscribe(uri);
    // An error is costly to make, and most stateless requests end with nothing under way.
    if (this.running === 0 && this.#questions === undefined) return;
    const reason = given ?? new Error('The client is gone.');
    for (const running of this.#running?.values() ?? []) {
      running.cancellation.abort(reason);
      if (reason instanceof RequestError) running.waiting?.fail(reason);
    }
    this.#rejectQuestions(reason.message);
  }

  #rejectQuestions(reason: string): void {
    for (const question of this.#questions?.values() ?? []) question.reject(new Error(reason));
  }
}
