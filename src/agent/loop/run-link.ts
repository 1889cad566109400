import { boundsOf, type CallBounds, withBounds } from '../../tool/calls/call-bounds.ts';
import { CANCELLATION, type ToolContext } from '../../tool/tool-context.ts';
import type { BoardRuns } from '../../platform/runs/board-runs.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';

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
export function readRunLink(context: ToolContext): RunLink | undefined {
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
