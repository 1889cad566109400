import { withBounds } from '../../tool/calls/call-bounds.ts';
import { isForModels } from '../../tool/app-pages.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { Tool } from '../../tool/tool.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import { createCodeTools, toTarget } from '../../code/code-tools.ts';
import { createDiscoveryTools } from '../../discovery/meta-tools/create-discovery-tools.ts';
import type { DiscoveryIndex } from '../../discovery/meta-tools/discovery-target.ts';
import { scopeIndex } from '../../discovery/meta-tools/scope-index.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import { ToolIndex } from '../../discovery/tool-index.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { Agent } from '../define/agent.ts';
import type { AgentCall } from './agent-result.ts';
import { ShownTools } from './shown-tools.ts';
import { selectTools } from './select-tools.ts';

const SEARCH = 'search_tools';
const MAX_ADDED = 20;

const DESCRIPTION =
  'Find tools by what they do: only a few of all tools are shown to you at first. Give one query, or one per step of the task in queries. Nothing given: an overview. The tools that are found are yours to call from your next step on.';

/** Tools that are shown as they are found. */
export interface Disclosure {
  /** Every tool the agent may call, the search included. */
  readonly registry: ToolRegistry;
  readonly shownTools: ShownTools;
  /** Shows what these calls have found; gives the names of the tools that are new. */
  disclose(calls: readonly AgentCall[]): string[];
}

/** Starts with pinned tools and a search where the agent wants that or has many tools; otherwise gives `undefined`. */
export function openDisclosure(agent: Agent, registry: ToolRegistry, board: BoardParts): Disclosure | undefined {
  const isWanted = agent.discovery === 'always' || (agent.discovery === 'auto' && registry.size > agent.searchAbove);
  if (agent.code) return openCode(agent, registry, board);
  if (!isWanted) return undefined;
  const search = createSearch(registry, board);
  // The board's own tools for finding others are only there for an agent that names them.
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
        // A tool that was called by its name without being shown is one to show, too.
        (tool === SEARCH ? readFound(result.data).slice(0, MAX_ADDED) : [tool]).filter((name) => {
          const found = own.get(name);
          return found !== undefined && shownTools.add(found);
        }),
      ),
  };
}

/** Shows the tools of code mode and pinned ones; all others are called from programs. */
function openCode(agent: Agent, registry: ToolRegistry, board: BoardParts): Disclosure {
  const others = registry.getAll().filter((tool) => !isDiscoveryTool(tool) && isForModels(tool));
  const own = new ToolRegistry({ executor: registry.executor }).registerMany(others);
  const tools = createCodeTools(toTarget(board, { registry: own, index: indexFor(registry, board) }));
  // A tool of the agent's own that is called so gives way: the model is told of programs.
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
    // Tools that are found become real ones here; no other tool is needed to call them.
    metadata: { ...made.metadata, description: DESCRIPTION },
    schema: made.schema,
    // Its index has the agent's own tools and no others, so that it need not look at them one by one.
    execute: (input: unknown, context: Parameters<Tool['run']>[1]) => made.run(input, withBounds(context, undefined)),
  });
}

/** The board's own index where it has all tools, as it may also know meanings and learned queries. */
function indexFor(registry: ToolRegistry, board: BoardParts): DiscoveryIndex {
  const { registry: whole, index } = board;
  if (index === undefined) return indexOf(registry);
  if (whole === registry) return index;
  return registry.getAll().every((tool) => whole.get(tool.metadata.name) === tool)
    ? scopeIndex(index, registry)
    : indexOf(registry);
}

const indexes = new WeakMap<ToolRegistry, ToolIndex>();

/** One index for all runs on a board. */
function indexOf(registry: ToolRegistry): ToolIndex {
  let index = indexes.get(registry);
  if (index === undefined) indexes.set(registry, (index = ToolIndex.from(registry)));
  return index;
}

/** What is shown from the start: pinned tools of the board and of the agent, the one that must be called first, other agents. */
function pinnedTools(agent: Agent, registry: ToolRegistry, board: BoardParts): Tool[] {
  const forced = typeof agent.toolChoice === 'string' ? [] : [agent.toolChoice.tool];
  const names = [...agent.pinned, ...forced];
  const pinned = names.length === 0 ? [] : selectTools({ name: agent.name, tools: names }, registry);
  return [...registry.only(board.pinned ?? []), ...pinned, ...registry.only(agent.agents.map(({ name }) => name))];
}

/** The names in an answer of the search: one list, or a list for each query. */
function readFound(data: unknown): string[] {
  if (!isPlainObject(data)) return [];
  const groups: unknown[] = Array.isArray(data['groups']) ? data['groups'] : [data];
  return groups.flatMap((group) => {
    const tools: unknown[] = isPlainObject(group) && Array.isArray(group['tools']) ? group['tools'] : [];
    return tools.flatMap((tool) => (isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : []));
  });
}
