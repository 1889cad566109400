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

/** The parts from which `createAgentBounds` builds the bounds. */
export interface BoundsParts {
  /** The agent's own tools, or the board itself when the agent uses all of it. */
  readonly registry: ToolRegistry;
  /** The board that the tools were selected from. */
  readonly board: ToolRegistry;
  /** Asks a person when the agent's `approval` requires that. Default: the `approve` of the run above, or the board's. */
  readonly approve: Approve | undefined;
  /** The bounds of the call that started the agent, if any: its guards also judge the agent's calls. */
  readonly above: CallBounds | undefined;
  /** Returns the model's name for a tool of the board. */
  readonly toProvider: (name: string) => string;
}

/**
 * Creates the bounds of an agent's calls: the tools that its model can reach and the approvals they need.
 *
 * An agent given as a tool keeps its own tools, whatever the agent above it may use. Approvals accumulate: the strictest `approval` in the
 * chain applies.
 */
export function createAgentBounds(agent: Pick<Agent, 'name' | 'tools' | 'approval'>, parts: BoundsParts): CallBounds {
  const { registry, board, toProvider, above } = parts;
  const approve = parts.approve ?? above?.approve;
  const mayCall = limitCalls(agent, board);
  const fromBoard = registry === board ? undefined : namesFrom(registry, board);
  // An agent with the whole board searches the board itself, so it gets neither discovery tools nor tools for app pages.
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
      // A reloaded board may have a different tool under the same name.
      return own !== undefined && fromBoard?.has(name) === true && board.get(name) === tool;
    },
    mayCall,
    // A selection of tools is fixed when the run begins.
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

/** Returns the names of tools that belong to the board: an agent may bring a different tool under one of the board's names. */
function namesFrom(registry: ToolRegistry, board: ToolRegistry): Set<string> {
  return new Set(registry.names().filter((name) => registry.get(name) === board.get(name)));
}
