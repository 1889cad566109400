import { randomUUID } from 'node:crypto';
import type { Embedder } from '../core/embedder.ts';
import { ToolError } from '../core/tool-error.ts';
import { checkDocumentType, type DocumentType } from './document-type.ts';
import type { WriteTarget } from './indexing/batch-writer.ts';
import type { IndexProgress, IndexReport } from './indexing/index-report.ts';
import type { PlannedCollection } from './knowledge-plan.ts';
import type { KnowledgePool } from './knowledge-pool.ts';
import {
  type EmbeddingProblem,
  findEmbeddingProblem,
  missingVectors,
  unfinishedRebuild,
  unusedVectors,
} from './embedding-problem.ts';
import { nameFailure } from './name-failure.ts';
import { checkNote, checkTags, type Note } from './note.ts';
import { readEmbedding } from './read-embedding.ts';
import type { KnowledgeAnswer } from './retrieval/knowledge-search.ts';
import { searchCollection, type SearchOptions } from './search-collection.ts';
import { type StoredNote, storeNote } from './store-note.ts';
import type { CollectionStats, EmbeddingSettings, VectorStore } from './vector-store.ts';

/** What is indexed, and as what. */
export interface IndexOptions {
  /** Where relative paths start; this process's folder unless told. */
  readonly cwd?: string | undefined;
  /** `general` unless told. */
  readonly type?: DocumentType | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Files and folders whose name starts with a dot, too. */
  readonly hidden?: boolean | undefined;
  /** Patterns of files to leave out. */
  readonly exclude?: readonly string[] | undefined;
  /** Reads and writes everything, changed or not. */
  readonly force?: boolean | undefined;
  /** Whether paths may be gone without a fault, as when a run is done again; what was indexed from them is forgotten. */
  readonly canBeGone?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** Documents that were indexed as the same. */
export interface IndexedFiles {
  readonly paths: readonly string[];
  readonly type: string;
  readonly tags: readonly string[];
}

/** A collection in its store: searched, stored in, kept up to date with files. */
export class KnowledgeCollection {
  readonly plan: PlannedCollection;
  readonly #pool: KnowledgePool;
  /** What the embedder threw: the store has no part in that. */
  readonly #modelFailures = new WeakSet<object>();

  constructor(plan: PlannedCollection, pool: KnowledgePool) {
    this.plan = plan;
    this.#pool = pool;
  }

  /** The name in the settings. */
  get name(): string {
    return this.plan.name;
  }

  /** Where it is kept: a file or an address. Nothing is opened to tell. */
  get place(): string {
    return this.#pool.place(this.plan.server);
  }

  /** The best passages for a question, best first. A collection that nothing was put into yet has none. */
  async search(query: string, options: SearchOptions = {}): Promise<KnowledgeAnswer> {
    const store = await this.#pool.store(this.plan.server);
    const target = { store, collection: this.plan.storedAs, embedder: await this.#embedder(), wanted: this.plan };
    const search = async (): Promise<KnowledgeAnswer> => {
      const answer = await searchCollection(target, query, options);
      const isBehind = target.embedder !== undefined && answer.mode === 'words' && answer.notice === undefined;
      if (!isBehind || answer.hits.length === 0) return answer;
      return { ...answer, notice: `Only words were looked for: ${missingVectors(this.name)}` };
    };
    return this.#ifThere(search, { mode: 'words', notice: undefined, hits: [] });
  }

  /** Keeps a text; the same text twice is kept once. It is on disk when this returns. */
  async store(note: Note, options: { readonly signal?: AbortSignal } = {}): Promise<StoredNote> {
    const checked = checkNote(note);
    return this.#use((target) => storeNote(checked, target, this.plan.chunks), options.signal);
  }

  /** Brings the collection up to date with files, folders and patterns. */
  async index(paths: readonly string[], options: IndexOptions = {}): Promise<IndexReport> {
    const { indexFiles } = await import('./indexing/index-files.ts');
    const { compileExclude } = await import('./documents/compile-exclude.ts');
    const {
      exclude = [],
      cwd = process.cwd(),
      type = 'general',
      tags = [],
      hidden,
      force,
      canBeGone,
      signal,
      onProgress,
    } = options;
    const request = {
      paths,
      cwd,
      base: this.#pool.base,
      type: checkDocumentType(type),
      tags: checkTags(tags),
      chunks: this.plan.chunks,
      hidden: hidden === true,
      force: force === true,
      canBeGone: canBeGone === true,
      signal,
      onProgress,
      ...(exclude.length === 0 ? {} : { exclude: compileExclude(exclude, cwd) }),
    };
    return this.#use((target) => indexFiles(target, request), signal);
  }

  /** How much it holds, and what made its vectors. A collection that nothing was put into yet holds nothing. */
  async stats(): Promise<CollectionStats> {
    const store = await this.#pool.store(this.plan.server);
    const name = this.plan.storedAs;
    const nothing = { documents: 0, chunks: 0, changedAt: undefined, bytes: undefined };
    return this.#ifThere(() => store.stats(name), { name, embedding: undefined, ...nothing });
  }

  /** How its vectors differ from what the settings, or a model that was asked, give; `undefined` when they agree. */
  async problem(dimension?: number): Promise<EmbeddingProblem | undefined> {
    const { asideOf } = await import('./indexing/rebuild-collection.ts');
    const store = await this.#pool.store(this.plan.server);
    const aside = asideOf(this.plan.storedAs);
    const all = await this.#named(() => store.collections());
    if (all.some(({ name }) => name === aside)) return unfinishedRebuild(this.name);
    const embedder = await this.#embedder();
    const message = embedder === undefined ? undefined : await this.#named(async () => store.vectorProblem?.());
    if (message !== undefined) return { type: 'other', message };
    const gives = embedder && { id: embedder.id, dimension: dimension ?? embedder.dimension };
    return findEmbeddingProblem(this.plan, gives, await this.stats());
  }

  /** Forgets everything in it; whether there was anything to forget. */
  async clear(): Promise<boolean> {
    const store = await this.#pool.store(this.plan.server);
    return this.#named(() => store.dropCollection(this.plan.storedAs));
  }

  /** The documents that came from files, those with the same type and tags together. */
  async files(): Promise<IndexedFiles[]> {
    const { readKnownFiles } = await import('./indexing/known-files.ts');
    const store = await this.#pool.store(this.plan.server);
    // As it is, whatever made its vectors: reading it all anew begins with this.
    const known = await this.#ifThere(() => readKnownFiles(store, this.plan.storedAs), new Map());
    const groups = Map.groupBy(known, ([, { type, tags }]) => JSON.stringify([type, tags]));
    return [...groups.values()].flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const [, { type, tags }] = first;
      return [{ paths: group.map(([path]) => path), type, tags }];
    });
  }

