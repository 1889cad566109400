import type { Embedder } from '../../vectors/embedder.ts';
import type { Reranker } from '../../vectors/rerank/reranker.ts';
import type { NoteOrigin } from '../collection/note.ts';
import type { Distance, DocumentFilter, StoredChunk } from '../vector-store.ts';

export interface KnowledgeQuery {
  readonly collection: string;
  /** 1 to `MAX_QUERY_LENGTH` characters. */
  readonly query: string;
  /** The embedder of the collection; without one only words are searched. */
  readonly embedder?: Embedder | undefined;
  /** Reorders the results; if it fails, they keep their order. */
  readonly reranker?: Reranker | undefined;
  /** The vectors that the settings ask for: a collection with others is rejected. */
  readonly wanted?:
    | { readonly name: string; readonly dimension: number | undefined; readonly distance: Distance }
    | undefined;
  /** Milliseconds to wait for the embedder before using only words. Default: 10,000. */
  readonly patience?: number | undefined;
  /** Applied before ranking. */
  readonly filter?: DocumentFilter | undefined;
  /** The number of passages, at most `MAX_HITS`. Default: 10. */
  readonly limit?: number | undefined;
  /** Adds an explanation to each hit. */
  readonly explain?: boolean | undefined;
  /** Adds the sentences that answer the query to each hit. Default: false. */
  readonly highlight?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The longest query, in UTF-16 code units. */
export const MAX_QUERY_LENGTH = 4_000;

/** The most hits of one answer. */
export const MAX_HITS = 100;

/** The result of a search in a knowledge base. */
export interface KnowledgeAnswer {
  /** The search used: words and vectors, or only words. */
  readonly mode: 'hybrid' | 'words';
  /**
   * The reason that only words were used despite an embedder or vectors, or that a reranker was not; `undefined` if
   * nothing is wrong.
   */
  readonly notice: string | undefined;
  /** Best first. */
  readonly hits: readonly KnowledgeHit[];
}

/** A passage: one chunk, or neighbouring chunks of one document. */
export interface KnowledgeHit extends Omit<StoredChunk, 'id' | 'position' | 'contentHash'> {
  /** From 0 to 1; only comparable within one answer. */
  readonly score: number;
  /** Its chunks, in the order of the document. */
  readonly chunkIds: readonly string[];
  /** Other places with nearly the same text. */
  readonly duplicates: readonly DuplicatePlace[];
  /** The author and time of a note; `undefined` for passages of files and pages. */
  readonly note: NoteOrigin | undefined;
  /** The sentences that answer the query, quoted exactly; empty if no sentence stands out. */
  readonly highlights: readonly Highlight[];
  /** Only if requested. */
  readonly explanation: HitExplanation | undefined;
}

/** A sentence of a passage to quote. */
export interface Highlight {
  readonly text: string;
  /** The line of the source in which it begins, counted from 1; unknown for notes and formats without lines. */
  readonly line?: number;
  /** The page of a PDF on which it begins, counted from 1. */
  readonly page?: number;
  /** The slide, counted from 1. */
  readonly slide?: number;
  /** The row of a sheet, if the passage has only one. */
  readonly row?: number;
  /** The cell of a notebook, if the passage has only one. */
  readonly cell?: number;
  /** The nearest heading above it. */
  readonly heading?: string;
}

/** A passage left out because it repeats another. */
export interface DuplicatePlace {
  readonly chunkId: string;
  readonly sourcePath: string | undefined;
}

/** The reasons for a hit's rank, for its best chunk. */
export interface HitExplanation {
  /** Its rank and score by words, and the query's words it contains; `undefined` if it has none. */
  readonly words: { readonly rank: number | undefined; readonly score: number; readonly terms: string[] } | undefined;
  /** Its rank and score by vectors; `undefined` if it was not among the nearest. */
  readonly vector: { readonly rank: number; readonly score: number } | undefined;
  /** Its rank before reranking, if a reranker was used. */
  readonly rerank?: { readonly before: number };
}
