import type { IndexedTool } from '../indexed-tool.ts';

/** The similarity of each tool to a query: 0 for the average tool, 1 for the same meaning, negative for more distant ones. */
export interface Closeness {
  /** Returns the similarity of a tool, or `undefined` if it has no vector. */
  of(name: string): number | undefined;
  /** The number of compared tools. */
  readonly size: number;
  /** Returns the cosine of the query and the closest tool that passes, not scaled by the rest of the board. */
  highest(passes: ((tool: IndexedTool) => boolean) | undefined): number;
  /** Returns the closest tools that pass, closest first. */
  nearest(count: number, passes: ((tool: IndexedTool) => boolean) | undefined): NearTool[];
}

export interface NearTool {
  readonly tool: IndexedTool;
  readonly similarity: number;
}

/** The vector of a query or of one of its needs, and its weight: 0 to 1. */
export interface MeantPart {
  readonly vector: Float32Array;
  readonly weight: number;
}

/** On a board with few tools the average does not represent tools that do not fit. */
const FEW = 8;
const USUAL_AVERAGE = 0.1;
/** The weight of the best need beside the whole query. */
const NEEDS = 0.5;

/** Scales cosines, whose range depends on model and query: 0 for the average tool, 1 for the same meaning. */
export function toSimilarities(cosines: Float32Array, slots: Iterable<number>): Float32Array {
  let [sum, count] = [0, 0];
  for (const slot of slots) {
    sum += cosines[slot] ?? 0;
    count++;
  }
  const mean = count === 0 ? 0 : sum / count;
  const average = count < FEW ? Math.min(USUAL_AVERAGE, mean) : mean;
  const room = Math.max(0.05, 1 - average);
  return cosines.map((cosine) => (cosine - average) / room);
}

/** Combines the similarities of tools to a whole query and to each of its needs, of which the best counts. */
export function joinSimilarities(whole: Float32Array, needs: readonly Float32Array[]): Float32Array {
  if (needs.length === 0) return whole;
  return whole.map((similarity, slot) => {
    let best = 0;
    for (const need of needs) best = Math.max(best, need[slot] ?? 0);
    return (1 - NEEDS) * similarity + NEEDS * best;
  });
}

/** Steps in which similarities are counted. */
const BUCKETS = 512;

interface Selection {
  readonly products: Float32Array;
  readonly count: number;
  readonly passes: ((tool: IndexedTool) => boolean) | undefined;
}

/** Returns the closest tools, closest first. Counts before sorting, because only a few tools of a large board need sorting. */
export function selectNearest(
  tools: readonly (IndexedTool | undefined)[],
  { products, count, passes }: Selection,
): NearTool[] {
  const buckets = new Int32Array(BUCKETS + 1);
  const bucketOf = (slot: number): number =>
    Math.max(0, Math.min(BUCKETS, Math.floor(((products[slot] ?? -1) + 1) * (BUCKETS / 2))));
  const may = (slot: number): boolean => {
    const tool = tools[slot];
    return tool !== undefined && (passes === undefined || passes(tool));
  };
  for (let slot = 0; slot < tools.length; slot++) {
    if (!may(slot)) continue;
    const bucket = bucketOf(slot);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  let lowest = BUCKETS;
  for (let seen = buckets[lowest] ?? 0; seen < count && lowest > 0;) seen += buckets[--lowest] ?? 0;
  const found: NearTool[] = [];
  for (let slot = 0; slot < tools.length; slot++) {
    const tool = tools[slot];
    if (tool !== undefined && bucketOf(slot) >= lowest && may(slot))
      found.push({ tool, similarity: products[slot] ?? 0 });
  }
  return found.sort((a, b) => b.similarity - a.similarity || a.tool.order - b.tool.order).slice(0, count);
}
