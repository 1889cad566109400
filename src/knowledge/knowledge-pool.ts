import type { Embedder, EmbedderResources } from '../vectors/embedder.ts';
import type { EmbedderConfig } from '../vectors/embedder-config.ts';
import type { PlannedEmbedder, PlannedServer } from './plan/knowledge-plan.ts';
import { createEgressPolicy } from '../platform/http/egress.ts';
import { createHttpClient, type HttpClient } from '../platform/http/http-client.ts';
import type { Reranker } from '../vectors/rerank/reranker.ts';
import type { RerankerConfig } from '../vectors/rerank/reranker-config.ts';
import { openStore, type StoreFolders, storePlace } from './stores/open-store.ts';
import type { KnowledgePlan } from './plan/plan-knowledge.ts';
import type { VectorStore } from './vector-store.ts';

export interface PoolResources extends StoreFolders, Omit<EmbedderResources, 'data'> {
  /** Replaces the embedder of a config, for tests and custom models. */
  createEmbedder?(config: EmbedderConfig): Embedder | undefined;
}

/**
 * Connections to stores and embedders, opened on first use and kept open.
 *
 * A board keeps its pool when it reloads: connections whose settings did not change stay open.
 */
export class KnowledgePool {
  readonly #resources: PoolResources;
  readonly #stores = new Map<string, Promise<VectorStore>>();
  readonly #embedders = new Map<string, Promise<Embedder>>();
  readonly #rerankers = new Map<string, Promise<Reranker>>();
  readonly #clients = new Map<string, HttpClient>();
  #isClosed = false;

  constructor(resources: PoolResources) {
    this.#resources = resources;
  }

  /** The folder that document names are relative to. */
  get base(): string {
    return this.#resources.base;
  }

  /** The folder for persistent data, or `undefined` if everything is in memory. */
  get data(): string | undefined {
    return this.#resources.data;
  }

  /** Returns a client that may reach these hosts in addition to the public internet. */
  httpClient(allowHosts: readonly string[]): HttpClient {
    const given = this.#resources.httpClient?.(allowHosts);
    if (given !== undefined) return given;
    const key = JSON.stringify(allowHosts);
    let client = this.#clients.get(key);
    if (client === undefined)
      this.#clients.set(key, (client = createHttpClient({ egress: createEgressPolicy({ allow: allowHosts }) })));
    return client;
  }

  store(server: PlannedServer): Promise<VectorStore> {
    return this.#get(this.#stores, storeKey(server), () => openStore(server, this.#resources));
  }

  /** Returns the location of a server's data, for people. Opens nothing. */
  place(server: PlannedServer): string {
    return storePlace(server, this.#resources);
  }

  embedder(config: PlannedEmbedder): Promise<Embedder> {
    return this.#get(this.#embedders, JSON.stringify(config), async () => {
      const own = config.make?.(config, this.#resources) ?? this.#resources.createEmbedder?.(config);
      if (own !== undefined) return own;
      const { createEmbedder } = await import('../vectors/create-embedder.ts');
      return createEmbedder(config, this.#resources);
    });
  }

  reranker(config: RerankerConfig): Promise<Reranker> {
    return this.#get(this.#rerankers, JSON.stringify(config), async () => {
      const { createReranker } = await import('../vectors/rerank/reranker.ts');
      return createReranker(config, this.#resources);
    });
  }

  /** Closes the connections that no plan uses. */
  async keepOnly(plans: readonly Pick<KnowledgePlan, 'collections' | 'servers'>[]): Promise<void> {
    const collections = plans.flatMap((plan) => [...plan.collections.values()]);
    const servers = [
      ...plans.flatMap((plan) => [...plan.servers.values()]),
      ...collections.map(({ server }) => server),
    ];
    const embedders = collections.flatMap(({ embedder }) => embedder ?? []);
    const rerankers = collections.flatMap(({ reranker }) => reranker ?? []);
    const unused: Promise<{ close(): unknown }>[] = [
      ...takeOthers(this.#stores, new Set(servers.map(storeKey))),
      ...takeOthers(this.#embedders, new Set(embedders.map((config) => JSON.stringify(config)))),
      ...takeOthers(this.#rerankers, new Set(rerankers.map((config) => JSON.stringify(config)))),
    ];
    // A failed connection has nothing to close.
    await Promise.allSettled(unused.map(async (resource) => (await resource).close()));
  }

  /** Closes every connection; running calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.keepOnly([]);
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  #get<T>(open: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('The knowledge base was closed.'));
    let resource = open.get(key);
    if (resource === undefined) {
      resource = make();
      open.set(key, resource);
      // The next call tries again.
      resource.catch(() => {
        if (open.get(key) === resource) open.delete(key);
      });
    }
    return resource;
  }
}

/** Leaves out the name: two names for one server share a connection, except in memory. */
function storeKey(server: PlannedServer): string {
  const { name, ...place } = server;
  return JSON.stringify(server.driver === 'memory' ? { name, ...place } : place);
}

/** Removes and returns the entries with other keys than these. */
function takeOthers<T>(open: Map<string, T>, kept: ReadonlySet<string>): T[] {
  const others = [...open].filter(([key]) => !kept.has(key));
  for (const [key] of others) open.delete(key);
  return others.map(([, resource]) => resource);
}
