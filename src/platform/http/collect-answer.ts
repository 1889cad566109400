import type { Dispatcher } from 'undici';
import type { BodySink, SunkBody } from './body-sink.ts';
import type { CallStop } from './call-stop.ts';
import { isPlain, openEncodedBody } from './content-encoding.ts';
import { type AnswerHead, readHeader } from './http-messages.ts';

/** A response with its body decompressed and cut to the limit. */
export interface CollectedAnswer extends AnswerHead, SunkBody {}

export interface CollectOptions {
  readonly makeSink: (head: AnswerHead) => BodySink;
  readonly stop: CallStop;
}

/**
 * Sends a request through undici and collects its response. Bytes that the sink does not want are never read.
 *
 * Does the same as `undici.request`, without the stream in between.
 */
export function collectAnswer(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { makeSink, stop }: CollectOptions,
): Promise<CollectedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedAnswer>();
  let head: AnswerHead = { status: 0, headers: {} };
  let sink: BodySink | undefined;
  let encoded: ReturnType<typeof openEncodedBody> | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;

  const end = (error: Error): void => {
    stopListening();
    if (!isOver) sink?.discard();
    isOver = true;
    reject(error);
    encoded?.fail(error);
    controller?.abort(error);
  };
  const fail = (error: Error): void => {
    if (!isOver && sink?.salvage?.() === true) finish();
    else end(error);
  };
  const stopListening = stop.listen(() => end(new Error('The request was stopped.')));
  const finish = (): void => {
    if (isOver || sink === undefined) return;
    isOver = true;
    stopListening();
    const { isFull } = sink;
    const sunk = sink.finish();
    if (sunk instanceof Promise) sunk.then((body) => resolve({ ...head, ...body }), reject);
    else resolve({ ...head, ...sunk });
    if (isFull) controller?.abort(new Error('The rest is not wanted.'));
  };

  dispatcher.dispatch(request, {
    onRequestStart: (started) => {
      controller = started;
      if (stop.isOver) started.abort(new Error('The request was stopped.'));
    },
    onResponseStart: (started, status, headers) => {
      // Informational responses such as early hints come before the final response.
      if (status < 200) return;
      head = { status, headers };
      sink = makeSink(head);
      void sink.ended?.then(finish);
      const encoding = readHeader(headers, 'content-encoding');
      if (request.method === 'HEAD' || isPlain(encoding)) return;
      encoded = openEncodedBody(started, encoding, sink);
      encoded.result.then(finish, fail);
    },
    onResponseData: (started, chunk) => {
      if (encoded !== undefined) return encoded.push(chunk);
      if (isOver || sink === undefined) return;
      const wait = sink.add(chunk);
      if (sink.isFull) return finish();
      if (wait === undefined) return;
      started.pause();
      void wait.then(() => started.resume());
    },
    onResponseEnd: () => {
      if (encoded !== undefined) return encoded.push(null);
      finish();
    },
    onResponseError: (_, error) => fail(error),
  });
  return promise;
}
