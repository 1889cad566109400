import { Readable, type Transform, pipeline } from 'node:stream';
import zlib from 'node:zlib';
import { ToolError } from '../../tool/tool-error.ts';
import type { BodySink } from './body-sink.ts';

/** More layers than this are an attack, not an answer. */
const MAX_LAYERS = 2;

type CreateDecoder = (firstByte: number) => Transform;

const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  // Servers disagree on what "deflate" is: the first byte tells a zlib stream from a bare one.
  ['deflate', (firstByte) => ((firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw())],
  ['br', () => zlib.createBrotliDecompress()],
  // Not in every Node that Pegboard runs on.
  ...('createZstdDecompress' in zlib ? [['zstd', () => zlib.createZstdDecompress()] as const] : []),
]);

/** The encodings a response may come in, for `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS: string = [...DECODERS.keys()].filter((name) => name !== 'x-gzip').join(', ');

/** Whether a body is not compressed. */
export function isPlain(contentEncoding: string): boolean {
  return listLayers(contentEncoding).length === 0;
}

/** The body without its `Content-Encoding`. Throws `ToolError` for an encoding that cannot be undone. */
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

/** Looks at the first piece before it decodes: an answer without any content is empty, not broken. */
async function* decode(source: AsyncIterable<Buffer>, create: CreateDecoder): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const decoder = create(first.value[0] ?? 0);
  // The reader of the decoder gets the error.
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

/** A compressed body that is decoded while it arrives. */
interface EncodedBody {
  /** Takes the next piece; `null` is the end. */
  push(chunk: Buffer | null): void;
  /** Ends the reading with an error. */
  fail(error: Error): void;
  /** Settles when the sink has everything that it wants. */
  readonly result: Promise<void>;
}

/** Where a body comes from, and can be made to wait. */
interface BodySource {
  pause(): void;
  resume(): void;
}

/** Starts to decode a body. The source waits while the decoder is busy, so that a bomb unpacks a little at a time. */
export function openEncodedBody(source: BodySource, contentEncoding: string, sink: BodySink): EncodedBody {
  const stream = new Readable({ read: () => source.resume() });
  // Errors reach the result, which is waited for.
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
