import type { ToolContext } from './tool-context.ts';
import type { Tool } from './tool.ts';

/** A call about to run. */
export interface GuardRequest {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  readonly callId: string;
  readonly signal: AbortSignal;
}
