import type { JsonSchema } from '../../tool/json.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';

/** A tool with this name, these traits and these properties. */
export function makeTool(
  name: string,
  traits: Partial<ToolMetadata> = {},
  properties: Readonly<Record<string, JsonSchema>> = {},
): Tool {
  const schema = { type: 'object', properties } as const;
  return defineTool({ name, description: `The tool ${name}.`, ...traits, schema, execute: () => 'done' });
}
