import type { NewChunk } from '../vector-store.ts';

/** How a text is cut. */
export interface ChunkSettings {
  /** The most characters of a chunk, headings included. */
  readonly size: number;
  /** How many characters of a cut section are repeated in its next chunk. */
  readonly overlap: number;
}

/** The default, as in ctx. */
export const DEFAULT_CHUNKS: ChunkSettings = { size: 1000, overlap: 200 };

/** A part of a document, ready to be kept. */
export interface Chunk extends Omit<NewChunk, 'embedding'> {
  /** Where the part stands in the document's text. */
  readonly start: number;
  readonly end: number;
}
