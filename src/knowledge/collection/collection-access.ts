import { randomUUID } from 'node:crypto';
import type { Embedder } from '../../vectors/embedder.ts';
import type { Reranker } from '../../vectors/rerank/reranker.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { unusedVectors, readEmbedding } from './embedding-problem.ts';
import type { WriteTarget } from '../indexing/batch-writer.ts';
import type { PlannedCollection } from '../plan/knowledge-plan.ts';
import type { KnowledgePool } from '../knowledge-pool.ts';
import type { EmbeddingSettings, VectorStore } from '../vector-store.ts';

/** Opens a collection's store and embedder, and names the collection, server or model in their failures. */
export class CollectionAccess {
  readonly #plan: PlannedCollection;
  readonly #pool: KnowledgePool;
  /** Errors of the embedder, to distinguish them from those of the store. */
  readonly #modelFailures = new WeakSet<object>();

  constructor(plan: PlannedCollection, pool: KnowledgePool) {
    this.#plan = plan;
    this.#pool = pool;
  }

  /** Returns the store. The collection may not exist yet. */
  store(): Promise<VectorStore> {
    return this.#pool.store(this.#plan.server);
  }

  /** Returns the embedder, or `undefined` if only words are searched. */
  async embedder(): Promise<Embedder | undefined> {
    if (this.#plan.embedder === undefined) return undefined;
    const embedder = await this.#pool.embedder(this.#plan.embedder);
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

  /** Returns the reranker, if there is one. One that cannot be created, for example without a key, fails when it is used. */
  async reranker(): Promise<Reranker | undefined> {
    const { reranker: config } = this.#plan;
    if (config === undefined) return undefined;
    try {
      return await this.#pool.reranker(config);
    } catch (error) {
      const id = config.platform ?? '';
      return { id, candidates: 1, rerank: () => Promise.reject(error), close: () => Promise.resolve() };
    }
  }

  /** Returns the settings of the vectors; asks the model for an unknown dimension. */
  async embedding(signal: AbortSignal | undefined): Promise<EmbeddingSettings | undefined> {
    const embedder = await this.embedder();
    return embedder === undefined ? undefined : readEmbedding(this.#plan, embedder, signal);
  }

  /**
   * Opens the store and embedder for writing, and creates the collection if needed; vectors are never mixed. `storedAs`
   * names another collection of the store, which gets the same settings.
   */
  async open(signal: AbortSignal | undefined, storedAs = this.#plan.storedAs): Promise<WriteTarget> {
    const { name } = this.#plan;
    const store = await this.store();
    const embedder = await this.embedder();
    const { embedding } = await store.ensureCollection(storedAs, await this.embedding(signal));
    if (embedder === undefined && embedding !== undefined) {
      const message = `Nothing was stored: ${unusedVectors(name, embedding.embedder)}`;
      throw new ToolError({ code: 'invalid_arguments', message, field: 'embedding', reason: 'no vectorizer' });
    }
    return { store, collection: storedAs, embedder, embedding, signal };
  }

  /** Opens the collection and runs work on it. Retries if another process deleted it meanwhile. */
  async use<T>(work: (target: WriteTarget) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.nameFailures(async () => {
      try {
        return await work(await this.open(signal));
      } catch (error) {
        if (!isMissing(error) || !(await this.#isGone())) throw error;
        return work(await this.open(signal));
      }
    });
  }

  /** Runs work; returns `fallback` if the collection does not exist yet. */
  async unlessMissing<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    return this.nameFailures(async () => {
      try {
        return await work();
      } catch (error) {
        if (!isMissing(error)) throw error;
        return fallback;
      }
    });
  }

  async nameFailures<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw nameFailure(error, this.#plan, error instanceof Error && this.#modelFailures.has(error));
    }
  }

  /** Throws if the model does not answer or returns vectors of another length than the stored ones. */
  async checkModel({ embedder: id, dimension }: EmbeddingSettings, signal: AbortSignal | undefined): Promise<void> {
    const embedder = await this.embedder();
    // A new text each time, because a cached vector would prove nothing.
    const vectors = await embedder?.embed([`ready ${randomUUID()}`], signal === undefined ? {} : { signal });
    const now = vectors?.[0]?.length;
    if (now === dimension) return;
    const message = `${id} gives vectors of ${now} numbers, but stored ones have ${dimension}: its name now belongs to another model. Delete vectors.db, the vector cache in the data folder, and run this again.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'embedding', reason: 'another model' });
  }

  async #isGone(): Promise<boolean> {
    const store = await this.store();
    return (await store.collections()).every(({ name }) => name !== this.#plan.storedAs);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'not_found';
}

/** Adds the collection and the server or model to a failure. Returns other errors unchanged. */
function nameFailure(error: unknown, plan: PlannedCollection, isOfModel: boolean): unknown {
  if (!(error instanceof ToolError)) return error;
  const { name, storedAs, server } = plan;
  if (error.message.includes(`--collection ${storedAs}`) && storedAs !== name) {
    // A suggested command needs the name in the settings, which the store does not know.
    const message = error.message.replace(`--collection ${storedAs}`, `--collection ${name}`);
    return new ToolError({ code: error.code, message, field: error.field, reason: error.reason, cause: error });
  }
  if (error.code !== 'upstream_unavailable') return error;
  const what = isOfModel
    ? 'gets no vectors from its model'
    : `cannot be reached (server "${server.name}", ${server.driver})`;
  const message = `The collection "${name}" ${what}: ${error.message}`;
  return new ToolError({ code: error.code, message, recoverable: error.recoverable, cause: error });
}
