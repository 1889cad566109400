import type { Embedder } from '../../vectors/embedder.ts';
import type { Reranker } from '../../vectors/rerank/reranker.ts';
import type { NoteOrigin } from '../collection/note.ts';
import type { Distance, DocumentFilter, StoredChunk } from '../vector-store.ts';

/** What is looked for in a collection, and how. */
export interface KnowledgeQuery {
  readonly collection: string;
  /** 1 to `MAX_QUERY_LENGTH` characters. */
  readonly query: string;
  /** The one the collection was made with; words alone decide when there is none. */
  readonly embedder?: Embedder | undefined;
  /** Puts what was found into another order; the order of the search stays when it fails. */
  readonly reranker?: Reranker | undefined;
  /** The vectors that the settings ask for, if any: a collection with other vectors is refused. */
  readonly wanted?:
    | { readonly name: string; readonly dimension: number | undefined; readonly distance: Distance }
    | undefined;
  /** Milliseconds the embedder has before words alone decide. Default: 10,000. */
  readonly patience?: number | undefined;
  /** Applied before anything is ranked. */
  readonly filter?: DocumentFilter | undefined;
  /** How many passages to give, at most `MAX_HITS`. Default: 10. */
  readonly limit?: number | undefined;
  /** Whether each hit says why it is there. */
  readonly explain?: boolean | undefined;
  /** Whether each hit says which of its sentences answer. Default: false. */
  readonly highlight?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The longest query, in UTF-16 code units. */
export const MAX_QUERY_LENGTH = 4_000;

/** The most hits one answer has. */
export const MAX_HITS = 100;

/** What was found. */
export interface KnowledgeAnswer {
  /** What decided: words and vectors together, or words alone. */
  readonly mode: 'hybrid' | 'words';
  /** Why words alone decided although there is an embedder, or vectors, or why a reranker did not; `undefined` when nothing is wrong. */
  readonly notice: string | undefined;
  /** Best first. */
  readonly hits: readonly KnowledgeHit[];
}

/** A passage that was found: one chunk, or neighbouring chunks of one document. */
export interface KnowledgeHit extends Omit<StoredChunk, 'id' | 'position' | 'contentHash'> {
  /** From 0 to 1; only comparable within one answer. */
  readonly score: number;
  /** Its chunks, in the order of the document. */
  readonly chunkIds: readonly string[];
  /** Where else all but the same text stands. */
  readonly duplicates: readonly DuplicatePlace[];
  /** The author of a note and the time; `undefined` for passages of files and pages. */
  readonly note: NoteOrigin | undefined;
  /** The sentences that answer the query, word for word as they stand in the text; none where no sentence stands out. */
  readonly highlights: readonly Highlight[];
  /** Only when asked for. */
  readonly explanation: HitExplanation | undefined;
}

/** A sentence of a passage to quote. */
export interface Highlight {
  readonly text: string;
  /** The line of the source in which it begins, from 1; not known for notes and formats without lines. */
  readonly line?: number;
  /** The page of a PDF on which it begins, from 1. */
  readonly page?: number;
  /** The slide it stands on, from 1. */
  readonly slide?: number;
  /** The row of a sheet it stands in, where the passage has no other. */
  readonly row?: number;
  /** The cell of a notebook it stands in, where the passage has no other. */
  readonly cell?: number;
  /** The nearest heading above it. */
  readonly heading?: string;
}

/** A passage left out because another says the same. */
export interface DuplicatePlace {
  readonly chunkId: string;
  readonly sourcePath: string | undefined;
}

/** Why a hit is where it is, told of its best chunk. */
export interface HitExplanation {
  /** Its place and score by words, and the words of the query it has; `undefined` when it has none. */
  readonly words: { readonly rank: number | undefined; readonly score: number; readonly terms: string[] } | undefined;
  /** Its place and score by vectors; `undefined` when it was not among the nearest, or there are none. */
  readonly vector: { readonly rank: number; readonly score: number } | undefined;
  /** Its place before a reranker decided; missing when none did. */
  readonly rerank?: { readonly before: number };
}
