import type { Search } from './measure-set.ts';
import { wordsOf } from './text-of.ts';
import type { SetTool } from './read-sets.ts';

const SATURATION = 1.2;
const LENGTH_EFFECT = 0.75;

/** BM25 as in the textbook: one field, words as they stand. */
export function openPlainBm25(tools: readonly SetTool[]): Search {
  const documents = tools.map((tool) => splitPlainly(wordsOf(tool)));
  const average = documents.reduce((sum, words) => sum + words.length, 0) / documents.length;
  const postings = new Map<string, Map<number, number>>();
  for (const [number, words] of documents.entries()) {
    for (const word of words) {
      const list = postings.get(word) ?? new Map<number, number>();
      postings.set(word, list.set(number, (list.get(number) ?? 0) + 1));
    }
  }
  return (query) => {
    const scores = new Map<number, number>();
    for (const word of splitPlainly(query)) {
      const list = postings.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - list.size + 0.5) / (list.size + 0.5));
      for (const [number, count] of list) {
        const length = (documents[number]?.length ?? 0) / average;
        const part = (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_EFFECT + LENGTH_EFFECT * length));
        scores.set(number, (scores.get(number) ?? 0) + rarity * part);
      }
    }
    const best = [...scores].toSorted((a, b) => b[1] - a[1]).slice(0, 10);
    return best.map(([number]) => tools[number]?.name ?? '');
  };
}

function splitPlainly(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
