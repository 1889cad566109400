import type { RagSet } from './read-rag-sets.ts';
import type { SetVectors } from './read-vectors.ts';

/** The documents to index, and the folder for files. */
export interface Given {
  readonly set: RagSet;
  readonly vectors: SetVectors;
  readonly folder: string;
}

/** A filled index: the best hundred ids for the query at a place of the set. */
export interface Opened {
  search(query: number): Promise<string[]> | string[];
  close?(): Promise<void> | void;
}

/** The query at a place of a set. */
export function textOf(set: RagSet, query: number): string {
  return set.queries[query]?.text ?? '';
}
