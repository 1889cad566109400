import { CollectionAccess } from './collection-access.ts';
import {
  checkDocumentType,
  checkNote,
  checkTags,
  type DocumentType,
  type Note,
  type StoredNote,
  storeNote,
} from './note.ts';
import { type EmbeddingProblem, findEmbeddingProblem, missingVectors, unfinishedRebuild } from './embedding-problem.ts';
import { buildName, replacedName } from '../indexing/rebuild/settle-replaced.ts';
import type { IndexTarget, WriteTarget } from '../indexing/batch-writer.ts';
import { type IndexProgress, type IndexReport, type SkippedFile, withOptimized } from '../indexing/index-report.ts';
import type { StaleFiles } from '../indexing/find-stale.ts';
import type { PlannedCollection } from '../plan/knowledge-plan.ts';
import type { KnowledgePool } from '../knowledge-pool.ts';
import type { KnowledgeAnswer } from '../retrieval/knowledge-search.ts';
import { type KnowledgeSearchOptions, searchCollection } from '../retrieval/search-knowledge.ts';
import type { CollectionStats } from '../vector-store.ts';
import { isRemote } from '../indexing/known-files.ts';
import { memoryRecords, type SourceRecords } from '../sources/source.ts';
import type { SourcesReport } from '../sources/index-sources.ts';
import type { IndexedFiles, OtherRuns, RunScope } from '../indexing/run-scope.ts';

/** A collection in its store: searches it, adds notes and keeps it up to date with files. */
export class KnowledgeCollection {
  /** @internal Its settings, including keys of servers. */
  readonly plan: PlannedCollection;
  readonly #pool: KnowledgePool;
  readonly #access: CollectionAccess;

  /** @internal Use `openKnowledge`. */
  constructor(plan: PlannedCollection, pool: KnowledgePool) {
    this.plan = plan;
    this.#pool = pool;
    this.#access = new CollectionAccess(plan, pool);
  }

  get name(): string {
    return this.plan.name;
  }

  /** The location of its data: a file or an address. Opens nothing. */
  get place(): string {
    return this.#pool.place(this.plan.server);
  }

  /** Finds the best passages for a query, best first. A collection that does not exist yet has none. */
  async search(query: string, options: KnowledgeSearchOptions = {}): Promise<KnowledgeAnswer> {
    const store = await this.#access.store();
    const target = {
      store,
      collection: this.plan.storedAs,
      embedder: await this.#access.embedder(),
      reranker: await this.#access.reranker(),
      wanted: this.plan,
    };
    const search = async (): Promise<KnowledgeAnswer> => {
      const answer = await searchCollection(target, query, options);
      const isBehind = target.embedder !== undefined && answer.mode === 'words' && answer.notice === undefined;
      if (!isBehind || answer.hits.length === 0) return answer;
      return { ...answer, notice: `Only words were searched: ${missingVectors(this.name)}` };
    };
    return this.#access.unlessMissing(search, { mode: 'words', notice: undefined, hits: [] });
  }

  /** Stores a text. The same text twice is stored once. It is on disk when this resolves. */
  async store(note: Note, options: { readonly signal?: AbortSignal } = {}): Promise<StoredNote> {
    const checked = checkNote(note);
    return this.#access.use((target) => storeNote(checked, target, this.plan.chunks), options.signal);
  }

