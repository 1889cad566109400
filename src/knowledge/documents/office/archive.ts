import type * as Yauzl from 'yauzl';
import type { Readable } from 'node:stream';
import { DocumentRefusal, loadPeers } from '../document-refusal.ts';
import { isOleFile } from '../decode-text.ts';

/** An office document has dozens of parts, a book hundreds. */
const MAX_ENTRIES = 20_000;
/** Limits for one part, and for everything read from one document: a small archive can hold petabytes. */
const MAX_PART_BYTES = 200_000_000;
const MAX_TOTAL_BYTES = 300_000_000;
/** Deflate compresses at most 1032 times; parts of documents ten times, repetitive sheets a hundred. */
const MAX_RATIO = 300;
/** Small parts may have a higher ratio: they are harmless. */
const FREE_BYTES = 5_000_000;

/** The parts of a document that is a ZIP archive. Nothing is written to disk. */
export interface Archive {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Yields the bytes of a part while unpacking. Throws a refusal if there are too many. */
  read(name: string): AsyncIterable<Uint8Array>;
}

/** Opens an archive; `format` names the file in reasons. */
export async function openArchive(bytes: Uint8Array, format: string): Promise<Archive> {
  if (isOleFile(bytes))
    throw new DocumentRefusal(
      `is a ${format} file with a password, or of an Office before 2007; save it without, as .${format}`,
    );
  // The package has its own types.
  const [yauzl] = loadPeers(['yauzl', 'htmlparser2'], format) as [typeof Yauzl];
  const entries = new Map<string, Yauzl.Entry>();
  let zip: Yauzl.ZipFile;
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    zip = await yauzl.fromBufferPromise(buffer, { lazyEntries: true, autoClose: false });
    if (zip.entryCount > MAX_ENTRIES) throw new DocumentRefusal(`has more than ${MAX_ENTRIES} parts`);
    for await (const entry of zip.eachEntry()) {
      // Other programs ignore a second part with the same name.
      if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
      if (entries.size > MAX_ENTRIES) throw new DocumentRefusal(`has more than ${MAX_ENTRIES} parts`);
    }
  } catch (error) {
    throw toRefusal(error, format);
  }
  let total = 0;
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    async *read(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw new DocumentRefusal(`is a broken ${format} file: it has no ${name}`);
      if (entry.isEncrypted()) throw new DocumentRefusal(`is a ${format} file with a password`);
      let stream: Readable | undefined;
      let size = 0;
      try {
        stream = await zip.openReadStreamPromise(entry);
        for await (const given of stream) {
          // A stream of yauzl yields buffers.
          const chunk = given as Uint8Array;
          size += chunk.length;
          total += chunk.length;
          const isBomb = size > FREE_BYTES && size > entry.compressedSize * MAX_RATIO;
          if (isBomb || size > MAX_PART_BYTES || total > MAX_TOTAL_BYTES)
            throw new DocumentRefusal('unpacks to far more than a document has');
          yield chunk;
        }
      } catch (error) {
        throw toRefusal(error, format);
      } finally {
        stream?.destroy();
      }
    },
  };
}

function toRefusal(error: unknown, format: string): DocumentRefusal {
  if (error instanceof DocumentRefusal) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new DocumentRefusal(`is a broken ${format} file: ${reason}`);
}
