import { withBounds } from '../../tool/calls/call-bounds.ts';
import { isForModels } from '../../tool/app-pages.ts';
import { isDiscoveryTool, isHelperTool } from '../../tool/tool-marks.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { Tool } from '../../tool/tool.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import { createCodeTools, toTarget } from '../../code/code-tools.ts';
import { createDiscoveryTools } from '../../discovery/meta-tools/create-discovery-tools.ts';
import { type DiscoveryIndex, scopeIndex } from '../../discovery/meta-tools/discovery-view.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import { ToolIndex } from '../../discovery/tool-index.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { Agent } from '../define/agent.ts';
import type { AgentCall } from './agent-result.ts';
import { selectTools } from './select-tools.ts';
import { wordsForModel } from '../../tool/server-words.ts';
import { toDeclaredTool } from '../../export/ai-sdk.ts';
import { describeTool } from '../../export/describe-tool.ts';
import { createNameTable, FRAMEWORK_NAMES, type NameTable } from '../../export/name-table.ts';
import type { FunctionTool, ToolSet } from '../model/ai-types.ts';

const SEARCH = 'search_tools';
const MAX_ADDED = 20;

const DESCRIPTION =
  'Find tools by what they do: only a few of all tools are shown to you at first. Give one query, or one per step of the task in queries. Without arguments: an overview. You can call the tools it finds from your next step on.';

/** Tools that are shown to the model as it finds them. */
export interface Disclosure {
  /** Every tool the agent may call, including the search. */
  readonly registry: ToolRegistry;
  readonly shownTools: ShownTools;
  /** Shows the tools that these calls found; returns the names of the new ones. */
  disclose(calls: readonly AgentCall[]): string[];
}

/** Starts with pinned tools and a search if the agent asks for that or has many tools; otherwise returns `undefined`. */
export function openDisclosure(agent: Agent, registry: ToolRegistry, board: BoardParts): Disclosure | undefined {
  const isWanted = agent.discovery === 'always' || (agent.discovery === 'auto' && registry.size > agent.searchAbove);
  if (agent.code) return openCode(agent, registry, board);
  if (!isWanted) return undefined;
  const search = createSearch(registry, board);
  // The board's discovery tools are only included when the agent names them.
  const named =
    agent.tools === 'all' ? [] : registry.getAll().filter((tool) => isDiscoveryTool(tool) && !isSearch(tool));
  const tools = [...named, ...registry.getAll().filter((tool) => !isDiscoveryTool(tool) && isForModels(tool))];
  const own = new ToolRegistry({ executor: registry.executor }).registerMany([search, ...tools]);
  const shownTools = new ShownTools(own.names(), [search, ...named, ...pinnedTools(agent, own, board)]);
  return {
    registry: own,
    shownTools,
    disclose: (calls) =>
      calls.flatMap(({ tool, result }) =>
        // A tool called by name without being shown is shown from now on, too.
        (tool === SEARCH ? readFound(result.data).slice(0, MAX_ADDED) : [tool]).filter((name) => {
          const found = own.get(name);
          return found !== undefined && shownTools.add(found);
        }),
      ),
  };
}

/** Shows the tools of code mode and pinned tools; programs call all others. */
function openCode(agent: Agent, registry: ToolRegistry, board: BoardParts): Disclosure {
  const others = registry.getAll().filter((tool) => !isDiscoveryTool(tool) && isForModels(tool));
  const own = new ToolRegistry({ executor: registry.executor }).registerMany(others);
  const tools = createCodeTools(toTarget(board, { registry: own, index: indexFor(registry, board) }));
  // Replaces an agent's own tool of the same name: the prompt describes the tool that runs programs.
  own.registerMany(tools, { override: true });
  const shownTools = new ShownTools(own.names(), [...tools, ...pinnedTools(agent, own, board)]);
  return { registry: own, shownTools, disclose: () => [] };
}

function isSearch({ metadata }: Tool): boolean {
  return metadata.name === SEARCH;
}

