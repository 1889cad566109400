import { DISCOVERY_MARK } from '../../core/is-discovery-tool.ts';
import { ToolResult } from '../../core/tool-result.ts';
import type { Tool } from '../../core/tool.ts';
import { defineTool } from '../../define/define-tool.ts';
import type { ToolFilter } from '../search-options.ts';
import type { ToolIndex } from '../tool-index.ts';
import { type FoundGroup, findGroups } from './find-groups.ts';
import { explainFilter } from './explain-filter.ts';
import { type Presentation, toHitData, writeHits } from './present-hits.ts';
import { writeOverview } from './write-overview.ts';

const MOST = 50;
const PER_STEP = 5;
const ALONE = 10;

/** What `search_tools` takes, checked. */
interface SearchInput extends Presentation {
  readonly query?: string;
  readonly queries?: readonly string[];
  readonly category?: string;
  readonly source?: string;
  readonly tag?: string;
  readonly risk?: 'read' | 'write' | 'destructive';
  readonly kind?: string;
  readonly limit?: number;
  readonly offset: number;
}

/** Makes `search_tools`: tools by what they do, or an overview of the board. */
export function createSearchTool(index: ToolIndex): Tool {
  return defineTool({
    ...DISCOVERY_MARK,
    name: 'search_tools',
    description:
      'Find tools by what they do. Give one query, or one per step of the task in queries. Nothing given: an overview. Then call_tool.',
    risk: 'read',
    schema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do' },
        queries: { type: 'array', items: { type: 'string' }, maxItems: 20 },
        category: { type: 'string' },
        source: { type: 'string', description: 'Server, file or CLI' },
        tag: { type: 'string' },
        risk: { enum: ['read', 'write', 'destructive'] },
        kind: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: MOST, description: 'For each query' },
        offset: { type: 'integer', minimum: 0, default: 0 },
        detail: { enum: ['names', 'brief', 'full'], default: 'brief' },
        schema: { enum: ['signature', 'json'], default: 'signature', description: 'At full' },
      },
      additionalProperties: false,
    },
    // The schema above gives it this shape.
    execute: (input) => answer(index, input as SearchInput),
  });
}

function answer(index: ToolIndex, input: SearchInput): ToolResult {
  const queries = [...(input.query === undefined ? [] : [input.query]), ...(input.queries ?? [])].filter(
    (query) => query.trim() !== '',
  );
  const filter = toFilter(input);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (queries.length === 0 && !isFiltered) return writeOverview(index, input.detail);
  const wrong = isFiltered ? explainFilter(index, filter) : undefined;
  if (wrong !== undefined) return ToolResult.from({ text: wrong, data: { tools: [], note: wrong } });
  const limit = input.limit ?? (queries.length > 1 ? PER_STEP : ALONE);
  const page = { limit, offset: input.offset };
  const groups = findGroups(index, queries, { ...filter, ...page });
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) {
    const { tools, note } = only;
    return ToolResult.from({
      text: writeGroup(only, input),
      data: { tools: tools.map(toHitData), ...(note === undefined ? {} : { note }) },
    });
  }
  return ToolResult.from({
    text: groups
      .map((group, number) => `${number + 1}. ${shown(group.query)}\n${writeGroup(group, input)}`)
      .join('\n\n'),
    data: {
      groups: groups.map(({ query, tools, also, note }) => ({
        query,
        tools: tools.map(toHitData),
        ...(also.length === 0 ? {} : { also }),
        ...(note === undefined ? {} : { note }),
      })),
    },
  });
}

function writeGroup(group: FoundGroup, input: SearchInput): string {
  const { tools, also, note } = group;
  return [
    ...(tools.length === 0
      ? []
      : [
          writeHits(
            tools.map(({ tool }) => tool),
            input,
          ),
        ]),
    ...(also.length === 0 ? [] : [`Listed above: ${also.join(', ')}`]),
    ...(note === undefined ? [] : [note]),
  ].join('\n');
}

function toFilter({ category, source, tag, risk, kind }: SearchInput): ToolFilter {
  return { category, cli: source, tag, risk, kind };
}

function shown(query: string): string {
  const flat = query.replaceAll(/\s+/g, ' ').trim();
  return flat.length > 100 ? `${flat.slice(0, 100)}…` : flat;
}
