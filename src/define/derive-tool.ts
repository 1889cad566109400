import type { Tool } from '../core/tool.ts';

/** A tool that is another one but for the parts that are given. Schemas are still converted when they are read. */
export function deriveTool(tool: Tool, own: Partial<Pick<Tool, 'metadata' | 'execute' | 'toLangChainTool'>>): Tool {
  return {
    metadata: own.metadata ?? tool.metadata,
    schema: tool.schema,
    get inputSchema() {
      return tool.inputSchema;
    },
    get outputSchema() {
      return tool.outputSchema;
    },
    validate: (input) => tool.validate(input),
    run: (input, context) => tool.run(input, context),
    execute: own.execute ?? ((input, context) => tool.execute(input, context)),
    toLangChainTool: own.toLangChainTool ?? (() => tool.toLangChainTool()),
  };
}
