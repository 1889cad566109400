import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A tool of a set. */
export interface SetTool {
  readonly name: string;
  readonly description: string;
  readonly server?: string;
  readonly serverDescription?: string;
  readonly category?: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

/** A query with what it needs: each need is satisfied by any of its tools. */
export interface SetQuery {
  readonly query: string;
  readonly needs: readonly (readonly string[])[];
  /** The steps of the task, where the set has them. */
  readonly steps?: readonly string[];
}

/** Tools and queries that belong together. */
export interface ToolSet {
  readonly name: string;
  readonly tools: readonly SetTool[];
  readonly queries: readonly SetQuery[];
}

/** The sets of the data. */
const NAMES = ['azure-mcp', 'bfcl', 'livemcpbench', 'metatool', 'toolret-apigen'];

/** Reads the sets from `PEGBOARD_BENCH_DATA`, or from `../shared/data` beside the project. */
export function readSets(): ToolSet[] {
  const data = process.env['PEGBOARD_BENCH_DATA'] ?? fileURLToPath(new URL('../../../shared/data', import.meta.url));
  if (!existsSync(`${data}/tool-search`)) {
    throw new Error(`There is no folder tool-search in ${data}. Set PEGBOARD_BENCH_DATA to the folder that has it.`);
  }
  return NAMES.map((name) => readSet(`${data}/tool-search`, name));
}

/** Reads every set in `PEGBOARD_BENCH_MORE`, a folder of sets that only a large board is made of; none without it. */
export function readMoreSets(): ToolSet[] {
  const data = process.env['PEGBOARD_BENCH_MORE'];
  return data === undefined ? [] : readdirSync(data).map((name) => readSet(data, name));
}

function readSet(data: string, name: string): ToolSet {
  const folder = `${data}/${name}`;
  // The format is described in the data's README.
  const queries = readLines(`${folder}/queries.jsonl`) as (SetQuery & { relevant: string[]; groups?: string[][] })[];
  return {
    name,
    tools: readLines(`${folder}/tools.jsonl`) as SetTool[],
    queries: queries.map(({ query, relevant, groups, steps }) => ({
      query,
      ...(steps === undefined ? {} : { steps }),
      needs: groups ?? relevant.map((tool) => [tool]),
    })),
  };
}

function readLines(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
