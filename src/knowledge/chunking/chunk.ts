import type { NewChunk } from '../vector-store.ts';

/** Settings for splitting a text. */
export interface ChunkSettings {
  /** The most characters of a chunk, including headings. */
  readonly size: number;
  /** Characters of a split section that its next chunk repeats. */
  readonly overlap: number;
}

/** The default, as in ctx. */
export const DEFAULT_CHUNKS: ChunkSettings = { size: 1000, overlap: 200 };

/** A part of a document, ready to be stored. */
export interface Chunk extends Omit<NewChunk, 'embedding'> {
  /** The range of the part in the document's text. */
  readonly start: number;
  readonly end: number;
}
