import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IndexedTool } from './indexed-tool.ts';
import { ToolRanker } from './ranking/tool-ranker.ts';
import { fetchWordMeanings } from '../text/load-word-meanings.ts';

/** Milliseconds of work before other work has its turn. */
const TURN = 1;
/** Milliseconds a board is left alone after a change: a board that is only listed is gone before. */
const REST = 50;

/**
 * Puts off the indexing of tools: it is done in the background, in short turns that keep no process alive, or at once
 * when somebody ranks before that.
 */
export class RankingQueue {
  #ranker = new ToolRanker();
  readonly #waiting = new Map<string, IndexedTool>();
  #timer: NodeJS.Timeout | undefined;

  /** How many tools wait. */
  get pending(): number {
    return this.#waiting.size;
  }

  put(tool: IndexedTool): void {
    this.#waiting.set(tool.name, tool);
    this.#rest(REST);
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

  /** Does what is waiting, a little at a time. */
  async prepare(): Promise<void> {
    if (this.#waiting.size > 0) await fetchWordMeanings();
    while (this.#waiting.size > 0) {
      this.#work(performance.now() + TURN);
      await nextTurn();
    }
  }

  /** Stops the work in the background. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #rest(milliseconds: number): void {
    this.#timer ??= setTimeout(() => void this.#continue(), milliseconds).unref();
  }

  async #continue(): Promise<void> {
    await fetchWordMeanings();
    // Closed meanwhile.
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    this.#work(performance.now() + TURN);
    if (this.#waiting.size > 0) this.#rest(0);
  }

  #work(until: number): void {
    if (until === Infinity) {
      for (const tool of this.#waiting.values()) this.#ranker.put(tool);
      this.#waiting.clear();
      return;
    }
    for (const [name, tool] of this.#waiting) {
      this.#ranker.put(tool);
      this.#waiting.delete(name);
      if (performance.now() >= until) return;
    }
  }
}
