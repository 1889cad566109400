import { openSearch, toTool } from './contestants.ts';
import { measureSet } from './measure-set.ts';
import { sample } from './measure-refusal.ts';
import type { SetTool, ToolSet } from './read-sets.ts';
import { openTunedBm25 } from './tuned-bm25.ts';

/** Queries of a set that are asked. */
export const ASKED = 200;

/** nDCG@10 of ours and of BM25 over fields. */
interface Lead {
  readonly ours: number;
  readonly bm25: number;
}

/** The quality on a set with a board of its own and among the tools of all sets. */
export interface Together {
  readonly name: string;
  readonly alone: Lead;
  readonly among: Lead;
}

/** Measures each set on one board with the tools of all sets. */
export async function measureTogether(
  sets: readonly ToolSet[],
): Promise<{ readonly tools: number; readonly sets: readonly Together[] }> {
  const tools = joinTools(sets);
  const [ours, bm25] = [openSearch(tools), openTunedBm25(tools)];
  const results: Together[] = [];
  for (const set of sets) {
    const { name, queries } = set;
    const own = joinTools([set]);
    const asked = sample(queries, ASKED);
    const measure = async (search: typeof ours): Promise<number> => (await measureSet(asked, search)).ndcg10;
    results.push({
      name,
      alone: { ours: await measure(openSearch(own)), bm25: await measure(openTunedBm25(own)) },
      among: { ours: await measure(ours), bm25: await measure(bm25) },
    });
  }
  return { tools: tools.length, sets: results };
}

/** The tools of all sets. Of tools with one name the first is taken. */
function joinTools(sets: readonly ToolSet[]): SetTool[] {
  const byName = new Map<string, SetTool>();
  for (const tool of sets.flatMap(({ tools }) => tools)) {
    const { name } = toTool(tool).metadata;
    if (!byName.has(name)) byName.set(name, tool);
  }
  return [...byName.values()];
}
