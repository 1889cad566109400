import type { ToolExecutor } from '../pipeline/tool-executor.ts';
import { bindTool } from '../tool/define/make-tool.ts';
import type { Tool } from '../tool/tool.ts';
import type { Assembly } from './assembly/assemble.ts';
import { toSentence } from '../kinds/broken.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { AbsentTools } from './registry/absent-tools.ts';

/** A reading of the files, and the number of its running calls. */
interface Held {
  readonly assembly: Assembly;
  calls: number;
  /** Ends one of these calls. */
  readonly end: () => void;
}

/**
 * The current reading of a board's files, and earlier ones that still have running calls.
 *
 * A replaced reading rests once its calls have ended, and is dropped with the last of its tools. A caller that kept such a tool may still
 * call it: the reading is then in use again until that call ends.
 */
export class BoardAssemblies {
  #current: Held;
  readonly #past = new Set<Held>();
  readonly #held = new WeakMap<Assembly, Held>();
  readonly #origin = new WeakMap<Tool, Held>();
  readonly #bound = new WeakMap<Tool, Tool>();
  readonly #onRest: () => void;

  /** Calls `onRest` after a replaced reading has come to rest. */
  constructor(first: Assembly, onRest: () => void) {
    this.#current = this.#hold(first);
    this.#onRest = onRest;
  }

  get current(): Assembly {
    return this.#current.assembly;
  }

  /** All readings in use, the current one first. */
  get inUse(): Assembly[] {
    return [this.#current, ...this.#past].map(({ assembly }) => assembly);
  }

  /** Binds a tool of a reading to the executor. An unchanged tool stays the same object, so that listeners are only notified of changes. */
  bind(tool: Tool, from: Assembly, executor: ToolExecutor): Tool {
    const known = this.#bound.get(tool) ?? bindTool(tool, executor);
    this.#bound.set(tool, known);
    for (const one of [tool, known]) this.#origin.set(one, this.#hold(from));
    return known;
  }

  /** Replaces the current reading. */
  replace(next: Assembly): void {
    const before = this.#current;
    this.#current = this.#hold(next);
    if (before === this.#current) return;
    if (before.calls > 0) this.#past.add(before);
    else before.assembly.rest();
  }

  /** Records the start of a tool call. Returns a function that ends it. */
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

/** Knows the tools that a board does not have, and those that its features may still add. */
interface BoardArrivals extends AbsentTools {
  /** Waits for all tools that features may still add; `retry` contacts failed sources again. */
  ready(retry: boolean): Promise<void>;
}

/** Explains and awaits tools that are not on a board, by its current reading. */
export function createArrivals(current: () => Assembly, isThere: (name: string) => boolean): BoardArrivals {
  const arrival: AbsentTools['arrival'] = (name, wish) => {
    const reading = current();
    const wanted = reading.wantedTool(name);
    const pending = reading.features.flatMap(({ open }) => open.pending?.(wanted, wish) ?? []);
    if (pending.length === 0) return undefined;
    // A reload may have replaced the feature that was asked.
    return Promise.all(pending).then(() => (reading === current() || isThere(name) ? undefined : arrival(name, wish)));
  };
  return {
    arrival,
    explain(name) {
      const reading = current();
      const reason = reading.explainAbsence(name);
      if (reason !== undefined) {
        const error = new ToolError({ code: 'not_found', message: toSentence(reason), toolName: name });
        return { type: 'known', error };
      }
      const wanted = reading.wantedTool(name);
      return reading.features.flatMap(({ open }) => open.explainAbsence?.(wanted) ?? [])[0];
    },
    denial: (name) => current().composed.denied.get(name),
    async ready(retry) {
      for (let reading: Assembly | undefined; reading !== current();) {
        reading = current();
        await Promise.all(reading.features.flatMap(({ open }) => open.ready?.(retry) ?? []));
      }
    },
  };
}
