import { isPlainObject, type JsonSchema } from '../../../tool/json.ts';
import { DISCOVERY_MARK } from '../../../tool/tool-marks.ts';
import { ToolResult } from '../../../tool/tool-result.ts';
import { wordsForModel } from '../../../tool/server-words.ts';
import type { Tool } from '../../../tool/tool.ts';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { readInputSchema, type ToolIndexEntry } from '../../indexed-tool.ts';
import { type DiscoveryIndex, type DiscoveryTarget, indexFor } from '../discovery-view.ts';

/** Creates `climax_search` with the request and the answers of CLImax: JSON as text, `summary` or `search`. */
export function createClimaxSearch(target: Pick<DiscoveryTarget, 'index'>): Tool {
  return defineTool({
    ...DISCOVERY_MARK,
    name: 'climax_search',
    description:
      'Search for available CLI tools by keyword, category, or CLI name. Call with no filters to get a summary of all available CLIs.',
    risk: 'read',
    schema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'Search keyword (matched against tool name, description, CLI name, category, tags)',
        },
        category: { type: 'string', description: 'Filter by CLI category (exact match, case-insensitive)' },
        cli: { type: 'string', description: 'Filter by CLI name (exact match, case-insensitive)' },
        limit: { type: 'integer', description: 'Maximum number of results to return (default: 50)', default: 50 },
        offset: {
          type: 'integer',
          description:
            'Number of results to skip for pagination (default: 0). Use with limit to page through large result sets.',
          default: 0,
        },
      },
    },
    execute: (input, context) => {
      const data = answer(indexFor(target.index, context), input);
      return ToolResult.from({ text: JSON.stringify(data), data, meta: { asText: true } });
    },
  });
}

function answer(index: DiscoveryIndex, input: Readonly<Record<string, unknown>>): unknown {
  const [query, category, cli] = ['query', 'category', 'cli'].map((key) => readText(input[key]));
  const limit = Math.max(0, Number(input['limit']));
  const offset = Math.max(0, Number(input['offset']));
  if (query === undefined && category === undefined && cli === undefined) {
    const summaries = index.summary();
    const summary = summaries.slice(offset, offset + limit).map(({ toolCount, ...source }) => {
      const { name, description, category: group, tags } = source;
      return { name, description, tool_count: toolCount, category: group, tags };
    });
    return { mode: 'summary', summary };
  }
  // An empty text filters nothing, but asks for a search.
  const found = index.search({ query, category: category || undefined, cli: cli || undefined, limit: Infinity });
  const page = found.slice(offset, offset + limit);
  return {
    mode: 'search',
    results: page.map((entry) => toResult(entry, index)),
    total_matches: found.length,
    offset,
    returned: page.length,
    has_more: offset + page.length < found.length,
  };
}

function toResult(entry: ToolIndexEntry, index: DiscoveryIndex): Record<string, unknown> {
  const { name, cli, category, tags } = entry;
  const tool = index.get(name);
  const words = tool && wordsForModel(tool);
  const { description } = words?.metadata ?? entry;
  const schema = words === undefined ? entry.inputSchema : readInputSchema(words);
  return { tool_name: name, description, cli_name: cli, category, tags, input_schema: toClimaxSchema(schema) };
}

/** Simplifies a flat schema to CLImax's form: type, properties and required names. */
function toClimaxSchema(schema: JsonSchema): JsonSchema {
  const { type, properties, required, ...rest } = schema;
  const others = Object.keys(rest).filter((key) => key !== 'additionalProperties' && key !== '$schema');
  if (type !== 'object' || !isPlainObject(properties) || others.length > 0) return schema;
  const plain = Object.entries(properties).map(([name, property]) => [name, withoutBounds(property)]);
  return {
    type,
    properties: Object.fromEntries(plain),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}

/** Removes the default limits of integers. */
function withoutBounds(property: unknown): unknown {
  if (!isPlainObject(property) || property['type'] !== 'integer') return property;
  return Object.fromEntries(
    Object.entries(property).filter(
      ([key, value]) => !(key === 'minimum' || key === 'maximum') || Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER,
    ),
  );
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
