import { Cancellation, type CancelSignal } from '../../tool/calls/cancellation.ts';
import type { ClientApp, ClientRoot } from '../../tool/calls/call-owner.ts';
import { FewMap } from '../protocol/few-map.ts';
import {
  formatError,
  formatNotification,
  formatRequest,
  type IncomingMessage,
  type JsonRpcError,
  type JsonRpcId,
  type JsonRpcParams,
  RequestError,
} from '../protocol/json-rpc.ts';
import type { Caller } from './caller.ts';
import type { Era, LogLevel } from '../protocol/mcp-names.ts';

/** The capabilities that a client declares in its handshake. */
export type ClientCapabilities = Readonly<Record<string, unknown>>;

/** A request in progress. */
export interface RunningRequest {
  readonly cancellation: Cancellation;
  /** Answers it at once if its work is still running. */
  waiting?: { fail(error: RequestError): void };
}

/** The folders of a client. */
export interface KeptRoots {
  /** True when the client announces changes; otherwise it is asked each time. */
  announcesChanges: boolean;
  /** The number of changes. */
  version: number;
  list: readonly ClientRoot[] | undefined;
}

/** An error as the answer to a request; its code decides the HTTP status. */
export class Failure {
  readonly code: number;
  readonly text: string;
  /** True when the request was refused before its method was read. */
  readonly isEarly: boolean;

  constructor(id: JsonRpcId | undefined, error: JsonRpcError, isEarly = false) {
    this.code = error.code;
    this.text = formatError(id, error);
    this.isEarly = isEarly;
  }
}

/** The reply to a message: an answer, an error, or nothing. */
export type Reply = string | Failure | undefined;

/** The way back for messages about a message of the client. */
export interface Exchange {
  /** The era, if the transport knows it. */
  readonly era?: Era;
  send(text: string): void;
}

/** The server of a connection. */
export interface ConnectionServer {
  /** Handles a message and returns the answer, without a promise if possible. Never throws. */
  handle(message: IncomingMessage, connection: Connection, exchange: Exchange): Reply | Promise<Reply>;
  /** Removes a closed connection. */
  forget(connection: Connection): void;
}

/** The client of a connection. */
export interface ConnectionOptions {
  /** The client, with its rights. */
  readonly caller: Caller;
  /** Default: a new one. */
  readonly sessionId?: string | undefined;
  /** True when this connection is the whole session. Default: true without a `sessionId`. */
  readonly isWhole?: boolean;
}

const REVOKED = 'The client may not answer any more: its token was revoked.';

interface Question {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

let questionCount = 0;
let connectionCount = 0;

/**
 * One client: a process at the other end of a byte stream, a session over HTTP, or a single stateless request.
 *
 * A transport drives it: it passes each message to `handle`, sends the reply, sets `notify` while the client listens, and calls `close`
 * when the client is gone.
 */
export class Connection {
  /** The sender, with the rights of its latest request: running calls keep the rights with which they started. */
  caller: Caller;
  /** Checks the caller again after the settings changed; `undefined` if it has lost its access. */
  recheck: (() => Caller | undefined | Promise<Caller | undefined>) | undefined;
  /** Called when the caller has lost its access. */
  onRevoked: (() => void) | undefined;
  /** Distinguishes clients, for data that is kept between calls. Not a secret: it grants nothing. */
  readonly sessionId: string;
  /** The agreed revision; `undefined` before the handshake and for stateless requests. */
  version: string | undefined;
  capabilities: ClientCapabilities = {};
  /** The client's name and version, from the handshake. */
  app: ClientApp | undefined;
  /** The client's folders, once requested. */
  readonly roots: KeptRoots = { announcesChanges: false, version: 0, list: undefined };
  logLevel: LogLevel | undefined;
  /** Sends a message outside of requests; `undefined` while the client does not listen. */
  notify: ((text: string) => void) | undefined;
  /** Sends a message outside of requests through the process of the board at which the client listens. */
  forward: ((text: string) => void) | undefined;
  /** Part of the ids of questions: the process that asked. */
  questionMark = '';
  /** Ids of requests that a process which is gone may have run: only what is safe to repeat runs again. */
  repeated: ReadonlySet<JsonRpcId> | undefined;
  /** Resources that the client has subscribed to. */
  readonly subscribed: Set<string> = new Set();
  /** Ends subscriptions at other servers. */
  #unsubscribe: Map<string, () => void> | undefined;
  #running: FewMap<RunningRequest> | undefined;
  #questions: Map<JsonRpcId, Question> | undefined;
  readonly #server: ConnectionServer;
  readonly #ending: AbortController | undefined;
  #isClosed = false;
  #isRevoked = false;

