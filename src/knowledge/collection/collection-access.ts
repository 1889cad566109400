import { randomUUID } from 'node:crypto';
import type { Embedder } from '../../vectors/embedder.ts';
import type { Reranker } from '../../vectors/rerank/reranker.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { unusedVectors, readEmbedding } from './embedding-problem.ts';
import type { WriteTarget } from '../indexing/batch-writer.ts';
import type { PlannedCollection } from '../plan/knowledge-plan.ts';
import type { KnowledgePool } from '../knowledge-pool.ts';
import type { EmbeddingSettings, VectorStore } from '../vector-store.ts';

/** The way to a collection's store and embedder; failures say which collection, server or model they are about. */
export class CollectionAccess {
  readonly #plan: PlannedCollection;
  readonly #pool: KnowledgePool;
  /** Errors of the embedder, to tell them from those of the store. */
  readonly #modelFailures = new WeakSet<object>();

  constructor(plan: PlannedCollection, pool: KnowledgePool) {
    this.#plan = plan;
    this.#pool = pool;
  }

  /** Its store. The collection may not exist yet. */
  store(): Promise<VectorStore> {
    return this.#pool.store(this.#plan.server);
  }

  /** Its embedder; `undefined` where words alone are searched. */
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

  /** Its reranker, if it has one. One that cannot be made, such as for want of a key, fails when it is asked. */
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

  /** The settings of its vectors; asks the model for the dimension where that is not known. */
  async embedding(signal: AbortSignal | undefined): Promise<EmbeddingSettings | undefined> {
    const embedder = await this.embedder();
    return embedder === undefined ? undefined : readEmbedding(this.#plan, embedder, signal);
  }

  /**
   * Its store and embedder to write with. The collection is made where there is none; vectors are never mixed.
   * `storedAs` names another collection of the store, which gets the same settings.
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

  /** Opens the collection and works on it. Starts again when another process deleted it in between. */
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

  /** Runs work; gives `fallback` where the collection does not exist yet. */
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

  /** Runs work; its failures say which collection, server or model they are about. */
  async nameFailures<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw nameFailure(error, this.#plan, error instanceof Error && this.#modelFailures.has(error));
    }
  }

  /** Throws when the model does not answer, or gives vectors of another length than the stored ones. */
  async checkModel({ embedder: id, dimension }: EmbeddingSettings, signal: AbortSignal | undefined): Promise<void> {
    const embedder = await this.embedder();
    // A new text: a vector from the cache would not tell.
    const vectors = await embedder?.embed([`ready ${randomUUID()}`], signal === undefined ? {} : { signal });
    const now = vectors?.[0]?.length;
    if (now === dimension) return;
    const message = `${id} gives vectors of ${now} numbers, and those that were kept have ${dimension}: another model has its name now. Delete vectors.db in the data folder, where vectors are kept, and run this again.`;
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

/** Adds to a failure which collection and server, or whose model, it is about. Other errors come back as they are. */
function nameFailure(error: unknown, plan: PlannedCollection, isOfModel: boolean): unknown {
  if (!(error instanceof ToolError)) return error;
  const { name, storedAs, server } = plan;
  if (error.message.includes(`--collection ${storedAs}`) && storedAs !== name) {
    // A command that is to be run needs the name in the settings, which the store does not know.
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
