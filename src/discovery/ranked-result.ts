import type { ToolIndexEntry } from './indexed-tool.ts';
import type { Field } from './ranking/ranking-weights.ts';

/** A word of the query and where the tool has it. */
export interface WordMatch {
  /** The word as the query has it. */
  readonly word: string;
  /** The word as the tool has it, where it differs: another form, a related word, the right spelling. */
  readonly as?: string;
  readonly fields: readonly Field[];
}

/** A tool that a ranked search found. */
export interface RankedHit extends ToolIndexEntry {
  /** How much of the query, or of one of its needs, the tool covers: 0 to 1, falling along the list. */
  readonly score: number;
  /** How close its meaning is to the query: 0 for as far off as most tools, 1 for the same. Only with an embedder. */
  readonly similarity?: number;
  /** Tools of other sources that do the same and were folded into this one. */
  readonly duplicates?: readonly string[];
  /** The part of the query that it serves best, where the query asks for several things. */
  readonly need?: string;
  /** Why it was found; only with `explain`. */
  readonly matches?: readonly WordMatch[];
}

/** The nearest categories and sources, when no tool fits. */
export interface ClosestGroups {
  readonly categories: readonly string[];
  readonly sources: readonly string[];
}

/** What a ranked search found, best first. */
export interface RankedResult {
  readonly hits: readonly RankedHit[];
  /** A remark for the reader: that no tool fits, that none clearly does, that hits were folded, that another language helps. */
  readonly note?: string;
  /** What the query asks for, where that are several things; talk around them is left out. */
  readonly needs?: readonly string[];
  /** Says that the query is in another language than the tools, where it is. */
  readonly language?: string;
  /** How sure the search is that the best hit fits: 0 to 1, and 1 for a tool that the query names. */
  readonly certainty?: number;
  /** No tool clearly fits: the certainty is below what the index doubts. */
  readonly isDoubtful?: boolean;
  /** Only when nothing fits. */
  readonly closest?: ClosestGroups;
}
