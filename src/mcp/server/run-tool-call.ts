import { parseMcpCall } from '../../export/mcp.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { riskOf } from '../../tool/tool-metadata.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import type { RequestScope } from './request-scope.ts';
import type { ToolView } from './tool-catalog.ts';

interface RunOptions {
  readonly scope: RequestScope;
  readonly registry: ToolView['registry'];
  /** The name of the tool that it means, behind a tool that forwards. */
  readonly means: string;
  readonly options: CallOptions;
}

/** Runs a tool with the arguments of a request. */
export function runToolCall(tool: Tool, { scope, registry, means, options }: RunOptions): Promise<ToolResult> {
  const { arguments: args } = scope.params;
  if (scope.connection.repeated?.has(scope.id) === true && !isSafeToRepeat(registry.get(means) ?? tool))
    return Promise.resolve(registry.executor.refuse(explainLoss(means), options));
  if (args === undefined || isPlainObject(args)) return registry.executor.execute(tool, args ?? {}, options);
  return executeAsWritten(tool, args, { registry, options });
}

/** Returns true when a second run of a call has no further effect. */
function isSafeToRepeat(tool: Tool): boolean {
  return riskOf(tool) === 'read' || tool.metadata.idempotent === true;
}

function explainLoss(toolName: string): ToolError {
  const message = `The board ended while "${toolName}" ran, so it may have had effects. Check what it did before you call it again.`;
  return new ToolError({ code: 'outcome_unknown', message, toolName });
}

/** Reads arguments that are the JSON text of an object; refuses others. */
async function executeAsWritten(
  tool: Tool,
  args: unknown,
  { registry, options }: Pick<RunOptions, 'registry' | 'options'>,
): Promise<ToolResult> {
  const { name } = tool.metadata;
  const call = parseMcpCall({ name, arguments: args });
  if (call?.malformed === undefined) return registry.executor.execute(tool, call?.input, options);
  const error = { code: 'invalid_arguments', message: call.malformed, toolName: name, field: 'arguments' } as const;
  return registry.executor.refuse(new ToolError(error), options);
}