  /** Makes it anew where it was made with another embedder: notes are kept, files must be indexed again. */
  async rebuild(signal?: AbortSignal): Promise<boolean> {
    const { rebuildCollection } = await import('./indexing/rebuild-collection.ts');
    const store = await this.#pool.store(this.plan.server);
    const open = (): Promise<WriteTarget> => this.open(signal);
    return this.#named(async () => {
      const embedding = await this.#embedding(signal);
      // Before anything is forgotten.
      if (embedding !== undefined) await this.#checkModel(embedding, signal);
      return rebuildCollection({ store, collection: this.plan.storedAs, open, embedding });
    });
  }

  /** Its store and its embedder, for work that is not done here. */
  async open(signal?: AbortSignal): Promise<WriteTarget> {
    const store = await this.#pool.store(this.plan.server);
    const embedder = await this.#embedder();
    const { embedding } = await store.ensureCollection(this.plan.storedAs, await this.#embedding(signal));
    if (embedder === undefined && embedding !== undefined) {
      const message = `Nothing was stored: ${unusedVectors(this.name, embedding.embedder)}`;
      throw new ToolError({ code: 'invalid_arguments', message, field: 'embedding', reason: 'no vectorizer' });
    }
    return { store, collection: this.plan.storedAs, embedder, signal };
  }

  /** Opens the collection and works on it; once more when another process forgot it in between. */
  async #use<T>(work: (target: WriteTarget) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#named(async () => {
      try {
        return await work(await this.open(signal));
      } catch (error) {
        if (!isMissing(error) || !(await this.#isGone())) throw error;
        return work(await this.open(signal));
      }
    });
  }

  /** What a collection that nothing was put into yet has is `nothing`. */
  async #ifThere<T>(work: () => Promise<T>, nothing: T): Promise<T> {
    return this.#named(async () => {
      try {
        return await work();
      } catch (error) {
        if (!isMissing(error)) throw error;
        return nothing;
      }
    });
  }

  async #isGone(): Promise<boolean> {
    const store: VectorStore = await this.#pool.store(this.plan.server);
    return (await store.collections()).every(({ name }) => name !== this.plan.storedAs);
  }

  /** Says which collection and server, or whose model, a failure is about. */
  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw nameFailure(error, this.plan, error instanceof Error && this.#modelFailures.has(error));
    }
  }

  async #embedder(): Promise<Embedder | undefined> {
    if (this.plan.embedder === undefined) return undefined;
    const embedder = await this.#pool.embedder(this.plan.embedder);
    return {
      id: embedder.id,
      get dimension() {
        return embedder.dimension;
      },
      embed: async (texts, options) => {
        try {
          return await embedder.embed(texts, options);
        } catch (error) {
          if (error instanceof Error) this.#modelFailures.add(error);
          throw error;
        }
      },
      close: () => embedder.close(),
    };
  }

  /** Throws when the model is away, or gives other vectors than those that were kept of it. */
  async #checkModel({ embedder: id, dimension }: EmbeddingSettings, signal: AbortSignal | undefined): Promise<void> {
    const embedder = await this.#embedder();
    // A text that nobody has embedded yet: a kept vector would not tell.
    const vectors = await embedder?.embed([`ready ${randomUUID()}`], signal === undefined ? {} : { signal });
    const now = vectors?.[0]?.length;
    if (now === dimension) return;
    const message = `${id} gives vectors of ${now} numbers, and those that were kept have ${dimension}: another model has its name now. Delete vectors.db in the data folder, where vectors are kept, and run this again.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'embedding', reason: 'another model' });
  }

  async #embedding(signal: AbortSignal | undefined): Promise<EmbeddingSettings | undefined> {
    const embedder = await this.#embedder();
    if (embedder === undefined) return undefined;
    return readEmbedding(this.plan, embedder, signal);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'not_found';
}
