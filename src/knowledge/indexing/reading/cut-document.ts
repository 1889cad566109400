import { runInTurns } from '../../../tool/run-in-turns.ts';
import type { Chunk, ChunkSettings } from '../../chunking/chunk.ts';
import { chunkText } from '../../chunking/chunk-text.ts';
import type { CodeParsers } from '../../documents/code/code-parser.ts';
import type { FrontMatter } from '../../documents/front-matter.ts';
import { readDocument } from '../../documents/read-document.ts';
import { formatOf } from '../../documents/document-format.ts';

/** Bytes to read, and the settings for splitting their text. */
export interface DocumentOrder {
  /** Its extension determines the format. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly chunks: ChunkSettings;
}

/** The chunks of a document, or the reason to skip it. */
export type CutDocument =
  | {
      readonly ok: true;
      readonly chunks: Chunk[];
      /** The encoding of its text, if it is not Unicode. */
      readonly encoding: string | undefined;
      /** The front matter of a Markdown file. */
      readonly front: FrontMatter | undefined;
      /** True if code was split at empty lines because the package with the grammars is missing. */
      readonly isGrammarMissing: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** True if the document is not at fault: the stored one stays. */
      readonly isUnknown?: boolean;
    };

/** Texts up to this size are read in this process: the time depends only on their length. */
const SMALL_TEXT = 100_000;

/** Returns true for small plain texts and Markdown, which are safe to read and faster to read here than to send. */
export function isHarmless(path: string, bytes: Uint8Array): boolean {
  const { type } = formatOf(path);
  return (type === 'text' || type === 'markdown') && bytes.length <= SMALL_TEXT;
}

/** Reads a document and splits it into chunks. Never throws because of its content. */
export async function cutDocument({ path, bytes, chunks }: DocumentOrder, parsers: CodeParsers): Promise<CutDocument> {
  const read = await readDocument(bytes, path, parsers);
  if (!read.ok) return read;
  const cut = await runInTurns(chunkText(read.document, chunks));
  if (cut.length === 0) return { ok: false, reason: 'has no words' };
  return { ok: true, chunks: cut, encoding: read.encoding, front: read.front, isGrammarMissing: parsers.isMissing };
}

/** The limits for one document in the reader's process. */
export interface ReaderLimits {
  /** Bytes of memory for the whole process. */
  readonly memory: number;
  /** Seconds of processor time for any document. */
  readonly seconds: number;
  readonly secondsPerMegabyte: number;
}

/** An exceeded limit; the process prints its name before it ends. */
export type ReaderLimit = 'memory' | 'time';

/** Parts of a `DocumentOrder`: its size, then its bytes, so that neither process holds copies of all of them. */
export type ReaderOrder =
  | ({ readonly type: 'start'; readonly size: number } & Omit<DocumentOrder, 'bytes'>)
  | { readonly type: 'bytes'; readonly bytes: Uint8Array };

/** Parts of an answer: chunks in small messages, then the end. */
export type ReaderAnswer =
  | { readonly type: 'chunks'; readonly chunks: readonly Chunk[] }
  | { readonly type: 'end'; readonly result: CutDocument };

export interface WatchdogStart {
  /** The number of the current document, or 0; then its limit in seconds. */
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly memory: number;
  /** The process that started the reader; the reader ends with it. */
  readonly parent: number;
}
