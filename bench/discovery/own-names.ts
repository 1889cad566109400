// The sources themselves: the figures belong to what is checked out, built or not.
export { defineTool } from '../../src/tool/define/define-tool.ts';
export { ToolIndex } from '../../src/discovery/tool-index.ts';
export { ToolRegistry } from '../../src/board/registry/tool-registry.ts';
export type { JsonSchema } from '../../src/tool/json.ts';
