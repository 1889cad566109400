const K1 = 1.2;
const B = 0.75;

/** How rare a word is: `documents` of `total` have it. Never negative. */
export function inverseFrequency(documents: number, total: number): number {
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}

/** What one word adds to the score of a text in which it stands `count` times. `relativeLength` is 1 for an average text. */
export function weighWord(count: number, relativeLength: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B + B * relativeLength));
}
