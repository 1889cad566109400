import type { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallOptions } from './call-options.ts';

/** What a call is handed on to: the executor that was asked for it. */
export interface Pipeline {
  /** Values (keys and items) that the arguments of a call may hold. */
  readonly maxValues: number;
  execute(tool: Tool, args: unknown, options: CallOptions): Promise<ToolResult>;
  refuse(error: ToolError, options: CallOptions): ToolResult;
}

/**
 * A tool that stands for others: a call of it is a call of the tool it names.
 *
 * The pipeline hands such a call on as it came, so that hooks, guards, limits and events see the tool that is meant, once.
 */
export interface StandIn extends Tool {
  /**
   * Calls the tool that is meant. Never rejects.
   *
   * A call with bounds reaches the tools within them and no others, through the pipeline that was asked.
   */
  handOn(args: unknown, options: CallOptions, pipeline: Pipeline): Promise<ToolResult>;
  /** The name of the tool that such a call means; `undefined` where it names none. */
  meant(args: unknown): string | undefined;
}

/** Tells whether a tool stands for others. */
export function isStandIn(tool: Tool): tool is StandIn {
  return 'handOn' in tool;
}
