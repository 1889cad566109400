import type { ToolResult } from '../core/tool-result.ts';
import type { Tool } from '../core/tool.ts';
import type { CallOptions } from './call-options.ts';

/**
 * A tool that stands for others: a call of it is a call of the tool it names.
 *
 * The pipeline hands such a call on as it came, so that hooks, guard, limits and events see the tool that is meant, once.
 */
export interface StandIn extends Tool {
  /** Calls the tool that is meant. Never rejects. */
  handOn(args: unknown, options: CallOptions): Promise<ToolResult>;
}

/** Tells whether a tool stands for others. */
export function isStandIn(tool: Tool): tool is StandIn {
  return 'handOn' in tool;
}
