import type { FoundHits } from './fuse-hits.ts';
import type { BestText } from './read-passages.ts';

/** How many of the best of each way of searching say how far words are to be trusted. */
const BEST = 10;
/** Neither way of searching ever decides alone. */
const [LEAST, MOST] = [0.3, 0.7];

/**
 * How much words count against vectors for one query, from 0 to 1.
 *
 * In short texts the words of a question often stand under other names, and one vector holds all they say: vectors count
 * more. Of a long text a vector is an average, and words count more. Words also count more the closer the best of them are
 * to each other: their scores count as parts of the best score, and small differences would be lost beside those of
 * vectors. The numbers were chosen over ten collections, see docs/adr/042-mixing-words-and-vectors.md.
 */
export function weighWords({ words, vectors = [] }: FoundHits, texts: ReadonlyMap<string, BestText>): number {
  const lengths = [...words.slice(0, BEST), ...vectors.slice(0, BEST)].flatMap(
    ({ chunkId }) => texts.get(chunkId)?.terms.length ?? [],
  );
  const best = words[0]?.score ?? 0;
  const closeness = average(words.slice(1, BEST).map(({ score }) => (best === 0 ? 0 : score / best)));
  const weight = -0.27 + 0.15 * Math.log(1 + average(lengths)) + 0.25 * closeness;
  return Math.min(MOST, Math.max(LEAST, weight));
}

function average(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
