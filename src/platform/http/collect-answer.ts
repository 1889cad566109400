import type { Dispatcher } from 'undici';
import type { CallStop } from './call-stop.ts';
import { isPlain } from './content-encoding.ts';
import { openEncodedBody } from './content-encoding.ts';
import type { HttpTruncation } from './http-messages.ts';

/** An answer as it came, its body decompressed and no longer than asked for. */
export interface CollectedAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Buffer;
  readonly truncated: HttpTruncation | undefined;
}

/** Headers with lower-case names. */
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How much to read, and when to stop. */
export interface CollectOptions {
  readonly maxBytes: number;
  readonly stop: CallStop;
}

/** A header's value, the first where there are several, empty where there is none. */
export function readHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/**
 * Sends a request through undici and collects its answer, up to a cap: what is over it is never read.
 *
 * This is what `undici.request` is made of, without the stream it puts in between.
 */
export function collectAnswer(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { maxBytes, stop }: CollectOptions,
): Promise<CollectedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedAnswer>();
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: AnswerHeaders = {};
  let encoded: ReturnType<typeof openEncodedBody> | undefined;
  let controller: Dispatcher.DispatchController | undefined;

  const end = (error: Error): void => {
    stopListening();
    reject(error);
    encoded?.fail(error);
    controller?.abort(error);
  };
  const stopListening = stop.listen(() => end(new Error('The request was stopped.')));
  const finish = (bytes: Buffer, truncated: HttpTruncation | undefined): void => {
    stopListening();
    resolve({ status, headers, bytes, truncated });
    if (truncated !== undefined) controller?.abort(new Error('The rest is not wanted.'));
  };

  dispatcher.dispatch(request, {
    onRequestStart: (started) => {
      controller = started;
      if (stop.isOver) started.abort(new Error('The request was stopped.'));
    },
    onResponseStart: (started, statusCode, incoming) => {
      // Early hints and the like come before the answer.
      if (statusCode < 200) return;
      status = statusCode;
      headers = incoming;
      const encoding = readHeader(incoming, 'content-encoding');
      if (request.method === 'HEAD' || isPlain(encoding)) return;
      encoded = openEncodedBody(started, encoding, maxBytes);
      encoded.result.then(
        ({ bytes, isCut }) => finish(bytes, isCut ? { kept: bytes.length, total: undefined } : undefined),
        end,
      );
    },
    onResponseData: (_, chunk) => {
      if (encoded !== undefined) return encoded.push(chunk);
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      const total = Number(readHeader(headers, 'content-length') || Number.NaN);
      const truncated = { kept: maxBytes, total: Number.isSafeInteger(total) ? total : undefined };
      finish(Buffer.concat(chunks, maxBytes), truncated);
    },
    onResponseEnd: () => {
      if (encoded !== undefined) return encoded.push(null);
      const [first] = chunks;
      finish(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size), undefined);
    },
    onResponseError: (_, error) => end(error),
  });
  return promise;
}
