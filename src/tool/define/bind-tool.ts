import { ToolExecutionError } from '../tool-error.ts';
import type { ToolContext } from '../tool-context.ts';
import type { Tool } from '../tool.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import type { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { toLangChainTool } from '../../export/langchain.ts';
import { serverFactsOf, withServerFacts } from '../server-words.ts';
import { deriveTool } from './derive-tool.ts';

/** Tools whose every way of being called leads through this executor: its guard, limits and secrets hold for all. */
export function bindTools(tools: readonly Tool[], executor: ToolExecutor): Tool[] {
  return tools.map((tool) => bindTool(tool, executor));
}

/** One such tool. What it says of itself has no secrets either, whichever exporter reads it. */
export function bindTool(tool: Tool, executor: ToolExecutor): Tool {
  // The bound tool itself is what is called: the one that the board has, that callers reach and that slots count.
  const bound: Tool = deriveTool(tool, {
    metadata: redactMetadata(tool, executor),
    show: (schema) => executor.redactor.part(schema),
    execute: (input, context) => execute(bound, input, { executor, context }),
    toLangChainTool: () => toLangChainTool(bound, executor),
  });
  if (!isProxyTool(tool)) return bound;
  return Object.assign(bound, { forward: tool.forward.bind(tool), targetName: tool.targetName.bind(tool) });
}

/** A copy has what is not JSON too; the name is what calls are made by. */
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
