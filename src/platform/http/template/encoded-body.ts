import { Readable } from 'node:stream';
import { decompress } from '../content-encoding.ts';

/** What a compressed body holds, at most as much as asked for. */
interface DecodedBytes {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** A compressed body that is decoded while it arrives. */
export interface EncodedBody {
  /** Takes the next piece; `null` is the end. */
  push(chunk: Buffer | null): void;
  /** Ends the reading with an error. */
  fail(error: Error): void;
  readonly result: Promise<DecodedBytes>;
}

/** Where a body comes from, and can be made to wait. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/** Starts to decode a body. The source waits while the decoder is busy, so that a bomb unpacks a little at a time. */
export function openEncodedBody(source: BodySource, contentEncoding: string, maxBytes: number): EncodedBody {
  const stream = new Readable({ read: () => source.resume() });
  // Errors reach whoever waits for the result.
  stream.on('error', () => {});
  return {
    push: (chunk) => {
      if (!stream.destroyed && !stream.push(chunk)) source.pause();
    },
    fail: (error) => void stream.destroy(error),
    result: collect(stream, contentEncoding, maxBytes),
  };
}

async function collect(stream: Readable, contentEncoding: string, maxBytes: number): Promise<DecodedBytes> {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    const decoded: AsyncIterable<Buffer> = decompress(stream, contentEncoding);
    for await (const chunk of decoded) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) return { bytes: Buffer.concat(chunks, maxBytes), isCut: true };
    }
    return { bytes: Buffer.concat(chunks, size), isCut: false };
  } finally {
    stream.destroy();
  }
}
