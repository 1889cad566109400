import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { type HttpAnswer, explainError, readAnswer } from './http-answer.ts';
import { encodeHeaderValue } from './header-values.ts';
import { type HttpTarget, Unauthorized, discard, exchange } from './http-target.ts';
import { type ReadOptions, type StreamEnd, readEventStream } from './read-event-stream.ts';
import {
  type Agreement,
  cancellation,
  isObject,
  type JsonObject,
  type OutgoingMessage,
  type OutgoingRequest,
  type RequestHeaders,
  type Transport,
  type TransportHandlers,
} from './transport.ts';

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const DEFAULT_RETRY = 1000;
const MAX_RETRY = 30_000;
const MAX_RESUMES = 20;

/** Talks to a server over streamable HTTP: each message a POST, each answer JSON or a stream of events. */
export class HttpTransport implements Transport {
  readonly kind = 'http';
  readonly #target: HttpTarget;
  readonly #handlers: TransportHandlers;
  readonly #open = new Map<number, AbortController>();
  readonly #closing = new AbortController();
  /** Ends the stream of messages that the server sends by itself. */
  readonly #deaf = new AbortController();
  #agreed: Agreement | undefined;
  #session: string | undefined;
  #isLost = false;

  constructor(target: HttpTarget, handlers: TransportHandlers) {
    this.#target = target;
    this.#handlers = handlers;
  }

  send(message: OutgoingMessage, headers: RequestHeaders = {}): void {
    if ('method' in message && 'id' in message) void this.#request(message, headers);
    // The protocol does not confirm notifications and answers.
    else void this.#post(message, headers, this.#closing.signal).then(discard, () => {});
  }