function createSearch(registry: ToolRegistry, board: BoardParts): Tool {
  const index = indexFor(registry, board);
  const made = createDiscoveryTools({ registry, index }).find(isSearch);
  if (made === undefined) throw new Error(`There is no ${SEARCH} among the discovery tools.`);
  return parseTool({
    // Found tools become regular tools here, so `call_tool` is not mentioned.
    metadata: { ...made.metadata, description: DESCRIPTION },
    schema: made.schema,
    // The index contains only the agent's tools, so the search need not filter its hits.
    execute: (input: unknown, context: Parameters<Tool['run']>[1]) => made.run(input, withBounds(context, undefined)),
  });
}

/** Returns the board's own index when it covers all tools, as it may also have embeddings and learned queries. */
function indexFor(registry: ToolRegistry, board: BoardParts): DiscoveryIndex {
  const { registry: whole, index } = board;
  if (index === undefined) return indexOf(registry);
  if (whole === registry) return index;
  return registry.getAll().every((tool) => whole.get(tool.metadata.name) === tool)
    ? scopeIndex(index, registry)
    : indexOf(registry);
}

const indexes = new WeakMap<ToolRegistry, ToolIndex>();

/** Returns the index of a board, shared by all its runs. */
function indexOf(registry: ToolRegistry): ToolIndex {
  let index = indexes.get(registry);
  if (index === undefined) indexes.set(registry, (index = ToolIndex.from(registry)));
  return index;
}

/** The tools shown from the start: pinned ones of the board and the agent, the one that must be called first, and other agents. */
function pinnedTools(agent: Agent, registry: ToolRegistry, board: BoardParts): Tool[] {
  const forced = typeof agent.toolChoice === 'string' ? [] : [agent.toolChoice.tool];
  const names = [...agent.pinned, ...forced];
  const pinned = names.length === 0 ? [] : selectTools({ name: agent.name, tools: names }, registry);
  return [...registry.only(board.pinned ?? []), ...pinned, ...registry.only(agent.agents.map(({ name }) => name))];
}

/** Reads the names from a search result: one list, or a list for each query. */
function readFound(data: unknown): string[] {
  if (!isPlainObject(data)) return [];
  const groups: unknown[] = Array.isArray(data['groups']) ? data['groups'] : [data];
  return groups.flatMap((group) => {
    const tools: unknown[] = isPlainObject(group) && Array.isArray(group['tools']) ? group['tools'] : [];
    return tools.flatMap((tool) => (isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : []));
  });
}

/** The tools a model sees. Tools are only appended, so that the provider's cached prefix stays valid. */
export class ShownTools {
  /** For the AI SDK, by the providers' names. */
  readonly set: ToolSet = {};
  /** The declarations sent to providers. */
  readonly declared: FunctionTool[] = [];
  readonly #shown = new Set<string>();
  readonly #names: NameTable;

  /** `known` lists every tool that may ever be shown: names depend on all of them. */
  constructor(known: Iterable<string>, shownTools: Iterable<Tool>) {
    this.#names = createNameTable(known, FRAMEWORK_NAMES);
    for (const tool of shownTools) this.add(tool);
  }

  /** Shows another tool from the next step on. Returns false if it is already shown. */
  add(tool: Tool): boolean {
    const { name } = tool.metadata;
    if (this.#shown.has(name)) return false;
    this.#shown.add(name);
    const providerName = this.toProvider(name);
    this.set[providerName] = toDeclaredTool(tool);
    const words = wordsForModel(tool);
    // Both types describe the same JSON Schema.
    const inputSchema = words.inputSchema as FunctionTool['inputSchema'];
    this.declared.push({
      type: 'function',
      name: providerName,
      description: describeTool(words.metadata),
      inputSchema,
    });
    return true;
  }

  /** Shows the tools that read the rest of long results; returns the names of the new ones. */
  addHelpers(tools: readonly Tool[]): string[] {
    return tools.flatMap((tool) => (isHelperTool(tool) && this.add(tool) ? [tool.metadata.name] : []));
  }

  /** The names of the shown tools, in order. */
  get names(): string[] {
    return [...this.#shown];
  }

  /** Returns the provider's name for a tool of the board. */
  toProvider(name: string): string {
    return this.#names.toProvider(name) ?? name;
  }

  /** Returns the board's name for a name that the model used. */
  toBoard(name: string): string {
    return this.#names.toOriginal(name) ?? name;
  }
}
