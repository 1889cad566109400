import type { ToolText } from '../text/read-tool-text.ts';
import { FIELDS, type RankingWeights } from './ranking-weights.ts';
import type { TermImpact } from './term-index.ts';

/** What each word says about a tool: BM25 over all fields at once, so that one word cannot win by being everywhere. */
export function weighTerms(text: ToolText, { fields, saturation }: RankingWeights): Map<string, TermImpact> {
  const found = new Map<string, { word: string; impact: number }>();
  for (const field of FIELDS) {
    const { weight, lengthEffect, usualLength } = fields[field];
    const words = text[field];
    if (words.length === 0) continue;
    const share = weight / (1 - lengthEffect + (lengthEffect * words.length) / usualLength);
    for (const { word, stem } of words) {
      const term = found.get(stem);
      if (term === undefined) found.set(stem, { word, impact: share });
      else term.impact += share;
    }
  }
  for (const term of found.values()) term.impact = (term.impact * (saturation + 1)) / (term.impact + saturation);
  return found;
}
