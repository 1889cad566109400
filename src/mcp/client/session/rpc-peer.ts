import type { ClientRoot } from '../../../tool/calls/call-owner.ts';
import type { CancelSignal } from '../../../tool/calls/cancellation.ts';
import type { ElicitRequest, ElicitResult } from '../../../tool/calls/elicitation.ts';
import { FewMap } from '../../protocol/few-map.ts';
import { ERROR_CODES, type JsonRpcError, type JsonRpcId } from '../../protocol/json-rpc.ts';
import {
  isObject,
  type JsonObject,
  type OutgoingRequest,
  readRpcError,
  type RequestHeaders,
  type Transport,
  type TransportFailure,
} from '../transports/transport.ts';

export type RpcOutcome =
  | { readonly type: 'result'; readonly result: JsonObject }
  | { readonly type: 'error'; readonly error: JsonRpcError }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/** Listeners and answers of the caller of a request. */
export interface RequestListener {
  onProgress?(done: number, total: number | undefined, message: string | undefined): void;
  onLog?(level: string, message: string): void;
  elicit?: ((request: ElicitRequest) => Promise<ElicitResult>) | undefined;
  /** The person who answers questions: the same object for all calls of one client; `undefined` if no person can be asked. */
  readonly answerer?: object | undefined;
  /** Uses the model of the caller's client, if the server may. */
  sample?: ((params: JsonObject) => Promise<JsonObject>) | undefined;
  /** The log level that the caller wants. */
  readonly logLevel?: string | undefined;
  /** Lists the folders of the caller's client, if the server may have them. */
  roots?: (() => Promise<readonly ClientRoot[]>) | undefined;
}

export interface ServerRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The call that it concerns, if the server names it. */
  readonly about: { readonly listener: RequestListener | undefined } | undefined;
}

export interface RequestOptions {
  readonly signal?: CancelSignal | undefined;
  readonly headers?: RequestHeaders | undefined;
  readonly listener?: RequestListener | undefined;
}

/** Handlers of messages that a server sends by itself. */
export interface PeerHandlers {
  onNotification(method: string, params: JsonObject, listener: RequestListener | undefined): void;
  onRequest(request: ServerRequest): Promise<PeerAnswer>;
  /** Called for invalid messages, and for answers to no request. */
  onNoise(size: number): void;
}

/** The board's answer to a server's request. */
export type PeerAnswer =
  | { readonly type: 'result'; readonly result: JsonObject }
  | { readonly type: 'error'; readonly code: number; readonly message: string };

interface Pending {
  readonly request: OutgoingRequest;
  readonly listener: RequestListener | undefined;
  readonly settle: (outcome: RpcOutcome) => void;
}

/** Open requests of a server; more if more calls are running. */
const MAX_SERVER_REQUESTS = 64;
const NOISE_SIZE = 200;
const NO_RESULT = 'its result is no object';
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** JSON-RPC with one server: numbers requests, matches answers, dispatches messages that the server sends by itself. */
export class RpcPeer {
  readonly #transport: Transport;
  readonly #handlers: PeerHandlers;
  readonly #pending = new FewMap<Pending>();
  readonly #listeners = new Set<(method: string, params: JsonObject) => void>();
  #lastId = 0;
  #serverRequests = 0;
  #closed: TransportFailure | undefined;

