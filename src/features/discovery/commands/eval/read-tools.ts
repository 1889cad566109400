import { isPlainObject, type JsonSchema } from '../../../../tool/json.ts';
import { defineTool } from '../../../../tool/define/define-tool.ts';
import type { IndexedConfig } from '../../../../discovery/index-source.ts';
import { type FileItem, readItems, refuse } from '../../../../cli/shared/evaluation/read-queries.ts';

const DEEPEST = 6;

/** Converts a name to one that a board accepts: other characters become `_`. */
export function toToolName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_').slice(0, 128);
}

/** Reads the tools to search: `{ name, description, server?, serverDescription?, category?, inputSchema? }`. */
export function readTools(file: string, cwd: string): IndexedConfig[] {
  const servers = new Map<string, { description: string | undefined; tools: ReturnType<typeof readTool>[] }>();
  for (const item of readItems(file, { cwd, key: 'tools' })) {
    const tool = readTool(item);
    const { server, serverDescription } = isPlainObject(item.value) ? item.value : {};
    const name = typeof server === 'string' && server !== '' ? server : 'tools';
    const known = servers.get(name) ?? { description: undefined, tools: [] };
    if (typeof serverDescription === 'string') known.description ??= serverDescription;
    known.tools.push(tool);
    servers.set(name, known);
  }
  return [...servers].map(([name, { description, tools }]) => ({ name, description, tools }));
}

function readTool({ value, place }: FileItem): ReturnType<typeof defineTool> {
  if (!isPlainObject(value) || typeof value['name'] !== 'string' || value['name'] === '') {
    throw refuse(place, 'must be a tool: { name, description, server?, inputSchema? }');
  }
  const { name, description, category, server, utterances, tags } = value;
  return defineTool({
    name: toToolName(name),
    description: (typeof description === 'string' && description.trim()) || name,
    ...(typeof server === 'string' && server !== '' ? { source: server } : {}),
    ...(typeof category === 'string' && category !== '' ? { category } : {}),
    ...(Array.isArray(utterances) ? { utterances: utterances.map(String) } : {}),
    ...(Array.isArray(tags) ? { tags: tags.map(String) } : {}),
    schema: { ...toWords(value['inputSchema'], 0), type: 'object' },
    execute: () => {
      throw new Error('This tool cannot be called.');
    },
  });
}

/** Keeps the searchable parts of a schema. Other parts may be invalid JSON Schema, which no board accepts. */
function toWords(schema: unknown, depth: number): JsonSchema {
  if (!isPlainObject(schema) || depth > DEEPEST) return {};
  const { properties, items, description, enum: values } = schema;
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(isPlainObject(items) ? { items: toWords(items, depth + 1) } : {}),
    ...(isPlainObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, toWords(one, depth + 1)]),
          ),
        }
      : {}),
  };
}
