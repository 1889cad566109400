import { RELATED_GROUPS } from './related-groups.ts';
import { RELATED_PAIRS } from './related-pairs.ts';
import { stem } from './stem.ts';

/** For each stem the stems of words people use for the same thing, or together with it. */
export type RelatedWords = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads the list of related words that comes with Pegboard: written by hand from general knowledge, English only. */
export function readRelatedWords(): RelatedWords {
  const related = new Map<string, Set<string>>();
  for (const group of `${RELATED_GROUPS};${RELATED_PAIRS}`.split(';')) {
    const stems = new Set(group.trim().split(/\s+/).map(stem));
    for (const one of stems) {
      let others = related.get(one);
      if (others === undefined) related.set(one, (others = new Set()));
      for (const other of stems) if (other !== one) others.add(other);
    }
  }
  return related;
}
