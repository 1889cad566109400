import type { InputLimits } from '../tool/input-limits.ts';
import { explainIssues } from '../tool/texts/explain-issues.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallOptions } from './call-options.ts';
import { guardInput } from './check-input.ts';

/** The part of an executor that a proxy tool forwards its calls to. */
export interface Pipeline {
  /** Maximum values (keys and items) of a call's arguments. */
  readonly maxValues: number;
  execute(tool: Tool, args: unknown, options: CallOptions): Promise<ToolResult>;
  refuse(error: ToolError, options: CallOptions): ToolResult;
}

/**
 * A tool that calls another one, its target, such as `call_tool`.
 *
 * The pipeline forwards the call before any other step, so that hooks, guards, limits and events see only the target.
 */
export interface ProxyTool extends Tool {
  /**
   * Calls the target. Never rejects.
   *
   * A call with bounds reaches only the tools within them, through the given pipeline.
   */
  forward(args: unknown, options: CallOptions, pipeline: Pipeline): Promise<ToolResult>;
  /** Returns the name of the target; `undefined` when the arguments name none. */
  targetName(args: unknown): string | undefined;
}

/** Returns true for a tool that forwards its calls. */
export function isProxyTool(tool: Tool): tool is ProxyTool {
  return 'forward' in tool && 'targetName' in tool;
}

/** Forwards a call. Refuses only arguments that no tool may get: the target has its own checks. */
export function forwardCall(
  tool: ProxyTool,
  args: unknown,
  {
    options,
    pipeline,
    limits,
  }: { readonly options: CallOptions; readonly pipeline: Pipeline; readonly limits: InputLimits },
): Promise<ToolResult> {
  // A string may be the whole call as JSON; its length counts.
  const issue = guardInput(typeof args === 'string' ? { args } : args, limits);
  if (issue === undefined) return tool.forward(args, options, pipeline);
  return Promise.resolve(pipeline.refuse(new ToolError(explainIssues(tool, [issue], args)), options));
}
