import { createTestEmbedder } from '../../src/vectors/test-embedder.ts';
import { VectorTable } from '../../src/vectors/packed-rows.ts';
import { createLocalEmbedder } from '../../src/vectors/local/local-embedder.ts';
import { openBoardOf } from './contestants.ts';
import { type Percentiles, percentiles } from './measure-speed.ts';
import { ToolIndex } from './own-names.ts';
import type { SetTool, ToolSet } from './read-sets.ts';

const BOARD = 17_000;
const DIMENSION = 384;

/** The cost of a search by meaning, in milliseconds of CPU, all threads together. */
export interface FindCost {
  readonly query: Percentiles;
  readonly long: Percentiles;
  readonly find: Percentiles;
  readonly compare: Percentiles;
}

/** Measures the local embedder without its cache, and searches on a large board whose vectors come from a hash. */
export async function measureFind(sets: readonly ToolSet[]): Promise<FindCost> {
  const queries = sets.flatMap((set) => set.queries.filter((_, number) => number % 40 === 0).map(({ query }) => query));
  const local = createLocalEmbedder();
  await local.embed(queries.slice(0, 20));
  const query = await timeAll(queries, (text) => local.embed([text], { as: 'query' }));
  const long = await timeAll(queries.slice(0, 20), (text) => local.embed([`${text} `.repeat(200)]));
  await local.close();

  const known = sets.flatMap(({ tools }) => tools);
  const tools = Array.from({ length: BOARD }, (_, number): SetTool => {
    const tool = known[number % known.length];
    if (tool === undefined) throw new Error('The sets have no tools.');
    return { ...tool, name: `${tool.name}_${number}` };
  });
  const embedder = createTestEmbedder({ dimension: DIMENSION });
  const index = ToolIndex.from(openBoardOf(tools), { embedder });
  await index.prepare();
  for (const text of queries) await index.find(text);
  const find = await timeAll(queries, (text) => index.find(text));

  const table = new VectorTable(DIMENSION);
  const vectors = await embedder.embed(tools.map(({ description }) => description));
  for (const [slot, vector] of vectors.entries()) table.set(slot, vector);
  const [asked = new Float32Array(DIMENSION)] = vectors;
  for (let round = 0; round < 50; round++) table.multiply(asked);
  return { query, long, find, compare: await timeAll(queries, async () => table.multiply(asked)) };
}

async function timeAll<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<Percentiles> {
  const times: number[] = [];
  for (const item of items) {
    const start = process.cpuUsage();
    await work(item);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1_000);
  }
  return percentiles(times);
}