  constructor(server: ConnectionServer, { caller, sessionId, isWhole = sessionId === undefined }: ConnectionOptions) {
    this.#server = server;
    this.caller = caller;
    this.sessionId = sessionId ?? `mcp-${++connectionCount}`;
    this.#ending = isWhole ? new AbortController() : undefined;
  }

  /** Handles a message of the client and returns the answer, without a promise if possible. Never throws. */
  handle(message: IncomingMessage, exchange: Exchange): Reply | Promise<Reply> {
    return this.#server.handle(message, this, exchange);
  }

  /** Sends a message outside of requests, here or through the process at which the client listens. */
  deliver(text: string): void {
    if (this.notify === undefined) this.forward?.(text);
    else this.notify(text);
  }

  /** Returns true when a request with this id is in progress here. */
  isRunning(id: JsonRpcId): boolean {
    return this.#running?.get(id) !== undefined;
  }

  /** Aborts at the end of the session; `undefined` if other connections share it. */
  get ended(): AbortSignal | undefined {
    return this.#ending?.signal;
  }

  /** Registers a request; `undefined` if its id is in use. */
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

  cancel(id: JsonRpcId, reason: string): void {
    this.#running?.get(id)?.cancellation.abort(new Error(reason));
  }

  /** Stores the function that ends a subscription; calls it at once if the client is gone or has unsubscribed. */
  onUnsubscribe(uri: string, stop: () => void): void {
    if (this.#isClosed || !this.subscribed.has(uri)) return stop();
    (this.#unsubscribe ??= new Map()).set(uri, stop);
  }

  unsubscribe(uri: string): void {
    this.subscribed.delete(uri);
    this.#unsubscribe?.get(uri)?.();
    this.#unsubscribe?.delete(uri);
  }

  get running(): number {
    return this.#running?.size ?? 0;
  }

  /** Sends a request to the client and returns its answer. */
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
        // The client can stop asking its user.
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

  /** Handles the client's answer to a request of the server. */
  answer(id: JsonRpcId | undefined, outcome: { readonly result: unknown } | { readonly error: JsonRpcError }): void {
    const question = id === undefined ? undefined : this.#questions?.get(id);
    if ('result' in outcome) question?.resolve(outcome.result);
    else question?.reject(new Error(`The client answered with an error: ${outcome.error.message}`));
  }

  /** True when the caller has lost its access. */
  get isRevoked(): boolean {
    return this.#isRevoked;
  }

  /** Ends the caller's access. Running calls finish, but their questions are not answered. */
  revoke(): void {
    if (this.#isRevoked) return;
    this.#isRevoked = true;
    this.notify = undefined;
    for (const uri of this.#unsubscribe?.keys() ?? []) this.unsubscribe(uri);
    this.#rejectQuestions(REVOKED);
    this.onRevoked?.();
  }

  /**
   * Ends everything in progress.
   *
   * With a `RequestError`, each request is answered with it: the server ended it, and its client still waits.
   */
  close(given?: Error): void {
    this.#server.forget(this);
    this.#isClosed = true;
    this.notify = undefined;
    this.#ending?.abort();
    for (const uri of this.#unsubscribe?.keys() ?? []) this.unsubscribe(uri);
    // Creating an error is costly, and most stateless requests end with nothing in progress.
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
