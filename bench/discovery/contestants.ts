import { create, insertMultiple, search } from '@orama/orama';
import FlexSearch from 'flexsearch';
import MiniSearch from 'minisearch';
import { ToolIndex, ToolRegistry, defineTool } from './own-names.ts';
import type { Search } from './measure-set.ts';
import { openPlainBm25 } from './plain-bm25.ts';
import type { SetTool } from './read-sets.ts';
import { openTunedBm25 } from './tuned-bm25.ts';
import { parametersOf } from './text-of.ts';
import { withoutTypes } from './without-types.ts';

/** A way to search, and how it is opened over a set's tools. */
export interface Contestant {
  readonly name: string;
  open(tools: readonly SetTool[]): Search | Promise<Search>;
}

const FIELDS = ['name', 'description', 'parameters', 'server', 'category'] as const;

/** Every way that is compared; ours comes last. */
export const CONTESTANTS: readonly Contestant[] = [
  { name: 'substring', open: (tools) => openOwn(tools, false) },
  { name: 'MiniSearch', open: openMiniSearch },
  { name: 'Orama', open: openOrama },
  { name: 'FlexSearch', open: openFlexSearch },
  { name: 'plain BM25', open: openPlainBm25 },
  { name: 'BM25 over fields', open: openTunedBm25 },
  { name: 'Pegboard', open: openSearch },
];

/** An index over a set's tools; a server is a source with its description. */
export function openIndex(tools: readonly SetTool[]): { readonly index: ToolIndex; readonly registry: ToolRegistry } {
  const board = openBoardOf(tools);
  return { index: ToolIndex.from(board), registry: board.registry };
}

/** A board of a set's tools. */
export function openBoardOf(tools: readonly SetTool[]): {
  readonly registry: ToolRegistry;
  readonly files: { readonly name: string; readonly description: string | undefined }[];
} {
  const registry = new ToolRegistry().registerMany(tools.map(toTool));
  const servers = new Map(tools.map(({ server = '', serverDescription }) => [server, serverDescription]));
  return { registry, files: [...servers].map(([name, description]) => ({ name, description })) };
}

/** A tool of a set as a tool of a board. */
export function toTool({ name, description, server, category, inputSchema }: SetTool): ReturnType<typeof defineTool> {
  return defineTool({
    name: name.replaceAll(/[^\w.-]/g, '_').slice(0, 128),
    description: description.trim() || name,
    ...(server ? { source: server } : {}),
    ...(category ? { category } : {}),
    schema: { ...withoutTypes(inputSchema), type: 'object' },
    execute: () => name,
  });
}

/** A ranked search over a set's tools. */
export function openSearch(tools: readonly SetTool[]): Search {
  return openOwn(tools, true);
}

function openOwn(tools: readonly SetTool[], rank: boolean): Search {
  const { index } = openIndex(tools);
  const original = new Map(tools.map((tool) => [toTool(tool).metadata.name, tool.name]));
  return (query) => index.search({ query, rank }).map(({ name }) => original.get(name) ?? name);
}

function openMiniSearch(tools: readonly SetTool[]): Search {
  const mini = new MiniSearch({ fields: [...FIELDS], storeFields: ['name'] });
  mini.addAll(tools.map(toDocument));
  return (query) => mini.search(query).map(({ name }: { name: unknown }) => String(name));
}

async function openOrama(tools: readonly SetTool[]): Promise<Search> {
  const database = create({
    schema: { name: 'string', description: 'string', parameters: 'string', server: 'string', category: 'string' },
  });
  await insertMultiple(
    database,
    tools.map(({ ...tool }) => ({ ...toDocument(tool, 0), id: tool.name })),
    5_000,
  );
  return async (query) => {
    const { hits } = await search(database, { term: query, limit: 10 });
    return hits.map(({ id }: { id: string }) => id);
  };
}

function openFlexSearch(tools: readonly SetTool[]): Search {
  const index = new FlexSearch.Document({ document: { id: 'id', index: [...FIELDS] } });
  for (const [number, tool] of tools.entries()) index.add({ ...toDocument(tool, number) });
  return (query) => {
    const places = new Map<number, number>();
    for (const { result } of index.search(query, { limit: 10, suggest: true })) {
      for (const [place, id] of result.entries())
        places.set(Number(id), (places.get(Number(id)) ?? 0) + 1 / (place + 1));
    }
    const best = [...places].toSorted((a, b) => b[1] - a[1]);
    return best.slice(0, 10).map(([number]) => tools[number]?.name ?? '');
  };
}

function toDocument(tool: SetTool, id: number): Record<(typeof FIELDS)[number], string> & { readonly id: number } {
  const { name, description, server = '', category = '' } = tool;
  return { id, name, description, server, category, parameters: parametersOf(tool) };
}
