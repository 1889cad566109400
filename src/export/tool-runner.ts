import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';

/** Runs a tool's calls for a framework. Implemented by the executor, so that every framework is equally guarded. */
export interface ToolRunner {
  execute(tool: Tool, args: unknown, options: RunnerOptions): Promise<ToolResult>;
}

interface RunnerOptions {
  readonly coerce: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly callId?: string | undefined;
  readonly context?: ToolContext | Readonly<Record<string, unknown>> | undefined;
}
