import type { IndexedTool } from '../indexed-tool.ts';

/** How close each tool is to a query: 0 for as far off as most, 1 for the same meaning; below 0 for farther off. */
export interface Closeness {
  /** How close a tool is; `undefined` for one that is not there. */
  of(name: string): number | undefined;
  /** How many tools were compared. */
  readonly size: number;
  /** The cosine of the query and the closest tool that passes: unlike closeness, not compared with the rest of the board. */
  highest(passes: ((tool: IndexedTool) => boolean) | undefined): number;
  /** The closest tools that pass, closest first. */
  nearest(count: number, passes: ((tool: IndexedTool) => boolean) | undefined): NearTool[];
}

/** A tool and how close it is. */
export interface NearTool {
  readonly tool: IndexedTool;
  readonly similarity: number;
}

/** The vector of a query or of one of its needs, and how much it counts: 0 to 1. */
export interface MeantPart {
  readonly vector: Float32Array;
  readonly weight: number;
}

/** On a board of few tools the average says nothing of tools that do not fit. */
const FEW = 8;
const USUAL_AVERAGE = 0.1;
/** What the best of the needs counts beside the whole query. */
const NEEDS = 0.5;

/** Scales cosines, whose range differs by model and by query: 0 for a tool as far off as most, 1 for the same meaning. */
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

/** Joins how close tools are to a whole query and to each of its needs, of which the best counts. */
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

/** What to select from, and how many. */
interface Selection {
  readonly products: Float32Array;
  readonly count: number;
  readonly passes: ((tool: IndexedTool) => boolean) | undefined;
}

/** The closest tools, closest first. Counts before it sorts: of a large board only a few are worth sorting. */
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
