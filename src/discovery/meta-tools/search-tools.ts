import { DISCOVERY_MARK } from '../../tool/tool-marks.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { type DiscoveryIndex, type DiscoveryTarget, indexFor } from './discovery-view.ts';
import { explainFilter, findGroups, type FoundGroup } from './find-groups.ts';
import { type DeclareTool, type Presentation, toHitData, writeHits, writeOverview } from './texts/describe-hit.ts';

const MOST = 50;
const MOST_QUERIES = 20;
/** Tools shown for one query, and for all queries of a search together; each query has at least two. */
const ALONE = 10;
const TOGETHER = 20;
const PER_STEP = 5;
const LEAST_PER_STEP = 2;
/** The same for programs: every request pays for each further tool, and programs can search again. */
const ALONE_FOR_CODE = 6;
const PER_STEP_FOR_CODE = 3;

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

interface SearchToolOptions {
  /** Returns a writer of code declarations for tools. Default: tools are shown by their signatures. */
  readonly declare?: ((context: ToolContext) => Promise<DeclareTool>) | undefined;
}

const STEPS = 'one short entry per step: ["find a flight", "email the receipt"]';
const DESCRIPTION = `Find tools by what they do. For a task of several steps give queries, ${STEPS}. Without arguments: an overview of sources, categories and tags. Call what you find with call_tool.`;
const CODE_DESCRIPTION = `Find tools for run_code by what they do, ${STEPS}. Empty: an overview.`;

const ASKED = {
  query: { type: 'string', description: 'What the tool should do' },
  queries: { type: 'array', items: { type: 'string' }, maxItems: MOST_QUERIES },
} as const;
const FILTERS = {
  category: { type: 'string' },
  source: { type: 'string', description: 'Server, file or CLI' },
  tag: { type: 'string' },
  risk: { enum: ['read', 'write', 'destructive'] },
  kind: { type: 'string' },
} as const;
const LIMIT = { type: 'integer', minimum: 1, description: `For each query, ${MOST} at most` } as const;
const DETAIL = { enum: ['names', 'brief', 'full'], default: 'brief' } as const;
const SHOWN = {
  limit: LIMIT,
  offset: { type: 'integer', minimum: 0, default: 0 },
  detail: DETAIL,
  schema: { enum: ['signature', 'json'], default: 'signature', description: 'At full' },
} as const;
/**
 * Models that write programs see only one way to search: every request contains the definition, and programs can search
 * again. The other fields above are still accepted.
 */
const FOR_CODE = {
  type: 'object',
  properties: { queries: { type: 'array', items: { type: 'string' }, maxItems: MOST_QUERIES } },
} as const;
const FOR_CALLS = {
  type: 'object',
  properties: { ...ASKED, ...FILTERS, ...SHOWN },
  additionalProperties: false,
} as const;

/** Creates `search_tools`, which finds tools by what they do, or shows an overview of the board. */
export function createSearchTool(target: Pick<DiscoveryTarget, 'index'>, options: SearchToolOptions = {}): Tool {
  const isForCode = options.declare !== undefined;
  return defineTool({
    ...DISCOVERY_MARK,
    name: 'search_tools',
    description: isForCode ? CODE_DESCRIPTION : DESCRIPTION,
    risk: 'read',
    schema: isForCode ? FOR_CODE : FOR_CALLS,
    execute: async (given, context) => {
      const declare = await options.declare?.(context);
      // The schema has checked it.
      const asked = (isForCode ? readForCode(given) : given) as Partial<SearchInput>;
      const input: SearchInput = { offset: 0, schema: 'signature', detail: 'brief', ...asked, declare };
      const answered = await answer(indexFor(target.index, context), input, context.signal);
      return ToolResult.from({ ...answered, meta: { asText: true } });
    },
  });
}

/** Reads the input of a model that writes programs; accepts valid fields that its schema does not name. */
function readForCode(given: Readonly<Record<string, unknown>>): Partial<SearchInput> {
  const { query, queries, limit, detail } = given;
  return {
    ...(typeof query === 'string' ? { query } : {}),
    // The schema has checked it.
    ...(queries === undefined ? {} : { queries: queries as readonly string[] }),
    ...(typeof limit === 'number' && limit >= 1 ? { limit: Math.floor(limit) } : {}),
    ...(detail === 'names' || detail === 'full' ? { detail } : {}),
  };
}

/** The answer of a search: text for a model, and the same as data for programs. */
interface Answer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function answer(index: DiscoveryIndex, input: SearchInput, signal: AbortSignal): Promise<Answer> {
  const { query, queries: steps = [], offset } = input;
  const asked = [...(query === undefined ? [] : [query]), ...steps].filter((one) => one.trim() !== '');
  const queries = [...new Set(asked)];
  const { category, source: cli, tag, risk, kind } = input;
  const filter = { category, cli, tag, risk, kind };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (queries.length === 0 && !isFiltered) return writeOverview(index, input.detail);
  const wrong = isFiltered ? explainFilter(index, filter) : undefined;
  if (wrong !== undefined) return { text: wrong, data: { tools: [], note: wrong } };
  const isForCode = input.declare !== undefined;
  const limit = Math.min(MOST, input.limit ?? shareOf(queries.length, isForCode));
  const groups = await findGroups(index, queries, { ...filter, limit, offset, signal, hasPages: !isForCode });
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return { text: writeGroup(only, input), data: toData(only, input) };
  return {
    text: groups
      .map((group, number) => `${number + 1}. ${shorten(group.query)}\n${writeGroup(group, input)}`)
      .join('\n\n'),
    data: { groups: groups.map((group) => ({ query: group.query, ...toData(group, input) })) },
  };
}

/** Returns the number of tools for each query, so that many queries cost about as much as a few. */
function shareOf(queries: number, isForCode: boolean): number {
  if (queries < 2) return isForCode ? ALONE_FOR_CODE : ALONE;
  const most = isForCode ? PER_STEP_FOR_CODE : PER_STEP;
  return Math.max(LEAST_PER_STEP, Math.min(most, Math.floor(TOGETHER / queries)));
}

function toData({ tools, also, note }: FoundGroup, { declare }: SearchInput): Record<string, unknown> {
  return {
    tools: tools.map((found) => toHitData(found, declare)),
    ...(also.length === 0 ? {} : { also }),
    ...(note === undefined ? {} : { note }),
  };
}

function writeGroup({ tools, also, note }: FoundGroup, input: SearchInput): string {
  // Models that write programs see all groups at once, and every request pays for each line.
  const elsewhere = input.declare === undefined ? also.map(({ name, group }) => `${name} (see ${group})`) : [];
  return [
    ...(tools.length === 0 ? [] : [writeHits(tools, input)]),
    ...(elsewhere.length === 0 ? [] : [`Also: ${elsewhere.join(', ')}`]),
    ...(note === undefined ? [] : [note]),
  ].join('\n');
}

function shorten(query: string): string {
  const flat = query.replaceAll(/\s+/g, ' ').trim();
  return flat.length > 100 ? `${flat.slice(0, 100)}…` : flat;
}
