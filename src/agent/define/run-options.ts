import type { ToolContext } from '../../tool/tool-context.ts';
import type { BoardLike } from '../../discovery/board-like.ts';
import type { Approve } from '../../tool/calls/approval.ts';
import type { AgentEvent } from '../loop/agent-result.ts';
import type { AgentSession } from '../session/agent-session.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';

/** The user's message: a text, or messages of the AI SDK for images and files. */
export type AgentInput = string | readonly ModelMessage[];

/** Options of a run. */
export interface RunOptions {
  /** The board with the tools; optional for an agent that brings all its tools. Tools in `pinned` are shown from the start. */
  readonly board?: BoardLike | undefined;
  /** Metadata that tools and the system prompt read with `context.getMeta`. */
  readonly context?: ToolContext | Readonly<Record<string, unknown>> | undefined;
  /** The earlier conversation. */
  readonly messages?: readonly ModelMessage[] | undefined;
  /** A stored conversation to continue, instead of `messages`. */
  readonly session?: AgentSession | undefined;
  /** Stops the model and the tools. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds the whole run may take. */
  readonly timeout?: number | undefined;
  /**
   * Asks a person when the `approval` of this agent or of one below it requires that. Default: the board asks; without anyone to answer,
   * such calls are denied.
   */
  readonly approve?: Approve | undefined;
  /**
   * Stores the run under this id in the board's store. A stored run with this id is resumed; a finished one returns its answer. Requires a
   * board of `openBoard`. Default: the run is not stored.
   */
  readonly run?: string | undefined;
  /**
   * When a call of a stored run needs approval: `wait` for it, or end with the outcome `waiting` and continue later with `resumeRun`.
   * Default: `wait`.
   */
  readonly onApproval?: 'wait' | 'suspend' | undefined;
  /** Called for each event of the run. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Writes spans; `false` for none. Default: the tracer registered in this process. */
  readonly tracer?: Tracer | false | undefined;
  /** Also writes messages, arguments and results to the spans. They may be private. Default: `false`. */
  readonly traceContent?: boolean | undefined;
  /** The variables to read API keys from. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The most agents that may delegate to each other in a chain. Default: 3. */
  readonly maxDepth?: number | undefined;
}
