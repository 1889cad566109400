import type { RagQuery } from './read-rag-sets.ts';

/** nDCG@10 of one answer. */
export function toNdcg(ranked: readonly string[], { gains }: RagQuery): number {
  const discount = (sum: number, gain: number, place: number): number => sum + (2 ** gain - 1) / Math.log2(place + 2);
  const found = ranked
    .slice(0, 10)
    .map((id) => gains.get(id) ?? 0)
    .reduce(discount, 0);
  const ideal = [...gains.values()]
    .toSorted((a, b) => b - a)
    .slice(0, 10)
    .reduce(discount, 0);
  return found / ideal;
}
