import { createEventReader } from '../../../platform/http/read-events.ts';
import type { HttpTarget } from './http-target.ts';
import { FrameReader } from './frame-reader.ts';
import { readAnswer } from './http-answer.ts';
import {
  cancellation,
  type OutgoingMessage,
  type Transport,
  type TransportFailure,
  type TransportHandlers,
} from './transport.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** A connection over HTTP+SSE, or the failure. */
export type SseStart =
  | { readonly type: 'started'; readonly transport: Transport }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/**
 * Connects to a server of revision 2024-11-05: one event stream carries every message, each of ours is a POST to the address that the
 * stream names.
 */
export async function startSse(
  target: HttpTarget,
  handlers: TransportHandlers,
  signal: AbortSignal,
): Promise<SseStart> {
  const closing = new AbortController();
  const { origin, pathname, search } = new URL(target.url);
  const dispatcher = await target.connect();
  const exchange = { origin, headersTimeout: 0, bodyTimeout: 0 } as const;
  let endpoint: URL | undefined;
  const ready = Promise.withResolvers<SseStart>();
  const fail = (message: string): void => {
    const failure = { kind: 'unavailable', message } as const;
    ready.resolve({ type: 'failed', failure });
    if (!closing.signal.aborted) handlers.onClose(failure);
    closing.abort();
  };
  let posting = 0;
  let isLost = false;
  const post = async (message: OutgoingMessage): Promise<void> => {
    if (endpoint === undefined || closing.signal.aborted) return;
    const response = await dispatcher.request({
      ...exchange,
      path: endpoint.pathname + endpoint.search,
      method: 'POST',
      headers: { ...target.headers, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: closing.signal,
    });
    if (response.statusCode < 400) return response.body.dump();
    const answer = await readAnswer(response, { maxFrame: target.maxFrame, hasSession: true });
    if (!('method' in message) || !('id' in message)) return;
    if (answer.type === 'message') return handlers.onMessage({ ...answer.message, id: message.id }, undefined);
    if (answer.type === 'stream') return;
    if (answer.failure.kind === 'session-expired') {
      isLost = true;
      handlers.onSessionLost();
    }
    handlers.onFailure(message.id, answer.failure);
  };
  const send = (message: OutgoingMessage): void => {
    posting++;
    void post(message)
      .catch((error: unknown) => {
        const reason = messageOf(error);
        // An answer of ours has the id of the server's request, which may equal one of ours.
        if ('method' in message && 'id' in message)
          handlers.onFailure(message.id, { kind: 'unavailable', message: reason });
      })
      .finally(() => {
        posting--;
        // Requests sent at the same time are refused first, one by one.
        if (isLost && posting === 0) fail('it has forgotten the session');
      });
  };
  const transport: Transport = {
    kind: 'sse',
    send,
    cancel: (request, reason) => send(cancellation(request, reason)),
    agree: () => {},
    close: async () => {
      if (!isLost || posting === 0) closing.abort();
    },
  };
  const frames = new FrameReader((message) => {
    if (message !== undefined) handlers.onMessage(message, undefined);
  });
  const read = createEventReader(({ event, data = '' }) => {
    if (event === 'endpoint' && endpoint === undefined) {
      const named = URL.parse(data, target.url);
      // Credentials must not go to another origin, even if the stream names one.
      if (named?.origin !== origin) return fail('its endpoint is on another host');
      endpoint = named;
      return ready.resolve({ type: 'started', transport });
    }
    if (event === 'message') frames.push(data);
  }, target.maxFrame);
  const listen = async (): Promise<void> => {
    const headers = { ...target.headers, accept: 'text/event-stream' };
    const request = { ...exchange, path: pathname + search, method: 'GET', headers, signal: closing.signal } as const;
    const answer = await readAnswer(await dispatcher.request(request), { maxFrame: target.maxFrame });
    if (answer.type !== 'stream')
      return fail(answer.type === 'failed' ? answer.failure.message : 'it has no stream of events');
    for await (const chunk of answer.body) {
      if (Buffer.isBuffer(chunk) && !read(chunk)) return fail(`it sent an event of more than ${target.maxFrame} bytes`);
      await frames.reading;
    }
    fail('its stream of events ended');
  };
  const giveUp = (): void => fail('it did not open its stream of events in time');
  signal.addEventListener('abort', giveUp, { once: true });
  void listen().catch((error: unknown) => fail(messageOf(error)));
  return ready.promise.finally(() => signal.removeEventListener('abort', giveUp));
}
