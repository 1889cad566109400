import type { Dispatcher } from 'undici';
import { explainError } from './explain-error.ts';
import { encodeHeaderValue } from './header-values.ts';
import { type HttpAnswer, readAnswer } from './http-answer.ts';
import { wait } from './wait.ts';
import { isObject, type OutgoingMessage, type OutgoingRequest } from './wire-message.ts';
import { parseFrame } from './parse-frame.ts';
import { createSseReader } from './sse-reader.ts';
import type { OAuthTokens } from './oauth/oauth-tokens.ts';
import { parseChallenge } from './oauth/parse-challenge.ts';
import type { Agreement, RequestHeaders, Transport, TransportFailure, TransportHandlers } from './transport.ts';

/** Where a server is, and what it is sent with every request. */
export interface HttpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What requests are sent with. */
  connect(): Promise<Dispatcher>;
  /** Where its tokens come from; none for a server that is sent an authorization of the config. */
  readonly tokens: OAuthTokens | undefined;
  readonly maxFrame: number;
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const DEFAULT_RETRY = 1000;
const MAX_RETRY = 30_000;
const MAX_RESUMES = 20;
/** A kept token, a renewed one, one with more rights: what is refused after that stays so. */
const MAX_RENEWALS = 3;

/** A refusal that no token helps against. */
class Unauthorized extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Talks to a server over streamable HTTP: each message a POST, each answer JSON or a stream of events. */
export class HttpTransport implements Transport {
  readonly kind = 'http';
  readonly #target: HttpTarget;
  readonly #handlers: TransportHandlers;
  readonly #open = new Map<number, AbortController>();
  readonly #closing = new AbortController();
  #agreed: Agreement | undefined;
  #session: string | undefined;

  constructor(target: HttpTarget, handlers: TransportHandlers) {
    this.#target = target;
    this.#handlers = handlers;
  }

  send(message: OutgoingMessage, headers: RequestHeaders = {}): void {
    if ('method' in message && 'id' in message) void this.#request(message, headers);
    // Whether a notification or an answer of ours arrived is not told to anybody.
    else void this.#post(message, headers, this.#closing.signal).then(discard, () => {});
  }

  cancel(request: OutgoingRequest, reason: string): void {
    this.#open.get(request.id)?.abort();
    this.#open.delete(request.id);
    // In the newer era the end of the stream says it all.
    if (this.#agreed?.era === 'legacy') {
      const params = { requestId: request.id, reason };
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
  }

  agree(agreement: Agreement): void {
    this.#agreed = agreement;
    // Changes of lists come here, and questions that a server asks outside of any call's stream.
    if (agreement.era === 'legacy') void this.#listen();
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session !== undefined) await this.#endSession();
    this.#closing.abort();
    this.#open.clear();
  }

