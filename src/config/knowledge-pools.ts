import type { KnowledgePool, PoolHost } from '../rag/knowledge-pool.ts';

/** The connections of a board's knowledge: opened at first use, kept over reloads, closed with the board. */
export class KnowledgePools {
  readonly #pools = new Map<string, Promise<KnowledgePool>>();

  /** The pool for a data folder; the same for the same folders. */
  open(host: PoolHost): Promise<KnowledgePool> {
    const key = JSON.stringify([host.data, host.base]);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = import('../rag/knowledge-pool.ts').then((module) => new module.KnowledgePool(host));
      this.#pools.set(key, pool);
    }
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(async (pool) => (await pool).close()));
  }
}
