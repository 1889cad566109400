import type { JsonSchema } from '../json.ts';
import type { Tool } from '../tool.ts';

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
