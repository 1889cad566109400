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
