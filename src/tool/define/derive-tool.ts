import type { JsonSchema } from '../json.ts';
import type { Tool } from '../tool.ts';

/** What a tool has of its own that is another one otherwise. */
interface OwnParts extends Partial<Pick<Tool, 'metadata' | 'execute' | 'toLangChainTool'>> {
  /** Its schemas as they are shown. Default: as they are. */
  readonly show?: (schema: JsonSchema) => JsonSchema;
}

/** A tool that is another one but for the parts that are given. Schemas are still converted when they are read. */
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
