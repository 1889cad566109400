import type { CallBounds, CallGuard } from '../../tool/calls/call-bounds.ts';
import { isForModels } from '../../tool/app-pages.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { nearestNames, shortenName } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { createGuard } from '../../guard/approval/guard.ts';
import type { Approve } from '../../tool/calls/approval.ts';
import { createPolicy } from '../../guard/policy/policy.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { Agent } from '../define/agent.ts';
import { limitCalls } from './select-tools.ts';

/** What the bounds of an agent's calls are made from. */
export interface BoundsParts {
  /** The agent's own tools; the board itself where it has all of them. */
  readonly registry: ToolRegistry;
  /** The board that they were chosen from. */
  readonly board: ToolRegistry;
  /** Asks a person, where the agent's `approval` wants that. Default: who answers for the run above, or for the board. */
  readonly approve: Approve | undefined;
  /** The bounds of the call that the agent runs below, if there is one: its guards judge the agent's calls too. */
  readonly above: CallBounds | undefined;
  /** The name that the model knows for one of the board's. */
  readonly toProvider: (name: string) => string;
}

/**
 * What bounds the calls of an agent: the tools that its model reaches, and who must agree before one runs.
 *
 * The set is the agent's own and not that of an agent above: an agent that is given as a tool brings the tools that it has.
 * Questions add up: the strictest `approval` on the way down counts.
 */
export function createAgentBounds(agent: Pick<Agent, 'name' | 'tools' | 'approval'>, parts: BoundsParts): CallBounds {
  const { registry, board, toProvider, above } = parts;
  const approve = parts.approve ?? above?.approve;
  const mayCall = limitCalls(agent, board);
  const fromBoard = registry === board ? undefined : namesFrom(registry, board);
  // An agent that has the whole board looks at the board itself, and is not offered its tools for finding others, nor those for pages.
  const isHidden = (tool: Tool): boolean => !isForModels(tool) || (registry === board && isDiscoveryTool(tool));
  const tools = (): readonly Tool[] => registry.getAll().filter((tool) => !isHidden(tool));
  return {
    tools,
    find(name) {
      const tool = registry.find(name);
      return tool === undefined || isHidden(tool) ? undefined : tool;
    },
    reaches(tool) {
      const { name } = tool.metadata;
      const own = registry.get(name);
      if (own === tool) return !isHidden(tool);
      // A board that was reloaded has another tool for the same name.
      return own !== undefined && fromBoard?.has(name) === true && board.get(name) === tool;
    },
    mayCall,
    // The agent's own choice was made when its run began.
    ...(registry === board ? { arrival: (name: string) => board.absent?.arrival(name, 'retry') } : {}),
    explainUnknown(name) {
      const own = tools().map(({ metadata }) => metadata.name);
      const nearest = nearestNames(name, own.map(toProvider));
      const hint =
        nearest.length > 0
          ? `Did you mean: ${nearest.join(', ')}?`
          : own.includes('search_tools')
            ? 'Find what you need with search_tools.'
            : 'Use only the tools that you were given.';
      const shown = shortenName(name);
      return new ToolError({ code: 'not_found', message: `There is no tool "${shown}". ${hint}`, toolName: shown });
    },
    approve,
    guards: [...openGuard(agent, approve), ...(above?.guards ?? [])],
  };
}

function openGuard({ approval }: Pick<Agent, 'approval'>, approve: Approve | undefined): CallGuard[] {
  return approval === 'none' ? [] : [createGuard(createPolicy({ approval: { global: approval } }), { approve })];
}

/** The names of the tools that are the board's: an agent may bring another tool under a name that the board has too. */
function namesFrom(registry: ToolRegistry, board: ToolRegistry): Set<string> {
  return new Set(registry.names().filter((name) => registry.get(name) === board.get(name)));
}
