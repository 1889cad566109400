import type { ChunkSettings } from '../chunking/chunk.ts';
import { DOCUMENT_TYPES } from '../collection/note.ts';
import { MAX_KEY_BYTES } from '../stores/check-input.ts';
import type { UnembeddedDocument } from './batch-writer.ts';
import { hashContent } from './known-files.ts';
import { sharedReader } from './reading/document-reader.ts';

/** The type, tags and chunk settings of documents. */
export interface DocumentMarks {
  readonly type: string;
  readonly tags: readonly string[];
  readonly chunks: ChunkSettings;
}

/** The bytes of a document. */
export interface LoadedBytes {
  /** Its extension determines the format. */
  readonly path: string;
  readonly source: string;
  readonly stamp: string | undefined;
  /** The hash of the stored document. */
  readonly knownHash: string | undefined;
  readonly bytes: Uint8Array;
}

/** The result of reading bytes. */
type MadeDocument =
  | { readonly type: 'document'; readonly document: UnembeddedDocument }
  | { readonly type: 'unchanged' }
  | {
      readonly type: 'skipped';
      readonly reason: string;
      /** True if the document itself is not at fault: the stored one stays. */
      readonly isUnknown: boolean;
    };

/** The most tags of a document; those of the run come first. */
const MAX_TAGS = 50;

/** Increase this number when documents are read or split differently. */
const PIPELINE = 3;

/** Reads and splits documents, and collects notes about them. */
export class DocumentMaker {
  readonly #marks: DocumentMarks;
  /** Settings that, together with the content, determine how a document is indexed. */
  readonly settings: readonly (string | number)[];
  readonly #signal: AbortSignal | undefined;
  #isGrammarMissing = false;
  /** Documents that are not Unicode, by the encoding they were read with. */
  readonly #encodings = new Map<string, string[]>();
  bytes = 0;

  constructor(marks: DocumentMarks, signal: AbortSignal | undefined) {
    this.#marks = marks;
    this.#signal = signal;
    const { chunks, type, tags } = marks;
    this.settings = [PIPELINE, chunks.size, chunks.overlap, type, ...tags];
  }

  async make({ bytes, path, source, stamp, knownHash }: LoadedBytes): Promise<MadeDocument> {
    this.bytes += bytes.length;
    if (Buffer.byteLength(source) > MAX_KEY_BYTES)
      return { type: 'skipped', reason: `has a path of more than ${MAX_KEY_BYTES} bytes`, isUnknown: false };
    const contentHash = hashContent(bytes, this.settings);
    if (knownHash === contentHash) return { type: 'unchanged' };
    const { type, tags, chunks: cut } = this.#marks;
    const made = await sharedReader().read({ path, bytes, chunks: cut }, this.#signal);
    if (!made.ok) return { type: 'skipped', reason: made.reason, isUnknown: made.isUnknown === true };
    const { chunks, encoding, front, isGrammarMissing } = made;
    if (isGrammarMissing) this.#isGrammarMissing = true;
    if (encoding !== undefined) this.#encodings.set(encoding, [...(this.#encodings.get(encoding) ?? []), source]);
    return {
      type: 'document',
      document: {
        id: source,
        sourcePath: source,
        contentHash,
        // A document's own type replaces only the default type of the run.
        type: type === 'general' ? (DOCUMENT_TYPES.find((known) => known === front?.type) ?? type) : type,
        tags: [...new Set([...tags, ...(front?.tags ?? [])])].slice(0, MAX_TAGS),
        stamp,
        chunks,
      },
    };
  }

  /** Advice about the documents that were read. */
  get notes(): string[] {
    return [...(this.#isGrammarMissing ? [MISSING_GRAMMARS] : []), ...encodingNotes(this.#encodings)];
  }
}

const MISSING_GRAMMARS =
  'Code was split at empty lines. To split it by functions and classes: npm install @vscode/tree-sitter-wasm, then pegboard rag reindex.';

const MAX_NAMED = 3;

/** Writes notes such as `2 files are not UTF-8 and were read as Windows-1252: a.txt, b.csv. …`. */
function encodingNotes(encodings: ReadonlyMap<string, readonly string[]>): string[] {
  return [...encodings].map(([encoding, paths]) => {
    const named = paths.slice(0, MAX_NAMED).join(', ') + (paths.length > MAX_NAMED ? ', …' : '');
    const files = paths.length === 1 ? '1 file is not UTF-8 and was' : `${paths.length} files are not UTF-8 and were`;
    return `${files} read as ${encoding}: ${named}. Convert files that read wrong to UTF-8.`;
  });
}
