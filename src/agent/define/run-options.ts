import type { ToolContext } from '../../tool/tool-context.ts';
import type { BoardLike } from '../../discovery/board-like.ts';
import type { Approve } from '../../tool/calls/approval.ts';
import type { AgentEvent } from '../loop/agent-event.ts';
import type { AgentSession } from '../session/agent-session.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';

/** What the user says: a text, or messages of the AI SDK for pictures and files. */
export type AgentInput = string | readonly ModelMessage[];

/** How an agent is run. */
export interface RunOptions {
  /** Where its tools are; an agent that brings all of its own needs none. Tools in `pinned` are seen from the start. */
  readonly board?: BoardLike | undefined;
  /** What tools and the system prompt read with `context.getMeta`. */
  readonly context?: ToolContext | Readonly<Record<string, unknown>> | undefined;
  /** What was said before. */
  readonly messages?: readonly ModelMessage[] | undefined;
  /** A kept conversation to go on with, instead of `messages`. */
  readonly session?: AgentSession | undefined;
  /** Stops the model and the tools. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the whole run may take. */
  readonly timeout?: number | undefined;
  /**
   * Asks a person, where the `approval` of the agent, or of one below it, wants that. Default: whoever the board asks; such calls are
   * refused where there is no one.
   */
  readonly approve?: Approve | undefined;
  /**
   * Keeps the run in the board's store under this id, so that it can go on after a crash: a run that is there goes on, one that
   * has ended gives its answer. Needs a board of `openBoard`. Default: nothing is kept.
   */
  readonly run?: string | undefined;
  /**
   * What a kept run does when a call needs a yes: `wait` for it, or end here with the outcome `waiting`, to go on later with
   * `resumeRun`. Default: `wait`.
   */
  readonly onApproval?: 'wait' | 'suspend' | undefined;
  /** Hears what happens during the run. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Writes spans; `false` for none. Default: the tracer registered in this process. */
  readonly tracer?: Tracer | false | undefined;
  /** Also writes messages, arguments and answers into the spans. They may be private. Default: false. */
  readonly traceContent?: boolean | undefined;
  /** Where keys come from. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** How many agents may hand tasks down to each other. Default: 3. */
  readonly maxDepth?: number | undefined;
}
