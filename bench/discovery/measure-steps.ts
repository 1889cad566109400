import { estimateTokens } from '../../src/discovery/tokens/estimate-tokens.ts';
import { createDiscoveryTools } from '../../src/discovery/meta-tools/create-discovery-tools.ts';
import { openIndex, toTool } from './contestants.ts';
import type { ToolSet } from './read-sets.ts';

/** The quality and cost of a search for a task of several steps. */
export interface StepsQuality {
  readonly name: string;
  /** Percentage of needs for which a tool was shown. */
  readonly recall: number;
  /** Estimated tokens of the answer. */
  readonly tokens: number;
}

/** Asks `search_tools` for whole tasks, and for the steps that the set has for them. */
export async function measureSteps({ tools, queries }: ToolSet): Promise<StepsQuality[]> {
  const { index, registry } = openIndex(tools);
  registry.registerMany(createDiscoveryTools({ registry, index }));
  const original = new Map(tools.map((tool) => [toTool(tool).metadata.name, tool.name]));
  const ways: readonly (readonly [string, (query: ToolSet['queries'][number]) => Record<string, unknown>])[] = [
    ['the whole task as query', ({ query }) => ({ query })],
    ['the whole task as query, limit 20', ({ query }) => ({ query, limit: 20 })],
    ['one query a step', ({ steps = [] }) => ({ queries: steps.slice(0, 20) })],
  ];
  const results: StepsQuality[] = [];
  for (const [name, toInput] of ways) {
    let [recall, tokens] = [0, 0];
    for (const query of queries) {
      const { text, data } = await registry.call('search_tools', toInput(query));
      const shown = new Set(namesIn(data).map((own) => original.get(own) ?? own));
      recall += query.needs.filter((need) => need.some((one) => shown.has(one))).length / query.needs.length;
      tokens += estimateTokens(text);
    }
    results.push({ name, recall: (100 * recall) / queries.length, tokens: tokens / queries.length });
  }
  return results;
}

/** The names in what `search_tools` gives programs: `tools`, or `groups` of them. */
export function namesIn(data: unknown): string[] {
  // The shape is that of docs/agents-find-tools.md.
  const { tools = [], groups = [] } = data as { tools?: { name: string }[]; groups?: { tools: { name: string }[] }[] };
  return [...tools, ...groups.flatMap((group) => group.tools)].map(({ name }) => name);
}
