import { setImmediate } from 'node:timers/promises';
import type { IndexedTool } from './indexed-tool.ts';
import { ToolRanker } from './ranking/tool-ranker.ts';

/** Milliseconds of work before other work has its turn. */
const TURN = 2;

/** Puts off the indexing of tools until somebody ranks, so that a board that is only listed does not pay for it. */
export class RankingQueue {
  #ranker = new ToolRanker();
  readonly #waiting = new Map<string, IndexedTool>();

  put(tool: IndexedTool): void {
    this.#waiting.set(tool.name, tool);
  }

  remove(name: string): void {
    this.#waiting.delete(name);
    this.#ranker.remove(name);
  }

  clear(): void {
    this.#waiting.clear();
    this.#ranker = new ToolRanker();
  }

  /** The ranker with every tool in it. */
  ready(): ToolRanker {
    this.#work(Infinity);
    return this.#ranker;
  }

  /** Does what is waiting, a few milliseconds at a time. */
  async prepare(): Promise<void> {
    while (this.#waiting.size > 0) {
      this.#work(performance.now() + TURN);
      await setImmediate();
    }
  }

  #work(until: number): void {
    for (const [name, tool] of this.#waiting) {
      this.#ranker.put(tool);
      this.#waiting.delete(name);
      if (until !== Infinity && performance.now() >= until) return;
    }
  }
}
