import type { CallBounds, CallGuard } from '../../tool/calls/call-bounds.ts';
import { isForModels } from '../../tool/app-pages.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { nearestNames, shortenName } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { PolicyRule, PolicySelector } from '../../guard/policy/policy-section.ts';
import { compileRules, describeRule } from '../../guard/policy/rule-list.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { Agent, ToolPick } from '../define/agent.ts';
import { createGuard } from '../../guard/approval/guard.ts';
import type { Approve } from '../../tool/calls/approval.ts';
import { createPolicy } from '../../guard/policy/policy.ts';

/**
 * Returns the tools an agent may use, each once, in the order of its picks. Throws for a pick that matches nothing.
 *
 * Discovery tools are only included by name: an agent with all tools has nothing to find. Tools for app pages are never included.
 */
export function selectTools(agent: Pick<Agent, 'name' | 'tools'>, board: ToolRegistry): Tool[] {
  if (agent.tools === 'all') return board.getAll().filter((tool) => !isDiscoveryTool(tool) && isForModels(tool));
  const tools = new Map<string, Tool>();
  for (const pick of agent.tools) {
    for (const tool of resolvePick(pick, agent.name, board)) {
      if (!tools.has(tool.metadata.name) && isForModels(tool)) tools.set(tool.metadata.name, tool);
    }
  }
  return [...tools.values()];
}

/**
 * Returns a check for the calls an agent may make: those that its picks by risk allow, and all calls of its other tools. `undefined` when
 * no pick selects by risk.
 */
export function limitCalls(agent: Pick<Agent, 'name' | 'tools'>, board: ToolRegistry): CallBounds['mayCall'] {
  const picks = agent.tools === 'all' ? [] : agent.tools;
  const byRisk = picks.flatMap((pick): (PolicySelector & ToolPick)[] =>
    isRule(pick) && typeof pick !== 'string' && 'risk' in pick ? [pick] : [],
  );
  if (byRisk.length === 0) return undefined;
  const rules = compileRules(byRisk);
  const isByRisk = new Set<ToolPick>(byRisk);
  const others = new Set(
    picks.flatMap((pick) => (isByRisk.has(pick) ? [] : resolvePick(pick, agent.name, board))).map(nameOf),
  );
  return (tool, risk) =>
    others.has(nameOf(tool)) || rules.find(tool) === undefined || rules.find(tool, risk) !== undefined;
}

function nameOf({ metadata }: Tool): string {
  return metadata.name;
}

function resolvePick(pick: ToolPick, agent: string, board: ToolRegistry): Tool[] {
  if (typeof pick === 'string' && !pick.includes('*')) {
    const tool = board.get(pick);
    // An agent may run without a tool that is disabled.
    if (tool === undefined && board.absent?.explain(pick)?.type === 'known') return [];
    if (tool === undefined) throw unknownTool(pick, agent, board);
    return [tool];
  }
  if (!isRule(pick)) return [parseTool(pick)];
  const rules = compileRules([pick]);
  const found = board.getAll().filter((tool) => rules.matches(0, tool) && !isDiscoveryTool(tool));
  if (found.length > 0) return found;
  const message = `The agent "${agent}" asks for ${describeRule(pick)}, which no tool of the board matches. List them with: pegboard list`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'tools' });
}

/** A selector consists of strings and lists; a tool has functions. */
function isRule(pick: ToolPick): pick is PolicyRule & ToolPick {
  if (typeof pick === 'string') return true;
  if (typeof pick === 'function' || 'metadata' in pick) return false;
  return Object.keys(pick).every((key) => ['name', 'tag', 'category', 'risk', 'source'].includes(key));
}

function unknownTool(name: string, agent: string, board: ToolRegistry): ToolError {
  const nearest = nearestNames(name, board.names());
  const hint =
    nearest.length > 0
      ? `Did you mean: ${nearest.join(', ')}?`
      : `The board has ${board.size} ${board.size === 1 ? 'tool' : 'tools'}.`;
  const message = `The agent "${agent}" asks for the tool "${name}", which is not on the board. ${hint}`;
  return new ToolError({ code: 'invalid_arguments', message, toolName: name, field: 'tools' });
}

/** Replaces the name in `toolChoice` with the tool's current name. */
export function withToolChoice(agent: Agent, registry: ToolRegistry): Agent {
  const { toolChoice } = agent;
  if (typeof toolChoice === 'string' || registry.has(toolChoice.tool)) return agent;
  const [tool] = registry.only([toolChoice.tool]);
  return tool === undefined ? agent : { ...agent, toolChoice: { tool: tool.metadata.name } };
}

/** Throws when the tool that must be called first is not one of the agent's. */
export function checkToolChoice({ name, toolChoice }: Agent, ownTools: () => readonly string[]): void {
  if (typeof toolChoice === 'string') return;
  const tools = ownTools();
  if (tools.includes(toolChoice.tool)) return;
  const nearest = nearestNames(toolChoice.tool, tools);
  const hint = nearest.length > 0 ? `Did you mean: ${nearest.join(', ')}?` : 'Add it to its tools.';
  const message = `The agent "${name}" must call "${toolChoice.tool}" first, which is not one of its tools. ${hint}`;
  throw new ToolError({ code: 'invalid_arguments', message, toolName: toolChoice.tool, field: 'toolChoice' });
}

interface BoundsParts {
  /** The agent's own tools, or the board itself when the agent uses all of it. */
  readonly registry: ToolRegistry;
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
