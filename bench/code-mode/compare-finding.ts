import { createCodeTools } from '../../src/code/code-tools.ts';
import { createDiscoveryTools } from '../../src/discovery/meta-tools/create-discovery-tools.ts';
import type { Tool, ToolExecutor } from '../../src/index.ts';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { openIndex, toTool } from '../discovery/contestants.ts';
import { namesIn } from '../discovery/measure-steps.ts';
import { readSets, type SetQuery, type ToolSet } from '../discovery/read-sets.ts';
import { formatFigure, type Table } from '../report.ts';

/** Queries of each set, evenly picked: the whole sets are measured by the benchmark of discovery. */
const QUERIES = 150;

/** The tools that one way of searching shows, and the cost of its answers. */
interface Found {
  /** Percentage of needs for which a tool was shown. */
  readonly recall: number;
  /** Tokens of an answer. */
  readonly tokens: number;
}

/** Compares the needed tools that `search_tools` shows to models that call and to those that write programs and see fewer. */
export async function compareFinding(): Promise<Table> {
  const rows: string[][] = [];
  for (const set of readSets()) {
    const { registry, index } = openIndex(set.tools);
    const { executor } = registry;
    const [calls] = createDiscoveryTools({ registry, index });
    const [code] = createCodeTools({ registry, index });
    const whole = ({ query }: SetQuery): readonly string[] => [query];
    rows.push(await compare(set, { name: set.name, ask: whole, calls, code, executor }));
    if (set.queries.some(({ steps }) => steps !== undefined)) {
      const steps = ({ query, steps: own }: SetQuery): readonly string[] => own?.slice(0, 20) ?? [query];
      rows.push(await compare(set, { name: `${set.name}, a query for each step`, ask: steps, calls, code, executor }));
    }
  }
  return {
    caption:
      'Needs for which search_tools shows a tool, and tokens (o200k) of its answer: to models that call, and in code mode:',
    head: ['Set', 'Discovery, %', 'Code, %', 'Discovery, tokens', 'Code, tokens'],
    rows,
  };
}

interface Comparison {
  readonly name: string;
  readonly ask: (query: SetQuery) => readonly string[];
  readonly calls: Tool | undefined;
  readonly code: Tool | undefined;
  readonly executor: ToolExecutor;
}

async function compare(set: ToolSet, way: Comparison): Promise<string[]> {
  const { name, calls, code } = way;
  const [inCalls, inCode] = [await measure(set, calls, way), await measure(set, code, way)];
  return [name, ...[inCalls.recall, inCode.recall, inCalls.tokens, inCode.tokens].map(formatFigure)];
}

async function measure(
  { tools, queries }: ToolSet,
  search: Tool | undefined,
  { ask, executor }: Comparison,
): Promise<Found> {
  if (search?.metadata.name !== 'search_tools') throw new Error('search_tools comes first.');
  const original = new Map(tools.map((tool) => [toTool(tool).metadata.name, tool.name]));
  const step = Math.max(1, queries.length / QUERIES);
  const picked = Array.from(
    { length: Math.min(QUERIES, queries.length) },
    (_, place) => queries[Math.floor(place * step)],
  );
  let [recall, tokens] = [0, 0];
  for (const query of picked) {
    if (query === undefined) continue;
    const { text, data } = await executor.execute(search, { queries: ask(query) });
    const shown = new Set(namesIn(data).map((own) => original.get(own) ?? own));
    recall += query.needs.filter((need) => need.some((one) => shown.has(one))).length / query.needs.length;
    tokens += countTokens(text);
  }
  return { recall: (100 * recall) / picked.length, tokens: tokens / picked.length };
}
