import { ToolError } from '../core/tool-error.ts';
import { KnowledgeCollection } from './knowledge-collection.ts';
import type { PlannedCollection } from './knowledge-plan.ts';
import type { KnowledgePool } from './knowledge-pool.ts';
import { unknownName } from './plan-knowledge.ts';

/** Named collections, opened when they are first used. */
export class Knowledge {
  readonly #plans: ReadonlyMap<string, PlannedCollection>;
  readonly #pool: KnowledgePool;

  constructor(plans: ReadonlyMap<string, PlannedCollection>, pool: KnowledgePool) {
    this.#plans = plans;
    this.#pool = pool;
  }

  /** The names of all collections. */
  get names(): string[] {
    return [...this.#plans.keys()];
  }

  /** A collection by name. Throws `not_found` with the known ones when there is none. */
  collection(name: string): KnowledgeCollection {
    const plan = this.#plans.get(name);
    if (plan === undefined) {
      throw new ToolError({ code: 'not_found', message: unknownName('collection', name, this.names) });
    }
    return new KnowledgeCollection(plan, this.#pool);
  }

  /** Closes the connections to stores and embedders. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
