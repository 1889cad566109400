import type { KnowledgePool, PoolResources } from '../knowledge/knowledge-pool.ts';
import type { KnowledgePlan } from '../knowledge/plan/plan-knowledge.ts';

/** The collections of one reading of the files, and where they are kept. */
export interface PlacedKnowledge extends Pick<PoolResources, 'data' | 'base'> {
  readonly plan: KnowledgePlan;
}

/** The connections of a board's knowledge: opened at first use, kept over reloads while a reading that is in use names them. */
export class KnowledgePools {
  readonly #pools = new Map<string, Promise<KnowledgePool>>();

  /** The pool for a data folder; the same for the same folders. */
  open({ data, base }: Pick<PoolResources, 'data' | 'base'>): Promise<KnowledgePool> {
    const key = keyOf({ data, base });
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = import('../knowledge/knowledge-pool.ts').then((module) => new module.KnowledgePool({ data, base }));
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** Closes the connections that none of these needs; one that is needed later after all is opened again. */
  async keepOnly(needed: readonly PlacedKnowledge[]): Promise<void> {
    const plans = Map.groupBy(needed, keyOf);
    await Promise.all(
      [...this.#pools].map(async ([key, pool]) =>
        (await pool).keepOnly((plans.get(key) ?? []).map(({ plan }) => plan)),
      ),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(async (pool) => (await pool).close()));
  }
}

function keyOf({ data, base }: Pick<PoolResources, 'data' | 'base'>): string {
  return JSON.stringify([data, base]);
}