  /** Updates the collection from files, folders and patterns. */
  async index(paths: readonly string[], options: IndexOptions = {}): Promise<IndexReport> {
    return this.#access.use(async (target) => {
      const { settleReplaced } = await import('../indexing/rebuild/settle-replaced.ts');
      await settleReplaced({ collection: this.plan.storedAs, to: target });
      return withOptimized(target, await this.#indexInto(target, paths, options), options);
    }, options.signal);
  }

  async #indexInto(target: IndexTarget, paths: readonly string[], options: IndexOptions): Promise<IndexReport> {
    const { indexFiles } = await import('../indexing/index-files.ts');
    const { compileExclude } = await import('../documents/find/search-roots.ts');
    const { RunShare } = await import('../indexing/run-scope.ts');
    const { exclude = [], cwd = process.cwd(), type = 'general', tags = [], hidden = false, others, ...rest } = options;
    return indexFiles(target, {
      ...rest,
      paths,
      cwd,
      hidden,
      base: this.#pool.base,
      type: checkDocumentType(type),
      tags: checkTags(tags),
      chunks: this.plan.chunks,
      share: others && new RunShare({ paths, exclude, hidden }, others, cwd),
      exclude: exclude.length === 0 ? undefined : compileExclude(exclude, cwd),
    });
  }

  /**
   * Updates the collection from its sources, web pages and repositories: fetches changes and deletes what is gone. A
   * source that fails is listed in the report and keeps its documents.
   */
  async indexSources(options: IndexSourcesOptions = {}): Promise<SourcesReport> {
    return this.#access.use(
      async (target) => withOptimized(target, await this.#fetchInto(target, options), options),
      options.signal,
    );
  }

  async #fetchInto(
    target: IndexTarget,
    { records = memoryRecords(), signal, onProgress, isRebuild = false }: IndexSourcesOptions & { isRebuild?: boolean },
  ): Promise<SourcesReport> {
    const { indexSources } = await import('../sources/index-sources.ts');
    const { readScopes, rememberScopes } = await import('../sources/source.ts');
    const pool = this.#pool;
    const { sources, chunks, name } = this.plan;
    const current = sources.map(({ scope }) => scope);
    const former = await readScopes(records, name);
    const all = [...former, ...current];
    // Recorded first, so that an interrupted run leaves no unknown documents.
    await rememberScopes(records, name, all);
    const resources = {
      base: pool.base,
      data: pool.data,
      records,
      httpClient: (allow: readonly string[]) => pool.httpClient(allow),
    };
    const report = await indexSources(target, { sources, former, chunks, resources, signal, onProgress });
    if (!report.isStopped && report.isComplete && !isRebuild) await rememberScopes(records, name, current);
    return report;
  }

  /** Returns its size and embedding settings. A collection that does not exist yet is empty. */
  async stats(): Promise<CollectionStats> {
    const store = await this.#access.store();
    const name = this.plan.storedAs;
    const nothing = { documents: 0, chunks: 0, changedAt: undefined, bytes: undefined };
    return this.#access.unlessMissing(() => store.stats(name), { name, embedding: undefined, ...nothing });
  }

  /** Compares its vectors with the settings, or with the `dimension` of a model. Returns `undefined` if they agree. */
  async problem(dimension?: number): Promise<EmbeddingProblem | undefined> {
    const store = await this.#access.store();
    const aside = replacedName(this.plan.storedAs);
    const all = await this.#access.nameFailures(() => store.collections());
    if (all.some(({ name }) => name === aside)) return unfinishedRebuild(this.name);
    const embedder = await this.#access.embedder();
    const message =
      embedder === undefined ? undefined : await this.#access.nameFailures(async () => store.vectorProblem?.());
    if (message !== undefined) return { type: 'other', message };
    const gives = embedder && { id: embedder.id, dimension: dimension ?? embedder.dimension };
    return findEmbeddingProblem(this.plan, gives, await this.stats());
  }

  /** Finds the files that these runs would add, change or remove. Writes nothing and asks no model. */
  async stale(runs: readonly (IndexOptions & Pick<RunScope, 'paths'>)[]): Promise<StaleFiles> {
    const { findStale } = await import('../indexing/find-stale.ts');
    const store = await this.#access.store();
    const scopes = runs.map(({ paths, exclude = [], hidden = false }) => ({ paths, exclude, hidden }));
    const look = async (target: IndexTarget): Promise<readonly SkippedFile[]> => {
      const skipped: SkippedFile[] = [];
      for (const [place, { paths, ...options }] of runs.entries()) {
        const others = { before: scopes.slice(0, place), after: scopes.slice(place + 1) };
        skipped.push(...(await this.#indexInto(target, paths, { ...options, others, canBeGone: true })).skipped);
      }
      return skipped;
    };
    const nothing = { changed: [], added: [], removed: [], recut: [], unread: [], missing: [] };
    return this.#access.unlessMissing(() => findStale(store, this.plan.storedAs, look), nothing);
  }

  /** Returns the number of documents in a running or interrupted rebuild, or `undefined` if there is none. */
  async unfinished(): Promise<number | undefined> {
    const store = await this.#access.store();
    const build = async (): Promise<number> => (await store.stats(buildName(this.plan.storedAs))).documents;
    return this.#access.unlessMissing(build, undefined);
  }

  /** Deletes everything in it. Returns false if it was empty. */
  async clear(): Promise<boolean> {
    const store = await this.#access.store();
    return this.#access.nameFailures(async () => {
      // Deletes the leftovers of an interrupted reindex too, or they would come back.
      const names = [buildName, replacedName].map((toName) => toName(this.plan.storedAs));
      const had = await Promise.all([...names, this.plan.storedAs].map((name) => store.dropCollection(name)));
      return had.includes(true);
    });
  }

  /** Lists the documents that came from files, grouped by type and tags. */
  async files(): Promise<IndexedFiles[]> {
    const { readKnownFiles } = await import('../indexing/known-files.ts');
    const store = await this.#access.store();
    // Does not check vectors, because reindexing all files starts with this list.
    const known = await this.#access.unlessMissing(() => readKnownFiles(store, this.plan.storedAs), new Map());
    const groups = Map.groupBy(known, ([, { type, tags }]) => JSON.stringify([type, tags]));
    return [...groups.values()].flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const [, { type, tags }] = first;
      return [{ paths: group.map(([path]) => path), type, tags }];
    });
  }

  /**
   * Starts a rebuild beside the collection, which stays in use until `finish` replaces it. Returns `undefined` for an
   * empty collection: use `index` instead.
   */
  async rebuild(signal?: AbortSignal): Promise<CollectionRebuild | undefined> {
    const { CollectionBuild } = await import('../indexing/rebuild/collection-build.ts');
    const { isCovered } = await import('../indexing/run-scope.ts');
    const store = await this.#access.store();
    const { storedAs: collection } = this.plan;
    const build = await this.#access.nameFailures(async () => {
      const embedding = await this.#access.embedding(signal);
      // Checks the model before a long build.
      if (embedding !== undefined) await this.#access.checkModel(embedding, signal);
      const open = (name: string): Promise<WriteTarget> => this.#access.open(signal, name);
      return CollectionBuild.begin({ store, collection, open, embedding });
    });
    if (build === undefined) return undefined;
    return {
      name: this.name,
      resumed: build.resumed,
      index: (paths, options = {}) =>
        this.#access.nameFailures(() => build.explain(() => this.#indexInto(build.target, paths, options))),
      indexSources: (options = {}) =>
        this.#access.nameFailures(() =>
          build.explain(() => this.#fetchInto(build.target, { ...options, isRebuild: true })),
        ),
      finish: ({ runs, cwd = process.cwd(), isSettled = () => false }) => {
        const isFile = isCovered(runs, { cwd, base: this.#pool.base });
        const isIndexed = (id: string): boolean => (isRemote(id) ? isSettled(id) : isFile(id));
        return this.#access.nameFailures(async () => {
          // Optimizes before searches use it. A failure is no reason to keep the old collection.
          await build.target.store.optimize?.(build.target.collection, { signal });
          return build.finish(isIndexed);
        });
      },
    };
  }

  /** Opens its store and embedder, for callers that write themselves. */
  open(signal?: AbortSignal): Promise<WriteTarget> {
    return this.#access.open(signal);
  }
}

