import { runInTurns } from '../../../tool/run-in-turns.ts';
import type { Chunk, ChunkSettings } from '../../chunking/chunk.ts';
import { chunkText } from '../../chunking/chunk-text.ts';
import type { CodeParsers } from '../../documents/code/code-parser.ts';
import type { FrontMatter } from '../../documents/front-matter.ts';
import { readDocument } from '../../documents/read-document.ts';
import { formatOf } from '../../documents/document-format.ts';

/** Bytes to read, and how their text is cut. */
export interface DocumentOrder {
  /** Its name says what format it has. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly chunks: ChunkSettings;
}

/** A document in chunks, or why it is left out. */
export type CutDocument =
  | {
      readonly ok: true;
      readonly chunks: Chunk[];
      /** As what its text was read, where it is not Unicode. */
      readonly encoding: string | undefined;
      /** The front matter of a Markdown file. */
      readonly front: FrontMatter | undefined;
      /** True when code was cut at empty lines because the package with the grammars is missing. */
      readonly isGrammarMissing: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** True when it says nothing about the document: what was indexed of it stays. */
      readonly isUnknown?: boolean;
    };

/** Texts up to this size are read at once: their readers take time by the length of the text alone. */
const SMALL_TEXT = 100_000;

/** True for small plain texts and Markdown, which harm nobody and are read quicker than they are handed over. */
export function isHarmless(path: string, bytes: Uint8Array): boolean {
  const { type } = formatOf(path);
  return (type === 'text' || type === 'markdown') && bytes.length <= SMALL_TEXT;
}

/** Reads a document and cuts it into chunks. Never throws for what is in it. */
export async function cutDocument({ path, bytes, chunks }: DocumentOrder, parsers: CodeParsers): Promise<CutDocument> {
  const read = await readDocument(bytes, path, parsers);
  if (!read.ok) return read;
  const cut = await runInTurns(chunkText(read.document, chunks));
  if (cut.length === 0) return { ok: false, reason: 'has no words' };
  return { ok: true, chunks: cut, encoding: read.encoding, front: read.front, isGrammarMissing: parsers.isMissing };
}