  constructor(transport: Transport, handlers: PeerHandlers) {
    this.#transport = transport;
    this.#handlers = handlers;
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  /** Sends a request. Rejects only with the reason of its signal. */
  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<RpcOutcome> {
    const { signal, headers, listener } = options;
    if (this.#closed !== undefined) return Promise.resolve({ type: 'failed', failure: this.#closed });
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
    const request = { jsonrpc: '2.0', id: ++this.#lastId, method, params } as const;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#pending.delete(request.id);
        this.#transport.cancel(request, 'The caller gave up.');
        reject(reasonOf(signal));
      };
      const settle = (outcome: RpcOutcome): void => {
        signal?.removeEventListener('abort', cancel);
        resolve(outcome);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#pending.add(request.id, { request, listener, settle });
      this.#transport.send(request, headers);
    });
  }

  notify(method: string, params?: JsonObject): void {
    if (this.#closed === undefined) this.#transport.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Calls `listener` with every notification until the returned function is called. */
  listen(listener: (method: string, params: JsonObject) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Handles a received message. */
  receive(message: JsonObject, origin: number | undefined): void {
    const { id, method } = message;
    if (typeof method === 'string') {
      const params = isObject(message['params']) ? message['params'] : {};
      if (typeof id === 'string' || typeof id === 'number')
        void this.#answer(id, { method, params, about: this.#callOf(params, origin) });
      else this.#notice(method, params, this.#listenerFor(origin));
      return;
    }
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending === undefined) {
      // A second answer, a wrong id, or an answer to a cancelled request.
      this.#handlers.onNoise(NOISE_SIZE);
      return;
    }
    this.#pending.delete(pending.request.id);
    if (isObject(message['result'])) pending.settle({ type: 'result', result: message['result'] });
    else if ('error' in message) pending.settle({ type: 'error', error: readRpcError(message['error']) });
    else pending.settle({ type: 'error', error: { code: ERROR_CODES.invalidRequest, message: NO_RESULT } });
  }

  fail(id: number, failure: TransportFailure): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.settle({ type: 'failed', failure });
  }

  close(failure: TransportFailure): void {
    this.#closed ??= failure;
    for (const { request, settle } of this.#pending.values()) {
      this.#pending.delete(request.id);
      settle({ type: 'failed', failure });
    }
  }

  #notice(method: string, params: JsonObject, listener: RequestListener | undefined): void {
    for (const listener of this.#listeners) listener(method, params);
    if (method !== 'notifications/progress') return this.#handlers.onNotification(method, params, listener);
    const { progressToken, progress, total, message } = params;
    const waiting = typeof progressToken === 'number' ? this.#pending.get(progressToken) : undefined;
    if (typeof progress !== 'number') return;
    waiting?.listener?.onProgress?.(
      progress,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    );
  }

  async #answer(id: JsonRpcId, request: ServerRequest): Promise<void> {
    if (this.#serverRequests >= Math.max(MAX_SERVER_REQUESTS, this.#pending.size)) {
      const message = `${this.#serverRequests} requests wait for an answer already.`;
      this.#transport.send({ jsonrpc: '2.0', id, error: { code: -32000, message } });
      return;
    }
    this.#serverRequests++;
    const answer = await this.#handlers.onRequest(request).finally(() => this.#serverRequests--);
    if (this.#closed !== undefined) return;
    if (answer.type === 'result') this.#transport.send({ jsonrpc: '2.0', id, result: answer.result });
    else this.#transport.send({ jsonrpc: '2.0', id, error: { code: answer.code, message: answer.message } });
  }

  /** Finds the call that a request concerns: by its stream, or by the task that it names. */
  #callOf({ _meta: meta }: JsonObject, origin: number | undefined): ServerRequest['about'] {
    const related = isObject(meta) ? meta[RELATED_TASK] : undefined;
    const taskId = isObject(related) ? related['taskId'] : undefined;
    if (origin !== undefined) return { listener: this.#pending.get(origin)?.listener };
    if (typeof taskId !== 'string') return undefined;
    return this.#pending
      .values()
      .find(({ request: { method, params } }) => method === 'tasks/result' && params?.['taskId'] === taskId);
  }

  /** Finds the call that a message concerns: by its stream, or because there is only one. */
  #listenerFor(origin: number | undefined): RequestListener | undefined {
    if (origin !== undefined) return this.#pending.get(origin)?.listener;
    const listeners = this.#pending.values().flatMap(({ listener }) => listener ?? []);
    return listeners.length === 1 ? listeners[0] : undefined;
  }
}

function reasonOf(signal: CancelSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('The request was cancelled.', { cause: reason });
}
