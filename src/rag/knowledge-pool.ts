import type { Embedder } from '../core/embedder.ts';
import type { EmbedderConfig } from '../embedders/embedder-config.ts';
import type { EmbedderHost } from '../embedders/embedder-host.ts';
import type { PlannedServer } from './knowledge-plan.ts';
import { openStore } from './open-store.ts';
import { type StoreHost, storePlace } from './store-place.ts';
import type { VectorStore } from './vector-store.ts';

/** What a pool lends its stores and embedders. */
export interface PoolHost extends StoreHost, Omit<EmbedderHost, 'data'> {
  /** Makes embedders otherwise than the settings say, where it gives one: for tests, and for models of your own. */
  createEmbedder?(config: EmbedderConfig): Embedder | undefined;
}

/**
 * Connections to stores and embedders, opened at their first use and kept as long as the pool.
 *
 * A board that is reloaded keeps its pool: what did not change in the settings stays open.
 */
export class KnowledgePool {
  readonly #host: PoolHost;
  readonly #stores = new Map<string, Promise<VectorStore>>();
  readonly #embedders = new Map<string, Promise<Embedder>>();
  #isClosed = false;

  constructor(host: PoolHost) {
    this.#host = host;
  }

  /** The folder that documents are named relative to. */
  get base(): string {
    return this.#host.base;
  }

  /** The store of a server. */
  store(server: PlannedServer): Promise<VectorStore> {
    // The name is left out: two names for one server are one connection, except in memory.
    const { name, ...place } = server;
    const key = JSON.stringify(server.driver === 'memory' ? { name, ...place } : place);
    return this.#get(this.#stores, key, () => openStore(server, this.#host));
  }

  /** Where a server keeps things, for people; nothing is opened. */
  place(server: PlannedServer): string {
    return storePlace(server, this.#host);
  }

  /** The embedder of these settings. */
  embedder(config: EmbedderConfig): Promise<Embedder> {
    return this.#get(this.#embedders, JSON.stringify(config), async () => {
      const own = this.#host.createEmbedder?.(config);
      if (own !== undefined) return own;
      const { createEmbedder } = await import('../embedders/create-embedder.ts');
      return createEmbedder(config, this.#host);
    });
  }

  /** Closes every connection; calls that are under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#stores.values(), ...this.#embedders.values()];
    this.#stores.clear();
    this.#embedders.clear();
    // What could not be opened has nothing to close.
    await Promise.allSettled(open.map(async (resource) => (await resource).close()));
  }

  #get<T>(open: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('The knowledge base was closed.'));
    let resource = open.get(key);
    if (resource === undefined) {
      resource = make();
      open.set(key, resource);
      // The next call tries again.
      resource.catch(() => open.delete(key));
    }
    return resource;
  }
}
