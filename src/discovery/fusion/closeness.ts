import type { IndexedTool } from '../indexed-tool.ts';

/** How close each tool is to a query. */
export interface Closeness {
  /** The cosine of a tool's vector with the query's; `undefined` for a tool that is not there. */
  of(name: string): number | undefined;
  /** The average over the board: what a tool that has nothing to do with the query has. */
  readonly average: number;
  /** How many tools were compared. */
  readonly size: number;
  /** The closest tools that pass, closest first. */
  nearest(count: number, passes: ((tool: IndexedTool) => boolean) | undefined): NearTool[];
}

/** A tool and its cosine. */
export interface NearTool {
  readonly tool: IndexedTool;
  readonly cosine: number;
}

/** Steps in which cosines are counted. */
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
    if (tool !== undefined && bucketOf(slot) >= lowest && may(slot)) found.push({ tool, cosine: products[slot] ?? 0 });
  }
  return found.sort((a, b) => b.cosine - a.cosine || a.tool.order - b.tool.order).slice(0, count);
}