  cancel(request: OutgoingRequest, reason: string): void {
    this.#open.get(request.id)?.abort();
    this.#open.delete(request.id);
    // For stateless servers, closing the stream cancels the request.
    if (this.#agreed?.era === 'legacy') this.send(cancellation(request, reason));
  }

  agree(agreement: Agreement): void {
    this.#agreed = agreement;
    // Changed lists and questions outside of calls arrive here.
    if (agreement.era === 'legacy') void this.#listen();
  }

  async close(): Promise<void> {
    this.#deaf.abort();
    // Other requests of a lost session are still open: the server refuses or answers each.
    if (this.#isLost && this.#open.size > 0) return;
    if (this.#session !== undefined && !this.#isLost) await this.#endSession();
    this.#closing.abort();
    this.#open.clear();
  }

  async #request(message: OutgoingRequest, headers: RequestHeaders): Promise<void> {
    const { id } = message;
    const controller = new AbortController();
    this.#open.set(id, controller);
    const signal = AbortSignal.any([controller.signal, this.#closing.signal]);
    try {
      const answer = await this.#read(await this.#post(message, headers, signal));
      if (message.method === 'initialize' && answer.session !== undefined) this.#session = answer.session;
      if (answer.type === 'stream') await this.#follow(id, answer, signal);
      else this.#settle(id, answer);
    } catch (error) {
      const failure = error instanceof Unauthorized ? error.failure : explainError(error, this.#target.url);
      if (!controller.signal.aborted) this.#handlers.onFailure(id, failure);
    } finally {
      this.#open.delete(id);
    }
  }

  #settle(id: number, answer: Exclude<HttpAnswer, { readonly type: 'stream' }>): void {
    if (answer.type === 'message') {
      // Some servers omit the id of an error; the answer to a POST can only concern its request.
      const message = answer.message['id'] === id ? answer.message : { ...answer.message, id };
      this.#handlers.onMessage(message, id);
      return;
    }
    if (answer.failure.kind === 'session-expired') this.#lose();
    this.#handlers.onFailure(id, answer.failure);
  }

  #lose(): void {
    this.#isLost = true;
    this.#deaf.abort();
    this.#handlers.onSessionLost();
  }

  /** Reads the stream of one request and resumes it after an interruption, if the revision allows that. */
  async #follow(id: number, first: HttpAnswer & { readonly type: 'stream' }, signal: AbortSignal): Promise<void> {
    let body: AsyncIterable<unknown> | undefined = first.body;
    let last: string | undefined;
    let retry = DEFAULT_RETRY;
    for (let resumes = 0; ; resumes++) {
      if (body !== undefined) {
        const onRetry = (milliseconds: number): number => (retry = milliseconds);
        const seen = await this.#readStream(body, { id, lastEvent: last, onRetry });
        if (seen.isAnswered || signal.aborted) return;
        last = seen.lastEvent;
        if (seen.isTooLarge) throw new Error(`it sent an event of more than ${this.#target.maxFrame} bytes`);
      }
      const canResume = this.#agreed?.era === 'legacy' && last !== undefined && resumes < MAX_RESUMES;
      if (!canResume || last === undefined) throw new Error('its stream ended before the answer came');
      await wait(Math.min(retry, MAX_RETRY), undefined, { signal, ref: false });
      body = await this.#resumeStream(last, signal);
    }
  }

  /** Returns the rest of an interrupted stream; `undefined` while the server cannot be reached. */
  async #resumeStream(lastEvent: string, signal: AbortSignal): Promise<AsyncIterable<unknown> | undefined> {
    const answer = await this.#get(lastEvent, signal).catch((error: unknown) => {
      if (signal.aborted || error instanceof Unauthorized) throw error;
      return undefined;
    });
    if (answer === undefined || answer.type === 'stream') return answer?.body;
    if (answer.type === 'failed' && answer.failure.kind === 'session-expired') this.#lose();
    throw new Error('it did not take up the stream that broke off');
  }

  #readStream(
    body: AsyncIterable<unknown>,
    { id, lastEvent, onRetry }: Pick<ReadOptions, 'id' | 'lastEvent' | 'onRetry'>,
  ): Promise<StreamEnd> {
    const onMessage = (message: JsonObject): void => this.#handlers.onMessage(message, id);
    return readEventStream(body, { id, lastEvent, maxFrame: this.#target.maxFrame, onMessage, onRetry });
  }

  /** Receives messages that a server with a handshake sends by itself. A server without such a stream refuses the first request. */
  async #listen(): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, this.#deaf.signal]);
    let hasStream = false;
    let last: string | undefined;
    let retry = DEFAULT_RETRY;
    for (let failures = 0; !signal.aborted;) {
      try {
        const answer = await this.#get(last, signal);
        if (answer.type === 'stream') {
          hasStream = true;
          const onRetry = (milliseconds: number): number => (retry = milliseconds);
          const seen = await this.#readStream(answer.body, { id: undefined, lastEvent: last, onRetry });
          failures = seen.lastEvent === last ? failures + 1 : 0;
          last = seen.lastEvent;
        } else {
          if (!hasStream) return;
          if (answer.type === 'failed' && answer.failure.kind === 'session-expired') return this.#lose();
          // Missed events are lost; later ones are not.
          last = undefined;
          failures++;
        }
      } catch {
        failures++;
      }
      // A server that ends its stream at once must not be asked endlessly.
      const pause = Math.min(Math.max(retry, DEFAULT_RETRY) * (failures + 1), MAX_RETRY);
      await wait(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #get(lastEvent: string | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const headers = {
      ...this.#baseHeaders(),
      accept: 'text/event-stream',
      ...(lastEvent === undefined ? {} : { 'last-event-id': lastEvent }),
    };
    return this.#read(await exchange(this.#target, { method: 'GET', headers, signal }));
  }

  #read(response: Dispatcher.ResponseData): Promise<HttpAnswer> {
    return readAnswer(response, { maxFrame: this.#target.maxFrame, hasSession: this.#session !== undefined });
  }

  async #endSession(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(1000);
      discard(await exchange(this.#target, { method: 'DELETE', headers: this.#baseHeaders(), signal }));
    } catch {
      // The server removes the session by itself.
    }
  }

  #post(message: OutgoingMessage, headers: RequestHeaders, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const own = {
      ...this.#baseHeaders(),
      ...this.#standardHeaders(message),
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    return exchange(this.#target, { method: 'POST', headers: own, body: JSON.stringify(message), signal });
  }

  #baseHeaders(): Record<string, string> {
    return {
      ...this.#target.headers,
      ...(this.#agreed === undefined ? {} : { 'mcp-protocol-version': this.#agreed.version }),
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
    };
  }

  /** Returns the headers that the stateless revision requires. */
  #standardHeaders(message: OutgoingMessage): Record<string, string> {
    if (!('method' in message)) return {};
    const { method, params } = message;
    const meta = isObject(params?.['_meta']) ? params['_meta'] : {};
    const version = meta['io.modelcontextprotocol/protocolVersion'];
    if (typeof version !== 'string') return {};
    const name = params?.[NAMED[method] ?? ''];
    return {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': encodeHeaderValue(name) } : {}),
    };
  }
}
