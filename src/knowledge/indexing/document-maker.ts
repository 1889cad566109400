import { runInTurns } from '../../tool/run-in-turns.ts';
import type { ChunkSettings } from '../chunking/chunk.ts';
import { chunkText } from '../chunking/chunk-text.ts';
import { CodeParsers } from '../documents/code/code-parser.ts';
import { readDocument } from '../documents/read-document.ts';
import type { UnembeddedDocument } from './batch-writer.ts';
import { hashContent } from './hash-content.ts';

/** As what documents are indexed. */
export interface DocumentMarks {
  readonly type: string;
  readonly tags: readonly string[];
  readonly chunks: ChunkSettings;
}

/** Bytes that a document is made of. */
export interface LoadedBytes {
  /** Its name says what format it has. */
  readonly path: string;
  /** The name in the collection. */
  readonly source: string;
  readonly stamp: string | undefined;
  /** Of the document that is there already. */
  readonly knownHash: string | undefined;
  readonly bytes: Uint8Array;
}

/** What became of bytes. */
export type MadeDocument =
  | { readonly type: 'document'; readonly document: UnembeddedDocument }
  | { readonly type: 'unchanged' }
  | { readonly type: 'skipped'; readonly reason: string };

/** Raise this number when documents are read or cut differently. */
const PIPELINE = 2;

/** Reads and cuts documents, and remembers what there is to say about them. */
export class DocumentMaker {
  readonly #marks: DocumentMarks;
  /** Settings that, besides the content, decide how a document is indexed. */
  readonly settings: readonly (string | number)[];
  readonly #parsers = new CodeParsers();
  /** Documents that are not Unicode, and as what they were read. */
  readonly #encodings = new Map<string, string[]>();
  /** Bytes that were read. */
  bytes = 0;

  constructor(marks: DocumentMarks) {
    this.#marks = marks;
    const { chunks, type, tags } = marks;
    this.settings = [PIPELINE, chunks.size, chunks.overlap, type, ...tags];
  }

  async make({ bytes, path, source, stamp, knownHash }: LoadedBytes): Promise<MadeDocument> {
    this.bytes += bytes.length;
    const contentHash = hashContent(bytes, this.settings);
    if (knownHash === contentHash) return { type: 'unchanged' };
    const { type, tags, chunks: cut } = this.#marks;
    const read = await readDocument(bytes, path, this.#parsers);
    if (!read.ok) return { type: 'skipped', reason: read.reason };
    const chunks = await runInTurns(chunkText(read.document, cut));
    if (chunks.length === 0) return { type: 'skipped', reason: 'has no words' };
    if (read.encoding !== undefined)
      this.#encodings.set(read.encoding, [...(this.#encodings.get(read.encoding) ?? []), source]);
    return {
      type: 'document',
      document: { id: source, sourcePath: source, contentHash, type, tags, stamp, chunks },
    };
  }

  /** Advice about what was read. */
  get notes(): string[] {
    return [...(this.#parsers.isMissing ? [MISSING_GRAMMARS] : []), ...encodingNotes(this.#encodings)];
  }
}

const MISSING_GRAMMARS =
  'Code was cut at empty lines. To cut it by functions and classes: npm install @vscode/tree-sitter-wasm, then pegboard rag reindex.';

const MAX_NAMED = 3;

/** `2 files are not UTF-8 and were read as Windows-1252: a.txt, b.csv. …` */
function encodingNotes(encodings: ReadonlyMap<string, readonly string[]>): string[] {
  return [...encodings].map(([encoding, paths]) => {
    const named = paths.slice(0, MAX_NAMED).join(', ') + (paths.length > MAX_NAMED ? ', …' : '');
    const files = paths.length === 1 ? '1 file is not UTF-8 and was' : `${paths.length} files are not UTF-8 and were`;
    return `${files} read as ${encoding}: ${named}. Convert to UTF-8 what reads wrong.`;
  });
}
