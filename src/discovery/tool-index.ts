import { isForModels } from '../tool/app-pages.ts';
import { isDiscoveryTool, isHelperTool } from '../tool/tool-marks.ts';
import { permittingNames } from '../tool/tool-names.ts';
import type { Tool } from '../tool/tool.ts';
import type { ToolRegistry } from '../board/registry/tool-registry.ts';
import { countGroups, GroupCounter, type SourceSummary, summarizeSources, type ToolGroups } from './group-counter.ts';
import type { Embedder } from '../vectors/embedder.ts';
import { ToolVectors } from './fusion/tool-vectors.ts';
import {
  browse,
  type FindOptions,
  hasText,
  type RankOptions,
  readPage,
  readQueryText,
  type SearchOptions,
  toFilterTest,
  type ToolFilter,
} from './search-options.ts';
import { type IndexSource, openSource, type OpenedSource } from './index-source.ts';
import { type IndexedTool, type SourceInfo, toEntry, toIndexedTool, type ToolIndexEntry } from './indexed-tool.ts';
import { type RankedResult, rankTools, type SearchedTools } from './rank-tools.ts';
import { RankingQueue } from './ranking-queue.ts';

const MOST_LEARNED = 20;

/** Options of a `ToolIndex`. */
export interface ToolIndexOptions {
  /** Lets `find` compare meanings in addition to words. The index does not close it. */
  readonly embedder?: Embedder | undefined;
  /** The certainty below which a search reports that no tool clearly fits. Default: 0.2, with an embedder 0.28. */
  readonly doubtBelow?: number | undefined;
  /** Returns queries written for a tool, which is found by them like by learned ones. */
  readonly queriesOf?: ((name: string) => readonly string[]) | undefined;
  /** Returns the description of a source without a config, such as an MCP server, for searches only. */
  readonly aboutSource?: ((source: string) => string | undefined) | undefined;
}

