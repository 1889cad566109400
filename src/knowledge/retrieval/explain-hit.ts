import { readTerms } from '../../text/read-terms.ts';
import type { FusedHit } from './fuse-hits.ts';
import type { HitExplanation } from './knowledge-search.ts';

/** Says why a hit is where it is. */
export function explainHit({ words, vector }: FusedHit, query: string, text: string): HitExplanation {
  const has = new Set(readTerms(text));
  const terms = [...new Set(readTerms(query))].filter((term) => has.has(term));
  return { words: words === undefined ? undefined : { ...words, terms }, vector };
}
