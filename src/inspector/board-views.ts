import { pageOf } from '../tool/app-pages.ts';
import { describeParameters } from '../tool/parameters/describe-parameters.ts';
import { ToolError } from '../tool/tool-error.ts';
import { riskFields, sourceOf, type ToolRisk } from '../tool/tool-metadata.ts';
import { nearestNames } from '../tool/texts/suggest.ts';
import type { Tool } from '../tool/tool.ts';
import {
  countDefinitions,
  createTokenLedgerInTurns,
  loadTokenizer,
  type TokenLedger,
} from '../discovery/tokens/token-ledger.ts';
import type { BoardOverview, ToolDetail, ToolPage, ToolSummary } from './api-types.ts';
import type { BoardParts } from '../discovery/board-like.ts';
import { ToolIndex } from '../discovery/tool-index.ts';

const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/** The data that the page shows of a board. It is not redacted here: the API does that before sending. */
export class BoardViews {
  readonly #board: BoardParts;
  #ownIndex: ToolIndex | undefined;
  readonly #hasApprovals: boolean;
  /** Kept until the tools change, because counting a large board takes a while. */
  #ledger: Promise<TokenLedger> | undefined;
  /** The error of the last reload, until one succeeds. */
  reloadFault: string | undefined;

  constructor(board: BoardParts, { hasApprovals }: { readonly hasApprovals: boolean }) {
    this.#board = board;
    this.#hasApprovals = hasApprovals;
  }

  /** Drops the counts after the tools changed. */
  renew(): void {
    this.#ledger = undefined;
  }

  /** Closes the index if it does not belong to the board. */
  close(): void {
    this.#ownIndex?.close();
  }

  async overview(): Promise<BoardOverview> {
    const { sources, modes } = await this.#count();
    const { files = [], servers = [] } = this.#board;
    const index = this.#index();
    const cost = new Map(sources.map(({ name, tokens }) => [name, tokens.mcp]));
    const { category, source, tag, risk } = index.groups();
    const costOf = (mode: string): number => modes.find((one) => one.mode === mode)?.tokens.mcp ?? 0;
    return {
      name: files.at(-1)?.name ?? 'tools',
      toolCount: index.size,
      sources: index.summary().map(({ name, description, toolCount }) => {
        return { name, description, toolCount, tokens: cost.get(name) ?? 0 };
      }),
      groups: { category, source, tag, risk },
      tokens: { all: costOf('classic'), discovery: costOf('discovery') },
      hasApprovals: this.#hasApprovals,
      changedServers: servers.flatMap(({ name, changes }) => (changes === undefined ? [] : [{ name, changes }])),
      ...(this.reloadFault === undefined ? {} : { reloadFault: this.reloadFault }),
    };
  }

  /** Returns the matching tools, or all in the board's order without a query. */
  async tools(query: URLSearchParams): Promise<ToolPage> {
    const index = this.#index();
    const text = query.get('query') ?? '';
    const limit = Math.min(readCount(query, 'limit', DEFAULT_LIMIT), MAX_LIMIT);
    const offset = readCount(query, 'offset', 0);
    const end = offset + limit;
    const filter = {
      category: query.get('category') || null,
      cli: query.get('source') || null,
      tag: query.get('tag') || null,
      risk: readRisk(query.get('risk')),
    };
    // One more than shown reveals if there are more.
    const { hits, note } =
      text.trim() === ''
        ? { hits: index.search({ ...filter, limit: Infinity }) }
        : await index.find(text, { ...filter, limit: end + 1 });
    const tools = hits.slice(offset, end).flatMap((hit) => this.#summarize(hit));
    return { tools, total: hits.length, hasMore: hits.length > end, ...(note === undefined ? {} : { note }) };
  }

  /** Returns the details of a tool. Throws `not_found` for an unknown name. */
  tool(name: string): ToolDetail {
    const tool = this.find(name);
    const { metadata, inputSchema, outputSchema } = tool;
    const { usageNotes, limitations = [], replacedBy } = metadata;
    const { mcp: tokens } = countDefinitions(tool, loadTokenizer('estimate'));
    const entry = { cli: sourceOf(metadata), category: metadata.category ?? null, tags: metadata.tags ?? [] };
    return {
      ...toSummary(tool, entry),
      title: metadata.displayName,
      kind: metadata.kind,
      signature: `${metadata.name}(${describeParameters(inputSchema)})`,
      inputSchema,
      outputSchema,
      examples: (metadata.examples ?? []).map(({ description, input }) => ({ description, input })),
      notes: [
        ...(replacedBy === undefined ? [] : [`Use ${replacedBy} instead.`]),
        ...(usageNotes === undefined ? [] : [usageNotes]),
        ...limitations,
      ],
      timeoutMs: metadata.timeout,
      tokens,
      app: pageOf(metadata._meta),
    };
  }

  /** Returns the tool itself. Throws `not_found` for an unknown name. */
  find(name: string): Tool {
    const { registry } = this.#board;
    const tool = registry.get(name);
    if (tool !== undefined) return tool;
    const absence = registry.absent?.explain(name);
    if (absence?.type === 'known') throw absence.error;
    const nearest = nearestNames(name, registry.names());
    const hint = nearest.length > 0 ? ` Did you mean: ${nearest.join(', ')}?` : '';
    throw new ToolError({ code: 'not_found', message: `There is no tool "${name}".${hint}`, toolName: name });
  }

  #index(): ToolIndex {
    return this.#board.index ?? (this.#ownIndex ??= ToolIndex.from(this.#board));
  }

  /** Counts tokens once, in turns with other requests. */
  #count(): Promise<TokenLedger> {
    if (this.#ledger !== undefined) return this.#ledger;
    const ledger = createTokenLedgerInTurns(this.#board);
    this.#ledger = ledger;
    ledger.catch(() => this.renew());
    return ledger;
  }

  #summarize(entry: { readonly name: string } & Parameters<typeof toSummary>[1]): ToolSummary[] {
    const tool = this.#index().get(entry.name);
    return tool === undefined ? [] : [toSummary(tool, entry)];
  }
}

function toSummary(
  tool: Tool,
  { cli, category, tags }: { readonly cli: string; readonly category: string | null; readonly tags: readonly string[] },
): ToolSummary {
  const { name, description, deprecated } = tool.metadata;
  return {
    name,
    description,
    source: cli,
    category,
    tags,
    ...riskFields(tool.metadata),
    isDeprecated: deprecated === true,
  };
}

function readRisk(text: string | null): ToolRisk | null {
  const risk = RISKS.find((known) => known === text);
  if (text === null || text === '' || risk !== undefined) return risk ?? null;
  throw refuse('risk', `must be one of: ${RISKS.join(', ')}; got "${text}"`);
}

function readCount(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw refuse(name, `must be a whole number, 0 or more; got "${text}"`);
}

function refuse(field: string, rule: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `${field} ${rule}.`, field });
}
