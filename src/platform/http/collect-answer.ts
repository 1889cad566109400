import type { Dispatcher } from 'undici';
import type { BodySink, SunkBody } from './body-sink.ts';
import { type AnswerHead, readHeader } from './http-messages.ts';
import { pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { ToolError } from '../../tool/tool-error.ts';

/** A response with its body decompressed and cut to the limit. */
interface CollectedAnswer extends AnswerHead, SunkBody {}

interface CollectOptions {
  readonly makeSink: (head: AnswerHead) => BodySink;
  readonly stop: AbortSignal;
}

/**
 * Sends a request through undici and collects its response. Bytes that the sink does not want are never read.
 *
 * Works like `undici.request`, without the stream in between.
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
  const abort = (): void => end(new Error('The request was stopped.'));
  const stopListening = (): void => stop.removeEventListener('abort', abort);
  stop.addEventListener('abort', abort, { once: true });
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
      if (stop.aborted) started.abort(new Error('The request was stopped.'));
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

/** Real responses have one or two encoding layers; more are an attack. */
const MAX_LAYERS = 2;

type CreateDecoder = (firstByte: number) => Transform;

const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  // Servers disagree on "deflate": the first byte distinguishes a zlib stream from a raw one.
  ['deflate', (firstByte) => ((firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw())],
  ['br', () => zlib.createBrotliDecompress()],
  // Not every supported Node version has zstd.
  ...('createZstdDecompress' in zlib ? [['zstd', () => zlib.createZstdDecompress()] as const] : []),
]);

/** The encodings for `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS: string = [...DECODERS.keys()].filter((name) => name !== 'x-gzip').join(', ');

/** Returns true when a body is not compressed. */
function isPlain(contentEncoding: string): boolean {
  return listLayers(contentEncoding).length === 0;
}

/** Removes the `Content-Encoding` from a body. Throws a `ToolError` for an unsupported encoding. */
function decompress(body: Readable, contentEncoding: string): Readable {
  let source = body;
  const layers = listLayers(contentEncoding).toReversed();
  for (const name of layers) {
    const create = DECODERS.get(name);
    if (create === undefined || layers.length > MAX_LAYERS) {
      const message = `The server answered in the encoding "${contentEncoding.slice(0, 60)}", which cannot be read. Ask it for one of: ${ACCEPTED_ENCODINGS}.`;
      throw new ToolError({ code: 'execution_failed', message });
    }
    source = Readable.from(decode(source, create), { objectMode: false });
  }
  return source;
}

function listLayers(contentEncoding: string): string[] {
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

/** Reads the first piece before it creates the decoder: a response without content is empty, not broken. */
async function* decode(source: AsyncIterable<Buffer>, create: CreateDecoder): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const decoder = create(first.value[0] ?? 0);
  // Errors reach the reader of the decoder.
  pipeline(Readable.from(startingWith(first.value, pieces)), decoder, () => {});
  yield* decoder;
}

async function* startingWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** A compressed body that is decoded as it arrives. */
interface EncodedBody {
  /** Takes the next piece; `null` marks the end. */
  push(chunk: Buffer | null): void;
  /** Stops reading with an error. */
  fail(error: Error): void;
  /** Settles when the sink has all the bytes it needs. */
  readonly result: Promise<void>;
}

/** A source of bytes that can be paused. */
interface BodySource {
  pause(): void;
  resume(): void;
}

/** Starts decoding a body. The source is paused while the decoder is busy, so a decompression bomb unpacks slowly. */
function openEncodedBody(source: BodySource, contentEncoding: string, sink: BodySink): EncodedBody {
  const stream = new Readable({ read: () => source.resume() });
  // Errors are reported through `result`.
  stream.on('error', () => {});
  return {
    push: (chunk) => {
      if (!stream.destroyed && !stream.push(chunk)) source.pause();
    },
    fail: (error) => void stream.destroy(error),
    result: collect(stream, contentEncoding, sink),
  };
}

async function collect(stream: Readable, contentEncoding: string, sink: BodySink): Promise<void> {
  try {
    const decoded: AsyncIterable<Buffer> = decompress(stream, contentEncoding);
    for await (const chunk of decoded) {
      await sink.add(chunk);
      if (sink.isFull) return;
    }
  } finally {
    stream.destroy();
  }
}