  async #request(message: OutgoingRequest, headers: RequestHeaders): Promise<void> {
    const { id } = message;
    const controller = new AbortController();
    this.#open.set(id, controller);
    const signal = AbortSignal.any([controller.signal, this.#closing.signal]);
    try {
      const answer = await readAnswer(await this.#post(message, headers, signal), this.#target.maxFrame);
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
      // Some servers leave out the id of an error; the answer to a POST can be about nothing else.
      const message = answer.message['id'] === id ? answer.message : { ...answer.message, id };
      this.#handlers.onMessage(message, id);
      return;
    }
    const isExpired = answer.status === 404 && this.#session !== undefined;
    this.#handlers.onFailure(id, isExpired ? { ...answer.failure, kind: 'session-expired' } : answer.failure);
  }

  /** Reads the stream of one request, and goes on where it broke off, as the older era allows. */
  async #follow(id: number, first: HttpAnswer & { readonly type: 'stream' }, signal: AbortSignal): Promise<void> {
    let body = first.body;
    let last: string | undefined;
    let retry = DEFAULT_RETRY;
    for (let resumes = 0; ; resumes++) {
      const seen = await this.#readStream(body, id, (milliseconds) => (retry = milliseconds));
      if (seen.isAnswered || signal.aborted) return;
      last = seen.lastEvent ?? last;
      if (seen.isTooLarge) throw new Error(`it sent an event of more than ${this.#target.maxFrame} bytes`);
      const canResume = this.#agreed?.era === 'legacy' && last !== undefined && resumes < MAX_RESUMES;
      if (!canResume || last === undefined) throw new Error('its stream ended before the answer came');
      await wait(Math.min(retry, MAX_RETRY), signal);
      const answer = await this.#get(last, signal);
      if (answer.type !== 'stream') throw new Error('it did not take up the stream that broke off');
      body = answer.body;
    }
  }

  async #readStream(
    body: AsyncIterable<unknown>,
    id: number | undefined,
    onRetry: (milliseconds: number) => void,
  ): Promise<{ readonly isAnswered: boolean; readonly isTooLarge: boolean; readonly lastEvent: string | undefined }> {
    let isAnswered = false;
    let isTooLarge = false;
    let lastEvent: string | undefined;
    const read = createSseReader(this.#target.maxFrame, {
      onRetry,
      onTooLarge: () => (isTooLarge = true),
      onEvent: ({ event, data, id: eventId }) => {
        if (eventId !== undefined && eventId !== '') lastEvent = eventId;
        if (event !== 'message' || data === '') return;
        const message = parseFrame(data);
        if (!isObject(message)) return;
        if (message['id'] === id && !('method' in message)) isAnswered = true;
        this.#handlers.onMessage(message, id);
      },
    });
    try {
      for await (const chunk of body) {
        if (Buffer.isBuffer(chunk)) read(chunk);
        // The answer ends what we want to hear; a server that goes on is not listened to.
        if (isAnswered || isTooLarge) break;
      }
    } catch (error) {
      // A broken connection is like a stream that ended: it may be resumed.
      if (lastEvent === undefined) throw error;
    }
    return { isAnswered, isTooLarge, lastEvent };
  }

  /** Hears what the server says unasked, in the older era; a server without such a stream says 405. */
  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    let last: string | undefined;
    let retry = DEFAULT_RETRY;
    for (let failures = 0; failures < MAX_RESUMES && !signal.aborted;) {
      try {
        const answer = await this.#get(last, signal);
        if (answer.type !== 'stream') return;
        const seen = await this.#readStream(answer.body, undefined, (milliseconds) => (retry = milliseconds));
        last = seen.lastEvent ?? last;
        failures = seen.lastEvent === undefined ? failures + 1 : 0;
      } catch {
        failures++;
      }
      await wait(Math.min(retry * (failures + 1), MAX_RETRY), signal).catch(() => {});
    }
  }

  async #get(lastEvent: string | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const headers = {
      ...this.#baseHeaders(),
      accept: 'text/event-stream',
      ...(lastEvent === undefined ? {} : { 'last-event-id': lastEvent }),
    };
    return readAnswer(await this.#exchange({ method: 'GET', headers, signal }), this.#target.maxFrame);
  }

  async #endSession(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(1000);
      discard(await this.#exchange({ method: 'DELETE', headers: this.#baseHeaders(), signal }));
    } catch {
      // The server forgets the session by itself.
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
    return this.#exchange({ method: 'POST', headers: own, body: JSON.stringify(message), signal });
  }

  async #exchange(request: {
    readonly method: 'GET' | 'POST' | 'DELETE';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: AbortSignal;
  }): Promise<Dispatcher.ResponseData> {
    const url = new URL(this.#target.url);
    const dispatcher = await this.#target.connect();
    const { origin, pathname, search } = url;
    const { tokens } = this.#target;
    for (let renewals = 0; ; renewals++) {
      const access = tokens?.access;
      const headers =
        access === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${access}` };
      // Calls have deadlines of their own, and a stream may be silent for long.
      const options = { origin, path: pathname + search, headersTimeout: 0, bodyTimeout: 0, ...request, headers };
      const response = await dispatcher.request(options);
      const { statusCode: status } = response;
      if (tokens === undefined || (status !== 401 && status !== 403) || renewals === MAX_RENEWALS) return response;
      const challenge = parseChallenge(response.headers['www-authenticate']);
      if (status === 403 && challenge.error !== 'insufficient_scope') return response;
      const renewal = await tokens.renew(status, challenge, access);
      if (renewal.type === 'unknown') return response;
      discard(response);
      if (renewal.type === 'failed') throw new Unauthorized(renewal.failure);
      request.signal.throwIfAborted();
    }
  }

  #baseHeaders(): Record<string, string> {
    return {
      ...this.#target.headers,
      ...(this.#agreed === undefined ? {} : { 'mcp-protocol-version': this.#agreed.version }),
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
    };
  }

  /** What the newer era wants said in headers too; a request that speaks of that era carries its version. */
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

function discard(response: Dispatcher.ResponseData): void {
  response.body
    .on('error', () => {})
    .dump()
    .catch(() => {});
}
