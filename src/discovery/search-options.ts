import { describeValue } from '../tool/texts/describe-value.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolRisk } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';

/** Which tools a search may give: those that pass every field that is set. Upper and lower case are the same. */
export interface ToolFilter {
  readonly category?: string | null | undefined;
  /** The name of the source, called `cli` as in CLImax. */
  readonly cli?: string | null | undefined;
  readonly tag?: string | null | undefined;
  readonly risk?: ToolRisk | null | undefined;
  /** The kind of config entry a tool was made from, where its metadata says. */
  readonly kind?: string | null | undefined;
  /** Tells whether a tool may be found, for conditions that the other fields cannot express. */
  readonly only?: ((tool: Tool) => boolean) | undefined;
}

/** Which of the tools found to give. */
export interface PageOptions {
  /** How many to give: 0 gives nothing, `Infinity` everything. Default: 10. */
  readonly limit?: number | null | undefined;
  /** How many results to leave out before the first. Default: 0. */
  readonly offset?: number | null | undefined;
}

/** What to search for. Without any field: the first tools of the board. */
export interface SearchOptions extends ToolFilter, PageOptions {
  /** Text that name, description or tags must contain. */
  readonly query?: string | null | undefined;
  /** Orders by relevance to a query in natural language; otherwise text is matched and the board's order kept. */
  readonly rank?: boolean | undefined;
}

/** How a ranked search is done. */
export interface RankOptions extends ToolFilter, PageOptions {
  /** Tells for each hit which words were found in which field. */
  readonly explain?: boolean | undefined;
}

/** How a search by words and meanings is done. */
export interface FindOptions extends RankOptions {
  /** Milliseconds to wait for vectors that are being computed, before words alone decide. Default: 10,000. */
  readonly wait?: number | undefined;
  /** Stops the search. */
  readonly signal?: AbortSignal | undefined;
}

/** A page whose numbers were checked. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_LIMIT = 10;

/** Checks limit and offset. Throws `invalid_arguments` with the field and the rule it breaks. */
export function readPage({ limit, offset }: PageOptions): Page {
  return { limit: readCount('limit', limit, DEFAULT_LIMIT), offset: readCount('offset', offset, 0) };
}

/** Checks that a query is text. */
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
