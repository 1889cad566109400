import { isDiscoveryTool } from '../core/is-discovery-tool.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import { countGroups, type ToolGroups } from './count-groups.ts';
import { browse, hasText, toFilterTest } from './filter-tools.ts';
import { type IndexSource, openSource, type OpenedSource } from './index-source.ts';
import { type IndexedTool, type SourceInfo, toEntry, toIndexedTool, type ToolIndexEntry } from './indexed-tool.ts';
import { rankTools } from './rank-tools.ts';
import type { RankedResult } from './ranked-result.ts';
import { RankingQueue } from './ranking-queue.ts';
import { type RankOptions, readPage, readQueryText, type SearchOptions } from './search-options.ts';
import { type SourceSummary, summarizeSources } from './summarize-sources.ts';

/**
 * An index over the tools of a board: search by text or by relevance, overview, look-up.
 *
 * It follows the registry it was made from; each change costs what the tool that changed costs.
 *
 * @example
 * const index = ToolIndex.from(registry);
 * index.search({ query: 'commit', category: 'vcs' });
 * index.rank('which files did I change?').hits;
 */
export class ToolIndex {
  readonly #source: OpenedSource;
  readonly #tools = new Map<string, IndexedTool>();
  readonly #ranking = new RankingQueue();
  #stop: readonly (() => void)[];
  #order = 0;

  private constructor(source: OpenedSource) {
    this.#source = source;
    for (const { tool, source: info } of source.tools) this.#put(tool, info);
    this.#stop = source.registry === undefined ? [] : this.#follow(source.registry);
  }

  /** Makes an index from a registry or a board, both followed as they change, or from a list of configs. */
  static from(source: IndexSource): ToolIndex {
    return new ToolIndex(openSource(source));
  }

  /** How many tools there are. */
  get size(): number {
    return this.#tools.size;
  }

  /** What was noticed while configs were read: names that two of them define. */
  get warnings(): readonly string[] {
    return this.#source.warnings;
  }

  /**
   * Finds tools. Plain searches look for the text as it stands and keep the board's order; `rank` orders by relevance.
   *
   * Throws `invalid_arguments` for a limit or offset that is no whole number of 0 or more.
   */
  search(options: SearchOptions = {}): ToolIndexEntry[] {
    const query = readQueryText(options.query);
    if (options.rank === true && query.trim() !== '') {
      return this.#rank(query, options).found.map(({ indexed }) => toEntry(indexed));
    }
    const passes = toFilterTest(options);
    const folded = options.rank === true ? '' : query.toLowerCase();
    const test = folded === '' ? passes : (tool: IndexedTool) => passes?.(tool) !== false && hasText(tool, folded);
    return browse(this.#inOrder(), readPage(options), test).map(toEntry);
  }

  /** Finds tools by relevance and says how well they fit; says so too when nothing does. */
  rank(query: string, options: RankOptions = {}): RankedResult {
    return this.#rank(readQueryText(query), options).toResult();
  }

  /** Every source with what it offers, in order. */
  summary(): SourceSummary[] {
    const withEmpty = this.#source.registry === undefined;
    return summarizeSources(this.#inOrder(), this.#source.sources(), { withEmpty });
  }

  /** How many tools there are of each category, source, tag, risk and kind. */
  groups(): ToolGroups {
    return countGroups(this.#tools.values());
  }

  /** The tool with exactly this name, ready to run. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name)?.tool;
  }

  /**
   * Gets ranked searches ready in short turns that leave room for other work. Without it the first ranked search after a
   * change does the work that is left.
   */
  prepare(): Promise<void> {
    return this.#ranking.prepare();
  }

  /** Stops following the registry. */
  close(): void {
    for (const stop of this.#stop) stop();
    this.#stop = [];
  }

  #rank(query: string, options: RankOptions): ReturnType<typeof rankTools> {
    const tools = (): Iterable<IndexedTool> => this.#inOrder();
    return rankTools(query, options, { tools, size: this.size, ranker: () => this.#ranking.ready() });
  }

  /** The tools in the board's order, which changes as a whole when a board is loaded again. */
  *#inOrder(): Iterable<IndexedTool> {
    if (this.#source.registry === undefined || this.#stop.length === 0) yield* this.#tools.values();
    else {
      for (const name of this.#source.registry.names()) {
        const tool = this.#tools.get(name);
        if (tool !== undefined) yield tool;
      }
    }
  }

  #put(tool: Tool, info: SourceInfo | undefined): void {
    // Whoever searches has found these already.
    if (isDiscoveryTool(tool)) return this.#drop(tool.metadata.name);
    const order = this.#tools.get(tool.metadata.name)?.order ?? this.#order++;
    const indexed = toIndexedTool(tool, info, order);
    this.#tools.set(indexed.name, indexed);
    this.#ranking.put(indexed);
  }

  #drop(name: string): void {
    this.#tools.delete(name);
    this.#ranking.remove(name);
  }

  #follow(registry: ToolRegistry): (() => void)[] {
    const put = (tool: Tool): void => {
      const { source } = tool.metadata;
      this.#put(tool, source === undefined ? undefined : this.#source.sources().find(({ name }) => name === source));
    };
    return [
      registry.on('tool:registered', put),
      registry.on('tool:updated', ({ tool }) => put(tool)),
      registry.on('tool:removed', ({ name }) => this.#drop(name)),
      registry.on('registry:cleared', () => {
        this.#tools.clear();
        this.#ranking.clear();
      }),
    ];
  }
}
