import type { ToolExecutor } from '../pipeline/tool-executor.ts';
import { bindTool } from '../tool/define/bind-tool.ts';
import type { Tool } from '../tool/tool.ts';
import type { Assembly } from './assembly/assemble.ts';

/** A reading of the files, and how many calls that began on it are under way. */
interface Held {
  readonly assembly: Assembly;
  calls: number;
  /** Ends one of them. */
  readonly end: () => void;
}

/**
 * The reading of the files that a board stands on, and those before it that calls in flight began on.
 *
 * One that was replaced rests once its calls are over, and is forgotten with the last of its tools. A caller that kept such a
 * tool may still call it: then the reading is in use again until that call is over.
 */
export class BoardAssemblies {
  #current: Held;
  readonly #past = new Set<Held>();
  readonly #held = new WeakMap<Assembly, Held>();
  readonly #origin = new WeakMap<Tool, Held>();
  readonly #bound = new WeakMap<Tool, Tool>();
  readonly #onRest: () => void;

  /** `onRest` is told after one that was replaced has come to rest. */
  constructor(first: Assembly, onRest: () => void) {
    this.#current = this.#hold(first);
    this.#onRest = onRest;
  }

  get current(): Assembly {
    return this.#current.assembly;
  }

  /** All that are in use: the current one first. */
  get inUse(): Assembly[] {
    return [this.#current, ...this.#past].map(({ assembly }) => assembly);
  }

  /** Binds a tool of a reading to the executor. A tool that stays is the same object, so that listeners hear only of changes. */
  bind(tool: Tool, from: Assembly, executor: ToolExecutor): Tool {
    const known = this.#bound.get(tool) ?? bindTool(tool, executor);
    this.#bound.set(tool, known);
    for (const one of [tool, known]) this.#origin.set(one, this.#hold(from));
    return known;
  }

  /** Puts the next one in place of the current one. */
  replace(next: Assembly): void {
    const before = this.#current;
    this.#current = this.#hold(next);
    if (before === this.#current) return;
    if (before.calls > 0) this.#past.add(before);
    else before.assembly.rest();
  }

  /** A call of a tool begins; gives the function that ends it. */
  begin(tool: Tool): () => void {
    const held = this.#origin.get(tool) ?? this.#current;
    if (held.calls++ === 0 && held !== this.#current) {
      this.#past.add(held);
      held.assembly.wake();
    }
    return held.end;
  }

  #end(held: Held): void {
    if (--held.calls > 0 || held === this.#current) return;
    this.#past.delete(held);
    held.assembly.rest();
    this.#onRest();
  }

  #hold(assembly: Assembly): Held {
    const known = this.#held.get(assembly);
    if (known !== undefined) return known;
    const held: Held = { assembly, calls: 0, end: () => this.#end(held) };
    this.#held.set(assembly, held);
    return held;
  }
}
