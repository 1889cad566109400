import { describeValue } from '../tool/texts/describe-value.ts';
import { ToolError } from '../tool/tool-error.ts';
import { riskOf, type ToolRisk } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';
import { BORDER, type IndexedTool } from './indexed-tool.ts';

/** Selects tools that match every given field, ignoring case. */
export interface ToolFilter {
  readonly category?: string | null | undefined;
  /** The name of the source, called `cli` as in CLImax. */
  readonly cli?: string | null | undefined;
  readonly tag?: string | null | undefined;
  readonly risk?: ToolRisk | null | undefined;
  /** The kind of the tool's config entry, if its metadata has one. */
  readonly kind?: string | null | undefined;
  /** Returns true if a tool may be found, for conditions that the other fields cannot express. */
  readonly only?: ((tool: Tool) => boolean) | undefined;
}

/** The page of results. */
export interface PageOptions {
  /** The number of results: 0 returns nothing, `Infinity` everything. Default: 10. */
  readonly limit?: number | null | undefined;
  /** The number of results to skip. Default: 0. */
  readonly offset?: number | null | undefined;
}

/** A search. Without any field: the first tools of the board. */
export interface SearchOptions extends ToolFilter, PageOptions {
  /** Text that name, description or tags must contain. */
  readonly query?: string | null | undefined;
  /** Orders by relevance to a query in natural language; otherwise text is matched and the board's order kept. */
  readonly rank?: boolean | undefined;
}

/** Options of a ranked search. */
export interface RankOptions extends ToolFilter, PageOptions {
  /** Adds the matched words and fields to each hit. */
  readonly explain?: boolean | undefined;
}

/** Options of a search by words and meanings. */
export interface FindOptions extends RankOptions {
  /** Milliseconds to wait for vectors before ranking by words alone. Default: 10,000. */
  readonly wait?: number | undefined;
  /** Aborts the search. */
  readonly signal?: AbortSignal | undefined;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_LIMIT = 10;

/** Checks limit and offset. Throws `invalid_arguments` with the field and the rule. */
export function readPage({ limit, offset }: PageOptions): Page {
  return { limit: readCount('limit', limit, DEFAULT_LIMIT), offset: readCount('offset', offset, 0) };
}

export function readQueryText(query: unknown): string {
  if (query === undefined || query === null) return '';
  if (typeof query !== 'string') throw refuse('query', 'must be text', query);
  return query;
}

function readCount(field: string, value: unknown, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'number' || !(value >= 0) || (value !== Infinity && !Number.isInteger(value)))
    throw refuse(field, 'must be a whole number, 0 or more', value);
  return value;
}

function refuse(field: string, rule: string, value: unknown): ToolError {
  const message = `search: ${field} ${rule}; got ${describeValue(value)}.`;
  return new ToolError({ code: 'invalid_arguments', message, field, reason: rule });
}

/** Creates the test for a filter. Returns `undefined` if every tool passes. */
export function toFilterTest(filter: ToolFilter): ((tool: IndexedTool) => boolean) | undefined {
  const tests: ((tool: IndexedTool) => boolean)[] = [];
  const add = (wanted: string | null | undefined, test: (tool: IndexedTool, wanted: string) => boolean): void => {
    if (wanted === undefined || wanted === null) return;
    const folded = wanted.toLowerCase();
    tests.push((tool) => test(tool, folded));
  };
  add(filter.category, ({ category }, wanted) => category?.toLowerCase() === wanted);
  add(filter.cli, ({ source }, wanted) => source.toLowerCase() === wanted);
  add(filter.tag, ({ tags }, wanted) => tags.some((tag) => tag.toLowerCase() === wanted));
  add(filter.risk, ({ tool }, wanted) => riskOf(tool) === wanted);
  add(filter.kind, ({ tool }, wanted) => tool.metadata.kind?.toLowerCase() === wanted);
  const { only } = filter;
  if (only !== undefined) tests.push(({ tool }) => only(tool));
  return tests.length === 0 ? undefined : (tool) => tests.every((test) => test(tool));
}

/** Returns a page of the tools that pass, in their order. */
export function browse(
  tools: Iterable<IndexedTool>,
  { limit, offset }: Page,
  passes: ((tool: IndexedTool) => boolean) | undefined,
): IndexedTool[] {
  const found: IndexedTool[] = [];
  let skipped = 0;
  if (limit === 0) return found;
  for (const tool of tools) {
    if (passes?.(tool) === false || skipped++ < offset) continue;
    found.push(tool);
    if (found.length >= limit) break;
  }
  return found;
}

/** Returns true if a tool has the text, in any case, in one of the fields of a plain search. */
export function hasText({ folded }: IndexedTool, text: string): boolean {
  return folded.includes(text) && !text.includes(BORDER);
}
