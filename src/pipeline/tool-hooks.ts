import { describeValue } from '../tool/texts/describe-value.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';

/** The payload of a `tool.before_execute` hook, which may change it, return a new one, or return a result to answer for the tool. */
export interface BeforeExecute {
  /** The tool that runs. Replacing it has no effect. */
  readonly tool: Tool;
  args: Record<string, unknown>;
  context: ToolContext;
  /** A result that answers the call instead of the tool. */
  result?: ToolResult | undefined;
}

/** The payload of a `tool.after_execute` hook, which may replace the result. */
export interface AfterExecute {
  readonly tool: Tool;
  args: Record<string, unknown>;
  context: ToolContext;
  result: ToolResult;
}

/** The payload of each hook, by the hook's name. */
export interface HookPayloads {
  'tool.before_execute': BeforeExecute;
  'tool.after_execute': AfterExecute;
}

/** The two places in a call where your code may run. */
export type HookName = keyof HookPayloads;

/** The return value of a hook: a new payload or the part that changed, a result, or nothing. */
export type HookOutcome<P> = Partial<P> | ToolResult | void;

/** Changes its payload, returns a new one (or the part that changed), or returns a result. */
export type ToolHook<P> = (payload: P) => HookOutcome<P> | Promise<HookOutcome<P>>;

/** Options of a hook. */
export interface HookOptions {
  /** Higher runs first. Default: 0. */
  readonly priority?: number;
}

interface Entry<P> {
  readonly hook: ToolHook<P>;
  readonly priority: number;
}

/** The hooks of an executor. Hooks added while a call runs count from the next call on. */
export class ToolHooks {
  readonly #before: Entry<BeforeExecute>[] = [];
  readonly #after: Entry<AfterExecute>[] = [];
  /** @internal Changes with each hook that is added or removed. */
  version = 0;

  /** Runs `hook` before each tool. Returns a function that removes it. */
  before(hook: ToolHook<BeforeExecute>, options: HookOptions = {}): () => void {
    return this.#add(this.#before, hook, options);
  }

  /** Runs `hook` after each tool. Returns a function that removes it. */
  after(hook: ToolHook<AfterExecute>, options: HookOptions = {}): () => void {
    return this.#add(this.#after, hook, options);
  }

  /** Adds a hook by its name. */
  on<N extends HookName>(name: N, hook: ToolHook<HookPayloads[N]>, options?: HookOptions): () => void {
    switch (name) {
      case 'tool.before_execute':
        // The name fixes the payload's type; the compiler does not narrow `hook` along with `name`.
        return this.before(hook as ToolHook<BeforeExecute>, options);
      case 'tool.after_execute':
        return this.after(hook as ToolHook<AfterExecute>, options);
      default:
        throw new ToolError({
          code: 'invalid_arguments',
          message: `Unknown hook ${describeValue(name)}. Use one of: tool.before_execute, tool.after_execute.`,
          field: 'name',
        });
    }
  }

  /** @internal The current hooks in running order. */
  get beforeHooks(): readonly ToolHook<BeforeExecute>[] {
    return this.#before.map(({ hook }) => hook);
  }

  /** @internal */
  get afterHooks(): readonly ToolHook<AfterExecute>[] {
    return this.#after.map(({ hook }) => hook);
  }

  #add<P>(entries: Entry<P>[], hook: ToolHook<P>, { priority = 0 }: HookOptions): () => void {
    const entry = { hook, priority };
    const at = entries.findIndex((other) => other.priority < priority);
    entries.splice(at === -1 ? entries.length : at, 0, entry);
    this.version++;
    return () => {
      const place = entries.indexOf(entry);
      if (place !== -1) entries.splice(place, 1);
      this.version++;
    };
  }
}
