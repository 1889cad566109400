import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { KnowledgePool, PoolResources } from '../../knowledge/knowledge-pool.ts';
import type { KnowledgePlan } from '../../knowledge/plan/plan-knowledge.ts';

/** The collections of one reading of the files, and their storage location. */
interface PlacedKnowledge extends Pick<PoolResources, 'data' | 'base'> {
  readonly plan: () => Promise<KnowledgePlan>;
}

/** The collections of a board. Connections are opened on first use, and shared by all readings of the files that are in use. */
export class BoardKnowledge {
  readonly placed: PlacedKnowledge;
  readonly #shared: SharedPools;
  #opened: Promise<Knowledge> | undefined;

  constructor(placed: PlacedKnowledge, before?: BoardKnowledge) {
    this.placed = placed;
    this.#shared = before === undefined ? new SharedPools() : before.#shared;
    this.#shared.used.add(placed);
  }

  /** Opens the collections once; connections are opened on first use. */
  readonly open = (): Promise<Knowledge> => (this.#opened ??= this.#open());

  async #open(): Promise<Knowledge> {
    const [module, pool, plan] = await Promise.all([
      import('../../knowledge/knowledge.ts'),
      this.#shared.open(this.placed),
      this.placed.plan(),
    ]);
    return new module.Knowledge(plan, pool);
  }

  /** Closes the connections that no other reading needs. */
  async close(): Promise<void> {
    this.#shared.used.delete(this.placed);
    await this.#shared.sweep();
  }
}

/** The connections of a board by their folders. */
class SharedPools {
  readonly used = new Set<PlacedKnowledge>();
  readonly #pools = new Map<string, Promise<KnowledgePool>>();

  open({ data, base }: PlacedKnowledge): Promise<KnowledgePool> {
    const key = keyOf({ data, base });
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = import('../../knowledge/knowledge-pool.ts').then((module) => new module.KnowledgePool({ data, base }));
      this.#pools.set(key, pool);
    }
    return pool;
  }

  async sweep(): Promise<void> {
    const plans = Map.groupBy(this.used, keyOf);
    await Promise.all(
      [...this.#pools].map(async ([key, opened]) => {
        const pool = await opened;
        if (this.used.size === 0) await pool.close();
        else await pool.keepOnly(await Promise.all((plans.get(key) ?? []).map(({ plan }) => plan())));
      }),
    );
  }
}

function keyOf({ data, base }: Pick<PoolResources, 'data' | 'base'>): string {
  return JSON.stringify([data, base]);
}
