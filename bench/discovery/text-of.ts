import type { SetTool } from './read-sets.ts';

/** Names and descriptions of a tool's parameters. */
export function parametersOf({ inputSchema }: SetTool): string {
  // JSON Schema: properties is an object where it is there.
  const properties = (inputSchema?.['properties'] ?? {}) as Readonly<Record<string, { description?: string } | null>>;
  return Object.entries(properties)
    .map(([name, property]) => `${name} ${property?.description ?? ''}`)
    .join(' ');
}

/** All that a set says of a tool. */
export function wordsOf(tool: SetTool): string {
  const { name, description, server = '', category = '' } = tool;
  return [name, description, server, category, parametersOf(tool)].join(' ');
}
