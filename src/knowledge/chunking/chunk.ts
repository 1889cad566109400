import type { LineRange } from '../vector-store.ts';

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
export interface Chunk {
  /** The headings above that the part does not show itself, then the part. */
  readonly text: string;
  readonly headings: readonly string[];
  /** Where the part stands in the document's text. */
  readonly start: number;
  readonly end: number;
  /** `undefined` when lines of the text are not lines of a file. */
  readonly lines: LineRange | undefined;
}
