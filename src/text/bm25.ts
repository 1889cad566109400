const K1 = 1.2;
const B = 0.75;

/** Returns the BM25 rarity of a word that `documents` of `total` documents contain. Never negative. */
export function inverseFrequency(documents: number, total: number): number {
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}

/** Returns what a word that occurs `count` times adds to a text's BM25 score. `relativeLength` is 1 for an average text. */
export function weighWord(count: number, relativeLength: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B + B * relativeLength));
}
