import { boundsOf, type CallBounds, withBounds } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { Agent } from '../define/agent.ts';
import type { AgentEvent, AgentResult } from './agent-result.ts';
import { AGENT_MARK, isHelperTool } from '../../tool/tool-marks.ts';
import { risksOf } from '../../tool/tool-metadata.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { toBoardParts } from '../../discovery/board-like.ts';
import { limitCalls, selectTools } from './select-tools.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';
import { CANCELLATION, type ToolContext } from '../../tool/tool-context.ts';
import type { BoardRuns } from '../../platform/runs/board-runs.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';

const TIMEOUT = 600_000;
const DEFAULT_DEPTH = 3;

/** Runs an agent on behalf of another one. */
export type RunBelow = (
  agent: Agent,
  input: AgentInput,
  options: RunOptions & { link?: RunLink; kept?: KeptBelow },
) => Promise<AgentResult>;

/** Options for the runs of an agent that is a tool. */
export type AgentToolOptions = Pick<RunOptions, 'board' | 'env' | 'approve'>;

/**
 * Makes a tool of an agent: the caller gives it a task and gets its answer.
 *
 * The context of the call carries the caller's guards, which also judge the agent's own calls.
 */
export function makeAgentTool(agent: Agent, run: RunBelow, options: AgentToolOptions): Tool {
  return defineTool({
    name: agent.name,
    description: agent.description,
    category: 'agent',
    ...(onlyReads(agent, options.board) ? { risk: 'read' as const } : {}),
    ...AGENT_MARK,
    paths: [],
    timeout: TIMEOUT,
    schema: {
      type: 'object',
      properties: {
        task: {
          type: 'string',
          minLength: 1,
          description: 'The task, with all necessary facts: the agent does not see this conversation.',
        },
      },
      required: ['task'],
      additionalProperties: false,
    },
    async execute({ task }: { task: string }, context) {
      const link = readRunLink(context);
      checkTrail(agent.name, link);
      // Only the call itself has an idempotency key: calls that a tool makes are not stored as runs of their own.
      const kept = context.idempotencyKey === undefined ? undefined : link?.kept;
      const result = await run(agent, task, {
        ...options,
        context,
        signal: context.signal,
        approve: boundsOf(context)?.approve ?? options.approve,
        onEvent: link?.onEvent,
        tracer: link?.tracer,
        traceContent: link?.traceContent,
        ...(link === undefined ? {} : { link }),
        ...(kept === undefined ? {} : { kept }),
      });
      link?.addUsage(result.usage);
      if (!result.ok && result.outcome === 'waiting') {
        kept?.onWait(result.waitingFor);
        throw waiting(agent.name);
      }
      if (!result.ok) throw failed(agent.name, result);
      return typeof result.output === 'string' ? ToolResult.text(result.output) : ToolResult.json(result.output);
    },
  });
}

/**
 * True when every call that the agent and the agents below it can make only reads: delegating to it then needs no more approval than those
 * calls do. Any other agent has the default risk; its calls are judged one by one.
 */
function onlyReads(agent: Agent, board: RunOptions['board'], above: readonly string[] = []): boolean {
  if (above.includes(agent.name)) return true;
  try {
    const { registry } = toBoardParts(board ?? new ToolRegistry(), 'board');
    const mayCall = limitCalls(agent, registry);
    return (
      selectTools(agent, registry).every((tool) =>
        risksOf(tool).every((risk) => risk === 'read' || mayCall?.(tool, risk) === false),
      ) && agent.agents.every((below) => onlyReads(below, board, [...above, agent.name]))
    );
  } catch {
    // A missing tool is reported when the agent runs.
    return false;
  }
}

/** Throws for agents that call themselves and for chains of more than `maxDepth` agents: such runs might never end. */
function checkTrail(name: string, link: RunLink | undefined): void {
  const trail = link?.trail ?? [];
  const way = [...trail, name].join(' → ');
  if (trail.includes(name)) throw refuse(name, `"${name}" is already working on this (${way}). Do this part yourself.`);
  const most = link?.maxDepth ?? DEFAULT_DEPTH;
  if (trail.length > most) throw refuse(name, `Tasks may be delegated ${most} times (${way}). Do this part yourself.`);
}

