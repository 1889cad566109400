import { fileURLToPath } from 'node:url';
import { createEmbedder } from '../../src/vectors/create-embedder.ts';
import { ToolIndex } from './own-names.ts';
import { openBoardOf, toTool } from './contestants.ts';
import type { Search } from './measure-set.ts';
import type { SetTool } from './read-sets.ts';

/** Vectors of earlier runs: embedding all sets takes some minutes. */
const CACHE = fileURLToPath(new URL('../../.cache/discovery-vectors', import.meta.url));

/** The local embedder with a cache; one for all sets. */
export const embedder = createEmbedder({ platform: 'local' }, { data: CACHE });

/** An index that looks at meanings, ready. */
export async function openMeantIndex(tools: readonly SetTool[]): Promise<ToolIndex> {
  const index = ToolIndex.from(openBoardOf(tools), { embedder });
  await index.prepare();
  return index;
}

/** A search by words and meanings. */
export async function openWithEmbedder(tools: readonly SetTool[]): Promise<Search> {
  return searchOf(await openMeantIndex(tools), tools);
}

/** A search on an index of these tools. */
export function searchOf(index: ToolIndex, tools: readonly SetTool[]): Search {
  const original = new Map(tools.map((tool) => [toTool(tool).metadata.name, tool.name]));
  return async (query) => {
    const { hits } = await index.find(query, { wait: Infinity });
    return hits.map(({ name }) => original.get(name) ?? name);
  };
}
