import { ToolError } from '../tool/tool-error.ts';
import { copyCollection, type CopyProgress } from './collection/copy-collection.ts';
import { KnowledgeCollection } from './collection/knowledge-collection.ts';
import type { KnowledgePool } from './knowledge-pool.ts';
import type { KnowledgePlan } from './plan/plan-knowledge.ts';
import { unknownName } from './plan/knowledge-plan.ts';
import type { VectorStore } from './vector-store.ts';

/** A copy between two collections or between two servers. */
export interface CopyRequest {
  /** A collection or a server. */
  readonly from: string;
  /** A collection or a server, like `from`. */
  readonly to: string;
  /** Between servers: the collection to copy. Default: all of them. */
  readonly collection?: string | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of copying a collection. */
export interface CopiedCollection extends CopyProgress {
  readonly collection: string;
}

/** Named collections, opened on first use. */
export class Knowledge {
  readonly #plan: Pick<KnowledgePlan, 'collections' | 'servers'>;
  readonly #pool: KnowledgePool;

  /** @internal Use `openKnowledge`. */
  constructor(plan: Pick<KnowledgePlan, 'collections' | 'servers'>, pool: KnowledgePool) {
    this.#plan = plan;
    this.#pool = pool;
  }

  get names(): string[] {
    return [...this.#plan.collections.keys()];
  }

  /** Returns a collection by name. Throws `not_found` with the existing names. */
  collection(name: string): KnowledgeCollection {
    const plan = this.#plan.collections.get(name);
    if (plan === undefined) throw notFound('collection', name, this.names);
    return new KnowledgeCollection(plan, this.#pool);
  }

  /** Copies a collection or all collections of a server, including vectors. Another run copies what is missing. */
  async copy({ from, to, collection, ...how }: CopyRequest): Promise<CopiedCollection[]> {
    const { collections } = this.#plan;
    const [source, target] = [collections.get(from), collections.get(to)];
    if (source !== undefined && target !== undefined) {
      const stores = { from: await this.#pool.store(source.server), to: await this.#pool.store(target.server) };
      const copied = await copyCollection({ ...stores, collection: source.storedAs, as: target.storedAs, ...how });
      return [{ collection: target.name, ...copied }];
    }
    // One of them is a collection, so the other must be one too.
    if (source !== undefined) throw notFound('collection', to, this.names);
    if (target !== undefined) throw notFound('collection', from, this.names);
    const stores = { from: await this.#server(from), to: await this.#server(to) };
    const there = new Set((await stores.from.collections()).map(({ name }) => name));
    const wanted =
      collection === undefined
        ? [...collections.values()].filter(({ storedAs }) => there.has(storedAs))
        : [this.collection(collection).plan];
    const done: CopiedCollection[] = [];
    for (const { name, storedAs } of wanted) {
      done.push({ collection: name, ...(await copyCollection({ ...stores, collection: storedAs, ...how })) });
    }
    return done;
  }

  /** Closes the connections to stores and embedders. */
  close(): Promise<void> {
    return this.#pool.close();
  }
  #server(name: string): Promise<VectorStore> {
    const { servers, collections } = this.#plan;
    const server = servers.get(name);
    if (server === undefined) throw notFound('server or collection', name, [...servers.keys(), ...collections.keys()]);
    return this.#pool.store(server);
  }
}

function notFound(what: string, name: string, known: readonly string[]): ToolError {
  return new ToolError({ code: 'not_found', message: unknownName(what, name, known) });
}
