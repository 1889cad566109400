import { parseMcpCall } from '../../export/mcp.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { riskOf } from '../../tool/tool-metadata.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import type { RequestScope } from './request-scope.ts';
import type { ToolView } from './tool-catalog.ts';

interface ExecuteOptions {
  readonly scope: RequestScope;
  readonly registry: ToolView['registry'];
  readonly options: CallOptions;
}

/** Executes a call with its arguments as the client wrote them: an object, or the JSON text of one. */
export function executeCall(
  tool: Tool,
  args: unknown,
  { scope, registry, options }: ExecuteOptions,
): Promise<ToolResult> {
  const { executor } = registry;
  if (scope.connection.repeated?.has(scope.id) === true) {
    const means = isProxyTool(tool) ? tool.targetName(args) : undefined;
    const target = means === undefined ? tool : (registry.get(means) ?? tool);
    if (!isSafeToRepeat(target)) return Promise.resolve(executor.refuse(explainLoss(target.metadata.name), options));
  }
  if (args === undefined || isPlainObject(args)) return executor.execute(tool, args ?? {}, options);
  const { name } = tool.metadata;
  const call = parseMcpCall({ name, arguments: args });
  if (call?.malformed === undefined) return executor.execute(tool, call?.input, options);
  const error = { code: 'invalid_arguments', message: call.malformed, toolName: name, field: 'arguments' } as const;
  return Promise.resolve(executor.refuse(new ToolError(error), options));
}

/** Returns true when a second run of a call has no further effect. */
function isSafeToRepeat(tool: Tool): boolean {
  return riskOf(tool) === 'read' || tool.metadata.idempotent === true;
}

function explainLoss(toolName: string): ToolError {
  const message = `The board ended while "${toolName}" ran, so it may have had effects. Check what it did before you call it again.`;
  return new ToolError({ code: 'outcome_unknown', message, toolName });
}