function refuse(toolName: string, message: string): ToolError {
  return new ToolError({ code: 'permission_denied', message, toolName });
}

function waiting(toolName: string): ToolError {
  const message = `The agent "${toolName}" waits for approval of its calls.`;
  return new ToolError({ code: 'approval_required', message, toolName });
}

function failed(name: string, result: AgentResult & { readonly ok: false }): ToolError {
  const said = result.text === '' ? '' : ` Its last message: ${result.text}`;
  return new ToolError({
    code: result.outcome === 'cancelled' ? 'cancelled' : 'execution_failed',
    message: `The agent "${name}" did not finish: ${result.reason}${said}`,
    toolName: name,
    cause: result.cause,
  });
}

/** Returns the board itself when the agent uses all of it; otherwise a registry of its selection on the same pipeline. */
export function openRegistry(
  agent: Agent,
  registry: ToolRegistry,
  { runBelow, ...options }: Pick<RunOptions, 'board' | 'env'> & { readonly runBelow: RunBelow },
): ToolRegistry {
  if (agent.tools === 'all' && agent.agents.length === 0) return registry;
  const tools = selectTools(agent, registry);
  tools.push(...registry.getAll().filter((tool) => isHelperTool(tool) && !tools.includes(tool)));
  const names = new Set(tools.map(({ metadata }) => metadata.name));
  const agents = agent.agents.map((below) => makeAgentTool(below, runBelow, options));
  const taken = agents.find(({ metadata }) => names.has(metadata.name));
  if (taken !== undefined) {
    const message = `The agent "${agent.name}" has a tool and an agent that are both called "${taken.metadata.name}". Rename one of them.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'agents' });
  }
  return new ToolRegistry({ executor: registry.executor }).registerMany([...tools, ...agents]);
}

/** The data that a run passes down to agents among its tools. */
export interface RunLink {
  /** The names of the agents above, topmost first. */
  readonly trail: readonly string[];
  /** The longest allowed chain of agents. */
  readonly maxDepth: number;
  readonly onEvent: (event: AgentEvent) => void;
  readonly addUsage: (usage: AgentUsage) => void;
  readonly tracer: Tracer | false | undefined;
  readonly traceContent: boolean | undefined;
  /** The parent of the spans of lower runs. */
  readonly parentSpan: unknown;
  /** The place to store the run that a call starts; undefined when the run above is not stored. */
  readonly kept?: KeptBelow | undefined;
}

/** The place and id under which a run below a stored one is stored. */
export interface KeptBelow {
  readonly runs: BoardRuns;
  readonly parent: string;
  readonly id: string;
  readonly suspends: boolean;
  /** Called with the ids of its pending approvals. */
  readonly onWait: (approvals: readonly string[]) => void;
}

/** A call's bounds that also carry the link, so that hooks and tools that replace metadata keep it. */
interface LinkedBounds extends CallBounds {
  readonly link?: RunLink;
}

/** Returns the link in a call's context; `undefined` when no agent made the call. */
function readRunLink(context: ToolContext): RunLink | undefined {
  const bounds: LinkedBounds | undefined = boundsOf(context);
  return bounds?.link;
}

/** Returns a context with the link, for a call within these bounds. */
export function addRunLink(context: ToolContext, bounds: CallBounds, link: RunLink): ToolContext {
  const linked: LinkedBounds = { ...bounds, link, span: link.parentSpan, caller: `agent ${link.trail.join(' → ')}` };
  return withBounds(context, linked);
}

/** Returns a context whose calls are recorded inside a step of a run. */
export function insideStep(context: ToolContext, step: string): ToolContext {
  return context.withRuntime({
    callId: context.callId,
    recordId: step,
    get signal() {
      return context.signal;
    },
    get [CANCELLATION]() {
      return context[CANCELLATION];
    },
    log: context.log,
    progress: (...given) => context.progress(...given),
    putOffTimeout: () => context.putOffTimeout(),
    untimed: (work) => context.untimed(work),
    keepOnEnd: (describe) => context.keepOnEnd(describe),
  });
}
