import { describeValue } from '../core/describe-value.ts';
import type { ToolContext } from '../core/tool-context.ts';
import { ToolError } from '../core/tool-error.ts';
import { ToolResult } from '../core/tool-result.ts';
import type { Tool } from '../core/tool.ts';

/** What a `tool.before_execute` hook sees. It may change it, return a new one, or return a result to answer for the tool. */
export interface BeforeExecute {
  tool: Tool;
  args: Record<string, unknown>;
  context: ToolContext;
  /** Set it to answer without running the tool. */
  result?: ToolResult;
}

/** What a `tool.after_execute` hook sees. It may replace the result. */
export interface AfterExecute {
  tool: Tool;
  args: Record<string, unknown>;
  context: ToolContext;
  result: ToolResult;
}

interface HookPayloads {
  'tool.before_execute': BeforeExecute;
  'tool.after_execute': AfterExecute;
}

/** The two places in a call where code of yours may step in. */
export type HookName = keyof HookPayloads;

type HookOutcome<P> = Partial<P> | ToolResult | void;

/** A hook: changes its payload, gives a new one (or the part that changed), or gives a result. */
export type ToolHook<P> = (payload: P) => HookOutcome<P> | Promise<HookOutcome<P>>;

/** When a hook runs among others: higher first, in order of adding when equal. */
export interface HookOptions {
  readonly priority?: number;
}

interface Entry<P> {
  readonly hook: ToolHook<P>;
  readonly priority: number;
}

/** The hooks of an executor. Hooks added while a call runs count from the next call on. */
export class ToolHooks {
  #before: readonly Entry<BeforeExecute>[] = [];
  #after: readonly Entry<AfterExecute>[] = [];

  /** Runs `hook` before each tool, and gives the function that removes it. */
  before(hook: ToolHook<BeforeExecute>, options: HookOptions = {}): () => void {
    const entry = { hook, priority: options.priority ?? 0 };
    this.#before = insert(this.#before, entry);
    return () => {
      this.#before = this.#before.filter((other) => other !== entry);
    };
  }

  /** Runs `hook` after each tool, and gives the function that removes it. */
  after(hook: ToolHook<AfterExecute>, options: HookOptions = {}): () => void {
    const entry = { hook, priority: options.priority ?? 0 };
    this.#after = insert(this.#after, entry);
    return () => {
      this.#after = this.#after.filter((other) => other !== entry);
    };
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

  get hasBefore(): boolean {
    return this.#before.length > 0;
  }

  get hasAfter(): boolean {
    return this.#after.length > 0;
  }

  /** Runs the before hooks; the first that sets a result ends the round. */
  async runBefore(payload: BeforeExecute): Promise<BeforeExecute> {
    let current = payload;
    for (const { hook } of this.#before) {
      current = await apply('tool.before_execute', hook, current);
      if (current.result !== undefined) break;
    }
    return current;
  }

  /** Runs the after hooks, each seeing what the one before made of the result. */
  async runAfter(payload: AfterExecute): Promise<AfterExecute> {
    let current = payload;
    for (const { hook } of this.#after) current = await apply('tool.after_execute', hook, current);
    return current;
  }
}

function insert<P>(entries: readonly Entry<P>[], entry: Entry<P>): readonly Entry<P>[] {
  const at = entries.findIndex((other) => other.priority < entry.priority);
  return at === -1 ? [...entries, entry] : entries.toSpliced(at, 0, entry);
}

async function apply<P extends BeforeExecute | AfterExecute>(
  name: HookName,
  hook: ToolHook<P>,
  payload: P,
): Promise<P> {
  let outcome: HookOutcome<P>;
  try {
    outcome = await hook(payload);
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ToolError({
      code: 'execution_failed',
      message: `A ${name} hook failed: ${message}`,
      toolName: payload.tool.metadata.name,
      cause,
    });
  }
  if (outcome instanceof ToolResult) return { ...payload, result: outcome };
  return typeof outcome === 'object' && outcome !== null ? { ...payload, ...outcome } : payload;
}
