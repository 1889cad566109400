import type { FoundHits } from './fuse-hits.ts';
import type { BestText } from './read-passages.ts';

/** The number of best hits of each search that determine the weight of words. */
const BEST = 10;
/** Neither search ever decides alone. */
const [LEAST, MOST] = [0.3, 0.7];

/**
 * Returns the weight of words against vectors for one query, from 0 to 1.
 *
 * Short texts often use other words than the question, and one vector captures all they say, so vectors count more. The
 * vector of a long text is an average, so words count more. Words also count more if their best scores are close
 * together: they count relative to the best one, and small differences would be lost beside those of vectors. The
 * numbers were tuned on ten collections, see docs/adr/042-mixing-words-and-vectors.md.
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
