import { ToolExecutionError } from '../tool-error.ts';
import type { ToolContext } from '../tool-context.ts';
import type { Tool } from '../tool.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import type { ToolExecutor } from '../../pipeline/tool-executor.ts';
import { toLangChainTool } from '../../export/langchain.ts';
import { serverFactsOf, withServerFacts } from '../server-words.ts';
import type { JsonSchema } from '../json.ts';

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
    const parts = { code, message, toolName, field, reason, issues, recoverable, protocol };
    throw new ToolExecutionError({ ...parts, cause: result.error });
  }
  return result.data === undefined ? result.text : result.data;
}

/** The parts that replace those of the original tool. */
interface OwnParts extends Partial<Pick<Tool, 'metadata' | 'execute' | 'toLangChainTool'>> {
  /** Changes the schemas for display. Default: unchanged. */
  readonly show?: (schema: JsonSchema) => JsonSchema;
}

/** Copies a tool with some parts replaced. Schemas are still converted lazily. */
export function deriveTool(tool: Tool, own: OwnParts): Tool {
  const { show = (schema) => schema } = own;
  return {
    metadata: own.metadata ?? tool.metadata,
    schema: tool.schema,
    get inputSchema() {
      return show(tool.inputSchema);
    },
    get outputSchema() {
      return tool.outputSchema === undefined ? undefined : show(tool.outputSchema);
    },
    validate: (input) => tool.validate(input),
    run: (input, context) => tool.run(input, context),
    execute: own.execute ?? ((input, context) => tool.execute(input, context)),
    toLangChainTool: own.toLangChainTool ?? (() => tool.toLangChainTool()),
  };
}
