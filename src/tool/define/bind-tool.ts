import { ToolExecutionError } from '../tool-error.ts';
import type { ToolContext } from '../tool-context.ts';
import type { Tool } from '../tool.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import type { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { toLangChainTool } from '../../export/langchain.ts';
import { serverFactsOf, withServerFacts } from '../server-words.ts';
import { deriveTool } from './derive-tool.ts';

/** Returns tools whose every call goes through this executor, with its guard, limits and secrets. */
export function bindTools(tools: readonly Tool[], executor: ToolExecutor): Tool[] {
  return tools.map((tool) => bindTool(tool, executor));
}

/** Binds one tool. Its metadata contains no secrets either, for any exporter. */
export function bindTool(tool: Tool, executor: ToolExecutor): Tool {
  // The bound tool itself is called: it is the tool on the board, in callers' bounds and in slots.
  const bound: Tool = deriveTool(tool, {
    metadata: redactMetadata(tool, executor),
    show: (schema) => executor.redactor.part(schema),
    execute: (input, context) => execute(bound, input, { executor, context }),
    toLangChainTool: () => toLangChainTool(bound, executor),
  });
  if (!isProxyTool(tool)) return bound;
  return Object.assign(bound, { forward: tool.forward.bind(tool), targetName: tool.targetName.bind(tool) });
}

/** Redacts a copy, which keeps what is not JSON. The name stays, because calls use it. */
function redactMetadata(tool: Tool, { redactor }: ToolExecutor): Tool['metadata'] {
  const metadata = { ...tool.metadata, ...redactor.part(tool.metadata), name: tool.metadata.name };
  const facts = serverFactsOf(tool);
  return facts === undefined ? metadata : withServerFacts(metadata, { ...facts, said: redactor.part(facts.said) });
}

async function execute(
  tool: Tool,
  input: unknown,
  call: {
    readonly executor: ToolExecutor;
    readonly context: ToolContext | Readonly<Record<string, unknown>> | undefined;
  },
): Promise<unknown> {
  const result = await call.executor.execute(tool, input, { context: call.context });
  if (result.failed()) {
    const { code, message, toolName, field, reason, issues, recoverable, protocol } = result.error;
    const told = { code, message, toolName, field, reason, issues, recoverable, protocol };
    throw new ToolExecutionError({ ...told, cause: result.error });
  }
  return result.data === undefined ? result.text : result.data;
}