/** A rebuild of a collection, beside the one in use. */
export interface CollectionRebuild {
  readonly name: string;
  /** Documents already written by an interrupted rebuild. */
  readonly resumed: number;
  /** Like `index` of the collection; skips what an interrupted rebuild has read. */
  index(paths: readonly string[], options?: IndexOptions): Promise<IndexReport>;
  /** Like `indexSources` of the collection. */
  indexSources(options?: IndexSourcesOptions): Promise<SourcesReport>;
  /**
   * Copies notes and the documents of files outside all runs, then replaces the old collection. Returns the number of
   * removed documents of files.
   */
  finish(indexed: {
    readonly runs: readonly Pick<RunScope, 'paths'>[];
    readonly cwd?: string;
    /** Returns true if the sources have handled a document of theirs. Default: all of them are copied. */
    readonly isSettled?: ((id: string) => boolean) | undefined;
  }): Promise<{ readonly removed: number }>;
}

/** Options for indexing the sources of a collection. */
export interface IndexSourcesOptions {
  /** State kept between runs, so that only changes are fetched. Default: none. */
  readonly records?: SourceRecords | undefined;
  /** Stops the work; indexed documents stay. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress; the number of pages grows as they are found. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** Options for indexing files. */
export interface IndexOptions {
  /** The folder that relative paths start from. Default: the current folder of this process. */
  readonly cwd?: string | undefined;
  /** The type of the documents. Default: `general`. */
  readonly type?: DocumentType | undefined;
  /** Tags of every document. */
  readonly tags?: readonly string[] | undefined;
  /** Includes files and folders whose names start with a dot. */
  readonly hidden?: boolean | undefined;
  /** Patterns of files to skip. */
  readonly exclude?: readonly string[] | undefined;
  /** Reads and writes everything, changed or not. */
  readonly force?: boolean | undefined;
  /** Accepts paths that no longer exist, as when a run is repeated; their documents are deleted. */
  readonly canBeGone?: boolean | undefined;
  /** Other runs of this collection. A file that several runs select belongs to the last of them. */
  readonly others?: OtherRuns | undefined;
  /** Stops the work; indexed documents stay. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  /** Called with each folder before it is read. */
  readonly onFolder?: ((folder: string) => void) | undefined;
}
