import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IndexedTool } from './indexed-tool.ts';
import { ToolRanker } from './ranking/tool-ranker.ts';
import { fetchWordMeanings } from '../text/word-meanings.ts';

/** Milliseconds of work before other work gets its turn. */
const TURN = 1;
/** Milliseconds after a change before indexing starts: a process that only lists the board has ended by then. */
const REST = 50;

/**
 * Indexes tools later: in the background, in short turns that keep no process alive, or immediately when a ranked
 * search needs them.
 */
export class RankingQueue {
  /** Created for the first indexed tool: a board that is only listed needs none. */
  #ranker: ToolRanker | undefined;
  readonly #waiting = new Map<string, IndexedTool>();
  #timer: NodeJS.Timeout | undefined;

  /** The number of waiting tools. */
  get pending(): number {
    return this.#waiting.size;
  }

  put(tool: IndexedTool): void {
    this.#waiting.set(tool.name, tool);
    this.#rest(REST);
  }

  remove(name: string): void {
    this.#waiting.delete(name);
    this.#ranker?.remove(name);
  }

  clear(): void {
    this.#waiting.clear();
    this.#ranker = undefined;
  }

  /** Indexes all waiting tools and returns the ranker. */
  ready(): ToolRanker {
    return this.#work(Infinity);
  }

  /** Indexes waiting tools in short turns. */
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
    // It was closed meanwhile.
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    this.#work(performance.now() + TURN);
    if (this.#waiting.size > 0) this.#rest(0);
  }

  #work(until: number): ToolRanker {
    const ranker = (this.#ranker ??= new ToolRanker());
    for (const [name, tool] of this.#waiting) {
      ranker.put(tool);
      this.#waiting.delete(name);
      if (until !== Infinity && performance.now() >= until) break;
    }
    return ranker;
  }
}
