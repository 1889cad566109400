import type { ToolIndexEntry } from './indexed-tool.ts';
import type { Field } from './ranking/ranking-weights.ts';

/** A word of the query, and the fields of the tool that contain it. */
export interface WordMatch {
  /** The word in the query. */
  readonly word: string;
  /** The word in the tool, if it differs: another form, a related word, the right spelling. */
  readonly as?: string;
  readonly fields: readonly Field[];
}

/** A tool found by a ranked search. */
export interface RankedHit extends ToolIndexEntry {
  /** The share of the query, or of one of its needs, that the tool covers: 0 to 1, descending along the list. */
  readonly score: number;
  /** The similarity of its meaning to the query: 0 for the average tool, 1 for the same. Only with an embedder. */
  readonly similarity?: number;
  /** Tools of other sources that do the same and were folded into this one. */
  readonly duplicates?: readonly string[];
  /** The part of the query that it serves best, if the query asks for several things. */
  readonly need?: string;
  /** The reasons it was found; only with `explain`. */
  readonly matches?: readonly WordMatch[];
}

/** The nearest categories and sources, if no tool fits. */
export interface ClosestGroups {
  readonly categories: readonly string[];
  readonly sources: readonly string[];
}

/** The result of a ranked search, best first. */
export interface RankedResult {
  readonly hits: readonly RankedHit[];
  /** A note for the reader: no tool fits, none clearly does, hits were folded, or another language helps. */
  readonly note?: string;
  /** The needs of a query that asks for several things, without talk around them. */
  readonly needs?: readonly string[];
  /** A note that the query is in another language than the tools, if it is. */
  readonly language?: string;
  /** The certainty that the best hit fits: 0 to 1, and 1 for a tool that the query names. */
  readonly certainty?: number;
  /** True if the certainty is below the limit of the index: no tool clearly fits. */
  readonly isDoubtful?: boolean;
  /** Only if nothing fits. */
  readonly closest?: ClosestGroups;
}
