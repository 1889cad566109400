import type { ToolContext } from './tool-context.ts';
import type { ToolError } from './tool-error.ts';
import type { Tool } from './tool.ts';

/** A call about to run. */
export interface GuardRequest {
  readonly tool: Tool;
  /** The arguments that the tool gets. This copy is frozen: the tool gets another. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  readonly callId: string;
  readonly signal: AbortSignal;
  /**
   * What was answered about this call, by whom: a guard that asks keeps the answer here under the function that it asked.
   *
   * After a new answer every guard judges the call once more, as much may have changed while a person thought.
   */
  readonly answers: Map<unknown, unknown>;
}

/** Gives the error that refuses a call, or nothing. */
export type CallGuard = (request: GuardRequest) => ToolError | undefined | Promise<ToolError | undefined>;