/**
 * An index over the tools of a board: search by text or by relevance, overview, look-up.
 *
 * It follows its registry. A change of one tool reindexes only that tool.
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
  readonly #groups = new GroupCounter();
  #vectors: ToolVectors | undefined;
  /** By the tool's name; the tool may be registered later. */
  readonly #learned = new Map<string, Set<string>>();
  #doubtBelow: number | undefined;
  readonly #queriesOf: (name: string) => readonly string[];
  readonly #aboutSource: (source: string) => string | undefined;
  #stop: readonly (() => void)[];
  #order = 0;
  /** Cached until the board changes, because summarizing a large one takes a while. */
  #summary: { readonly known: readonly SourceInfo[]; readonly all: readonly SourceSummary[] } | undefined;

  private constructor(source: OpenedSource, options: ToolIndexOptions) {
    const { embedder, doubtBelow, queriesOf = () => [], aboutSource = () => undefined } = options;
    this.#source = source;
    this.#aboutSource = aboutSource;
    this.#doubtBelow = doubtBelow;
    this.#queriesOf = queriesOf;
    this.#vectors = embedder === undefined ? undefined : new ToolVectors(embedder);
    for (const { tool, source: info } of source.tools) this.#put(tool, info);
    this.#stop = source.registry === undefined ? [] : this.#follow(source.registry);
  }

  /** Creates an index from a registry or a board, both followed as they change, or from a list of configs. */
  static from(source: IndexSource, options: ToolIndexOptions = {}): ToolIndex {
    return new ToolIndex(openSource(source), options);
  }

  get size(): number {
    return this.#tools.size;
  }

  /** Warnings about configs: names that two of them define. */
  get warnings(): readonly string[] {
    return this.#source.warnings;
  }

  /**
   * Finds tools. Plain searches match text and keep the board's order; `rank` orders by relevance.
   *
   * Throws `invalid_arguments` for a limit or offset that is not a whole number of 0 or more.
   */
  search(options: SearchOptions = {}): ToolIndexEntry[] {
    const query = readQueryText(options.query);
    if (options.rank === true && query.trim() !== '')
      return this.#rank(query, options).found.map(({ indexed }) => toEntry(indexed));
    const passes = toFilterTest(options);
    const folded = options.rank === true ? '' : query.toLowerCase();
    const test = folded === '' ? passes : (tool: IndexedTool) => passes?.(tool) !== false && hasText(tool, folded);
    return browse(this.#inOrder(), readPage(options), test).map(toEntry);
  }

  /** The reason that searches use words alone despite an embedder; `undefined` while it works. */
  get embedderFailure(): string | undefined {
    return this.#vectors?.failure;
  }

  /** Finds tools by relevance, with scores and a note if none fits. */
  rank(query: string, options: RankOptions = {}): RankedResult {
    return this.#rank(readQueryText(query), options).toResult();
  }

  /**
   * Finds tools by words and meanings if the index has an embedder, else like `rank`.
   *
   * If the embedder fails or takes too long, words alone decide and `note` says so.
   */
  async find(query: string, options: FindOptions = {}): Promise<RankedResult> {
    const text = readQueryText(query);
    readPage(options);
    if (text.trim() !== '') await this.#ranking.prepare();
    if (this.#vectors === undefined || text.trim() === '') return this.rank(text, options);
    const vectors = this.#vectors;
    const { findByMeaning } = await import('./fusion/find-by-meaning.ts');
    return findByMeaning(text, options, { tools: () => this.#searched(options), vectors });
  }

  /** Adds a query that led to a tool to the words the tool is found by. The last 20 of a tool count. */
  learn(query: string, toolName: string): void {
    const queries = this.#learned.get(toolName) ?? new Set();
    queries.delete(query);
    this.#learned.set(toolName, queries.add(query));
    const [oldest] = queries;
    if (queries.size > MOST_LEARNED && oldest !== undefined) queries.delete(oldest);
    this.#relearn(toolName);
  }

  /** Forgets the learned queries of a tool, or of all tools. */
  forget(toolName?: string): void {
    for (const name of toolName === undefined ? [...this.#learned.keys()] : [toolName]) {
      if (this.#learned.delete(name)) this.#relearn(name);
    }
  }

  /** Returns an overview of every source, in order; with a filter, of those with tools that pass. */
  summary(filter: ToolFilter = {}): SourceSummary[] {
    const known = this.#source.sources();
    const passes = toFilterTest(filter);
    if (passes !== undefined) return summarizeSources(this.#passing(passes), known, { withEmpty: false });
    // After a reload, sources may have other descriptions.
    if (this.#summary?.known !== known) {
      const withEmpty = this.#source.registry === undefined;
      this.#summary = { known, all: summarizeSources(this.#inOrder(), known, { withEmpty }) };
    }
    return [...this.#summary.all];
  }

  /** Counts the tools of each category, source, tag, risk and kind; with a filter, those that pass. */
  groups(filter: ToolFilter = {}): ToolGroups {
    const passes = toFilterTest(filter);
    if (passes === undefined) return this.#groups.groups();
    return countGroups(this.#passing(passes));
  }

  /** Returns the names of all tools, in the board's order. */
  names(): string[] {
    return [...this.#inOrder()].map(({ name }) => name);
  }

  /** Returns the tool with exactly this name, ready to run. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name)?.tool;
  }

  /**
   * Prepares ranked searches in short turns that leave time for other work. This also happens in the background; an
   * earlier ranked search completes it first.
   */
  async prepare(): Promise<void> {
    await Promise.all([this.#ranking.prepare(), this.#vectors?.prepare()]);
  }

  /** The number of tools that wait to be indexed for ranked searches. */
  get pending(): number {
    return this.#ranking.pending;
  }

  /** Switches to another embedder; with `undefined`, to words alone. The index closes neither embedder. */
  embedWith(embedder: Embedder | undefined): void {
    this.#vectors?.close();
    this.#vectors = embedder === undefined ? undefined : new ToolVectors(embedder);
    for (const tool of this.#tools.values()) this.#vectors?.put(tool);
  }

  /** Changes the certainty below which no tool clearly fits; `undefined` restores the default. */
  set doubtBelow(certainty: number | undefined) {
    this.#doubtBelow = certainty;
  }

  /**
   * Reads the descriptions of sources and written queries again, which no registry event announces, and reindexes tools
   * whose texts changed.
   */
  refresh(): void {
    if (this.#source.registry === undefined) return;
    const infos = new Map(this.#source.sources().map((info) => [info.name, info]));
    for (const { tool, ...known } of this.#tools.values()) {
      const info = infos.get(tool.metadata.source ?? '');
      const { sourceDescription, folded } = this.#toIndexed(tool, info, known.order);
      if (sourceDescription !== known.sourceDescription || folded !== known.folded) this.#put(tool, info);
      else if (this.#hasOtherQueries({ tool, ...known })) this.#relearn(known.name);
    }
  }

  /** Stops following the registry and the work in the background. Indexed tools can still be searched. */
  close(): void {
    for (const stop of this.#stop) stop();
    this.#stop = [];
    this.#vectors?.close();
    this.#ranking.close();
  }

  #rank(query: string, options: RankOptions): ReturnType<typeof rankTools> {
    return rankTools(query, options, this.#searched(options));
  }

  #searched({ only }: ToolFilter): SearchedTools {
    return {
      tools: () => this.#inOrder(),
      size: this.size,
      groups: () => this.groups({ only }),
      ranker: () => this.#ranking.ready(),
      doubtBelow: this.#doubtBelow,
    };
  }

  #passing(passes: (tool: IndexedTool) => boolean): IndexedTool[] {
    return browse(this.#inOrder(), { limit: Infinity, offset: 0 }, passes);
  }

  /** Yields the tools in the board's order, which may change completely on a reload. */
  *#inOrder(): Iterable<IndexedTool> {
    if (this.#source.registry === undefined || this.#stop.length === 0) yield* this.#tools.values();
    else {
      for (const name of this.#source.registry.names()) {
        const tool = this.#tools.get(name);
        if (tool !== undefined) yield tool;
      }
    }
  }

  #hasOtherQueries({ learned, ...rest }: IndexedTool): boolean {
    return this.#withLearned(rest).learned?.join('\n') !== learned?.join('\n');
  }

  #relearn(name: string): void {
    const indexed = this.#tools.get(name);
    if (indexed === undefined) return;
    const { learned: _, ...rest } = indexed;
    const next = this.#withLearned(rest);
    this.#tools.set(next.name, next);
    this.#ranking.put(next);
    this.#vectors?.learn(next);
  }

  #withLearned(indexed: IndexedTool): IndexedTool {
    const written = this.#queriesOf(indexed.name);
    if (this.#learned.size === 0 && written.length === 0) return indexed;
    const names = this.#learned.size === 0 ? [] : permittingNames(indexed.tool);
    const queries = [...written, ...names.flatMap((name) => [...(this.#learned.get(name) ?? [])])];
    return queries.length === 0 ? indexed : { ...indexed, learned: [...new Set(queries)] };
  }

  #toIndexed(tool: Tool, info: SourceInfo | undefined, order: number): IndexedTool {
    const indexed = toIndexedTool(tool, info, order);
    const about = info === undefined ? this.#aboutSource(indexed.source) : undefined;
    return about === undefined ? indexed : { ...indexed, sourceDescription: about };
  }

  #put(tool: Tool, info: SourceInfo | undefined): void {
    // Callers that search already have discovery tools, and answers name helper tools. Tools for pages alone are not
    // for models.
    if (isDiscoveryTool(tool) || isHelperTool(tool) || !isForModels(tool)) return this.#drop(tool.metadata.name);
    const before = this.#tools.get(tool.metadata.name);
    const order = before?.order ?? this.#order++;
    const indexed = this.#withLearned(this.#toIndexed(tool, info, order));
    if (before !== undefined) this.#groups.remove(before);
    this.#groups.add(indexed);
    this.#tools.set(indexed.name, indexed);
    this.#ranking.put(indexed);
    this.#vectors?.put(indexed);
    this.#summary = undefined;
  }

  #drop(name: string): void {
    const before = this.#tools.get(name);
    if (before === undefined) return;
    this.#groups.remove(before);
    this.#summary = undefined;
    this.#tools.delete(name);
    this.#ranking.remove(name);
    this.#vectors?.remove(name);
  }

  #follow(registry: ToolRegistry): (() => void)[] {
    const put = (tool: Tool): void => {
      const { source } = tool.metadata;
      const info = source === undefined ? undefined : this.#source.sources().findLast(({ name }) => name === source);
      this.#put(tool, info);
    };
    return [
      registry.on('tool:registered', put),
      registry.on('tool:updated', ({ tool }) => put(tool)),
      registry.on('tool:removed', ({ name }) => this.#drop(name)),
      registry.on('registry:cleared', () => {
        this.#tools.clear();
        this.#groups.clear();
        this.#summary = undefined;
        this.#ranking.clear();
        this.#vectors?.clear();
      }),
    ];
  }
}
