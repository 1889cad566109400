import type { ToolContext } from '../core/tool-context.ts';
import type { Approve } from '../policy/guard.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { Tracer } from './tracing.ts';

const KEY = 'pegboard.run';

/** What a run hands down to the agents among its tools. */
export interface RunLink {
  /** The agents above, the topmost first. */
  readonly trail: readonly string[];
  /** The most agents that may stand above each other. */
  readonly maxDepth: number;
  readonly onEvent: (event: AgentEvent) => void;
  readonly addUsage: (usage: AgentUsage) => void;
  readonly approve: Approve | undefined;
  readonly tracer: Tracer | false | undefined;
  readonly traceContent: boolean | undefined;
  /** The span that spans of lower runs belong to. */
  readonly parentSpan: unknown;
}

/** The link in a call's context; `undefined` when no agent made the call. */
export function readRunLink(context: ToolContext): RunLink | undefined {
  // Only `addRunLink` writes under this key.
  return context.getMeta<RunLink | undefined>(KEY);
}

/** A context with the link in it. */
export function addRunLink(context: ToolContext, link: RunLink): ToolContext {
  return context.mergeMetadata({ [KEY]: link });
}
