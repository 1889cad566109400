import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { DISCOVERY_MARK } from '../../tool/tool-marks.ts';
import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { awaitArrival } from '../../board/registry/absent-tools.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { isProxyTool, type Pipeline, type ProxyTool } from '../../pipeline/proxy-tool.ts';
import type { DiscoveryTarget } from './discovery-target.ts';
import { viewFor } from './discovery-view.ts';
import { readCall } from './read-call.ts';
import { explainUnknown } from './suggest-tools.ts';
import { writeFitting } from './texts/describe-hit.ts';

const KEYS = { name: 'name', args: 'arguments' };

/** Creates `call_tool`: a call of it is a call of the tool it names, guarded and counted as that tool. */
export function createCallTool(target: DiscoveryTarget): ProxyTool {
  const tool = defineTool({
    ...DISCOVERY_MARK,
    name: 'call_tool',
    description: 'Call a tool by its name.',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name, as search_tools gives it' },
        arguments: { type: 'object', description: "The tool's arguments, by its signature" },
      },
      required: ['name'],
      additionalProperties: false,
    },
    execute: (input, context) => forward(input, { context, signal: context.signal }),
  });

  async function forward(args: unknown, options: CallOptions, asked?: Pipeline): Promise<ToolResult> {
    const bounds = boundsOf(options.context);
    const view = viewFor(target, bounds);
    // A caller's own tools may belong to another board: they run where their caller's calls run.
    const pipeline = (bounds === undefined ? undefined : asked) ?? target.registry.executor;
    const call = readCall(args, KEYS, pipeline.maxValues);
    if (!call.ok) {
      const named = call.name === undefined ? undefined : view.find(call.name);
      const refusal = pipeline.refuse(new ToolError(explainIssues(tool, call.issues)), options);
      return named === undefined || isProxyTool(named) ? refusal : withSignature(refusal, named);
    }
    const arrival = view.find(call.name) === undefined ? view.arrival(call.name) : undefined;
    const rest = arrival === undefined ? options : await awaitArrival(arrival, call.name, options);
    if (rest instanceof ToolError) return pipeline.refuse(rest, options);
    const called = view.find(call.name);
    if (called === undefined) return pipeline.refuse(await explainUnknown(call.name, view), rest);
    if (isProxyTool(called)) return pipeline.refuse(refuseLoop(call.name), rest);
    // The caller is a model: arguments that can be repaired without loss are repaired.
    const result = await pipeline.execute(called, call.args, { coerce: true, ...rest });
    return !result.ok && result.error.code === 'invalid_arguments' ? withSignature(result, called) : result;
  }

  function targetName(args: unknown): string | undefined {
    const call = readCall(args, KEYS, target.registry.executor.maxValues);
    return call.ok ? call.name : undefined;
  }

  return Object.assign(tool, { forward, targetName });
}

function refuseLoop(name: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `${name} calls other tools, not itself. Give the name of the tool you want.`,
    toolName: name,
    field: 'name',
    reason: 'must be another tool',
  });
}

/** Adds the tool's signature to its error. */
function withSignature(result: ToolResult, tool: Tool): ToolResult {
  if (result.ok) return result;
  const text = `${result.text}\nSignature: ${writeFitting(tool)}`;
  const { error } = result;
  const { code, toolName, field, reason, issues, recoverable, protocol, cause } = error;
  const explained = new ToolError({
    code,
    message: text,
    toolName,
    field,
    reason,
    issues,
    recoverable,
    protocol,
    cause,
  });
  return result.with({ text, error: explained });
}
