import { boundsOf, type CallBounds, withBounds } from '../../tool/calls/call-bounds.ts';
import { CANCELLATION, type ToolContext } from '../../tool/tool-context.ts';
import type { BoardRuns } from '../../platform/runs/board-runs.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';

/** What a run hands down to the agents among its tools. */
export interface RunLink {
  /** The agents above, the topmost first. */
  readonly trail: readonly string[];
  /** The most agents that may stand above each other. */
  readonly maxDepth: number;
  readonly onEvent: (event: AgentEvent) => void;
  readonly addUsage: (usage: AgentUsage) => void;
  readonly tracer: Tracer | false | undefined;
  readonly traceContent: boolean | undefined;
  /** The span that spans of lower runs belong to. */
  readonly parentSpan: unknown;
  /** Where the run that a call begins is kept; missing where the run above is not kept. */
  readonly kept?: KeptBelow | undefined;
}

/** How a run below a kept one is kept. */
export interface KeptBelow {
  readonly runs: BoardRuns;
  readonly parent: string;
  readonly id: string;
  readonly suspends: boolean;
  /** Hears of the approvals that it waits for. */
  readonly onWait: (approvals: readonly string[]) => void;
}

/** A call's bounds with the link in them, so that hooks and tools that change metadata lose neither. */
interface LinkedBounds extends CallBounds {
  readonly link?: RunLink;
}

/** The link in a call's context; `undefined` when no agent made the call. */
export function readRunLink(context: ToolContext): RunLink | undefined {
  const bounds: LinkedBounds | undefined = boundsOf(context);
  return bounds?.link;
}

/** A context with the link in it, for a call within these bounds. */
export function addRunLink(context: ToolContext, bounds: CallBounds, link: RunLink): ToolContext {
  const linked: LinkedBounds = { ...bounds, link, span: link.parentSpan, caller: `agent ${link.trail.join(' → ')}` };
  return withBounds(context, linked);
}

/** A context whose calls are recorded as made inside of a step of a run. */
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
