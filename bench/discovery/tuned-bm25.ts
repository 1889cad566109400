import { STOP_WORDS, QUERY_STOP_WORDS } from '../../src/text/stop-words.ts';
import { WordReader } from '../../src/text/word-reader.ts';
import type { Search } from './measure-set.ts';
import type { SetTool } from './read-sets.ts';
import { parametersOf } from './text-of.ts';

const SATURATION = 1.2;
/** Weight of a word in a field, and how much less it counts in a long one. */
const FIELDS: readonly (readonly [read: (tool: SetTool) => string, weight: number, lengthEffect: number])[] = [
  [({ name }) => name, 2.5, 0.5],
  [({ description }) => description, 1, 0.6],
  [parametersOf, 0.5, 0.6],
  [({ server = '' }) => server, 1, 0.3],
  [({ category = '' }) => category, 0.5, 0],
];

/** BM25 over fields with stems and stop words: what a search by words gives without any of the ranking's own ideas. */
export function openTunedBm25(tools: readonly SetTool[]): Search {
  const reader = new WordReader({ stopWords: STOP_WORDS, mild: true });
  const texts = FIELDS.map(([read]) => tools.map((tool) => reader.read(read(tool)).map(({ stem }) => stem)));
  const postings = new Map<string, Map<number, number>>();
  for (const [field, [, weight, lengthEffect]] of FIELDS.entries()) {
    const words = texts[field] ?? [];
    const usual = words.reduce((sum, { length }) => sum + length, 0) / words.length || 1;
    for (const [number, own] of words.entries()) {
      const share = weight / (1 - lengthEffect + (lengthEffect * own.length) / usual);
      for (const stem of own) {
        const list = postings.get(stem) ?? new Map<number, number>();
        postings.set(stem, list.set(number, (list.get(number) ?? 0) + share));
      }
    }
  }
  return (query) => {
    const scores = new Map<number, number>();
    for (const { stem, word } of reader.read(query)) {
      const list = QUERY_STOP_WORDS.has(word) ? undefined : postings.get(stem);
      if (list === undefined) continue;
      const rarity = Math.log(1 + (tools.length - list.size + 0.5) / (list.size + 0.5));
      for (const [number, sum] of list) {
        scores.set(number, (scores.get(number) ?? 0) + (rarity * sum * (SATURATION + 1)) / (sum + SATURATION));
      }
    }
    const best = [...scores].toSorted((a, b) => b[1] - a[1]).slice(0, 10);
    return best.map(([number]) => tools[number]?.name ?? '');
  };
}
