import { describeValue } from '../tool/texts/describe-value.ts';
import { isThenable } from '../tool/is-thenable.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import { messageOf } from '../tool/texts/message-of.ts';

/** What a `tool.before_execute` hook sees. It may change it, return a new one, or return a result to answer for the tool. */
export interface BeforeExecute {
  /** The tool that runs. Another one in its place changes nothing. */
  readonly tool: Tool;
  args: Record<string, unknown>;
  context: ToolContext;
  /** A result that answers the call in place of the tool. */
  result?: ToolResult | undefined;
}

/** What a `tool.after_execute` hook sees. It may replace the result. */
export interface AfterExecute {
  readonly tool: Tool;
  args: Record<string, unknown>;
  context: ToolContext;
  result: ToolResult;
}

/** What the hooks of each place see. */
export interface HookPayloads {
  'tool.before_execute': BeforeExecute;
  'tool.after_execute': AfterExecute;
}

/** The two places in a call where code of yours may step in. */
export type HookName = keyof HookPayloads;

/** What a hook gives: a new payload or the part that changed, a result, or nothing. */
export type HookOutcome<P> = Partial<P> | ToolResult | void;

/** A hook: changes its payload, gives a new one (or the part that changed), or gives a result. */
export type ToolHook<P> = (payload: P) => HookOutcome<P> | Promise<HookOutcome<P>>;

/** When a hook runs among others: higher first, in order of adding when equal. */
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
  runBefore(payload: BeforeExecute): BeforeExecute | Promise<BeforeExecute> {
    return runRound({ name: 'tool.before_execute', entries: this.#before, isOver: hasResult }, payload, 0);
  }

  /** Runs the after hooks, each seeing what the one before made of the result. */
  runAfter(payload: AfterExecute): AfterExecute | Promise<AfterExecute> {
    return runRound({ name: 'tool.after_execute', entries: this.#after, isOver: () => false }, payload, 0);
  }
}

interface Round<P> {
  readonly name: HookName;
  readonly entries: readonly Entry<P>[];
  isOver(payload: P): boolean;
}

const hasResult = (payload: BeforeExecute): boolean => payload.result !== undefined;

/** One hook after the other, waiting only for those that are asynchronous. */
function runRound<P extends BeforeExecute | AfterExecute>(round: Round<P>, payload: P, from: number): P | Promise<P> {
  const { tool } = payload;
  let current = payload;
  for (let index = from; index < round.entries.length && !round.isOver(current); index++) {
    const next = apply(round.name, round.entries[index]?.hook, current);
    if (next instanceof Promise) return next.then((settled) => runRound(round, keepTool(settled, tool), index + 1));
    current = keepTool(next, tool);
  }
  return current;
}

/** Every hook sees the tool that runs, also when the one before it put another there. */
function keepTool<P extends BeforeExecute | AfterExecute>(payload: P, tool: Tool): P {
  return payload.tool === tool ? payload : { ...payload, tool };
}

function insert<P>(entries: readonly Entry<P>[], entry: Entry<P>): readonly Entry<P>[] {
  const at = entries.findIndex((other) => other.priority < entry.priority);
  return at === -1 ? [...entries, entry] : entries.toSpliced(at, 0, entry);
}

function apply<P extends BeforeExecute | AfterExecute>(
  name: HookName,
  hook: ToolHook<P> | undefined,
  payload: P,
): P | Promise<P> {
  const fail = (cause: unknown): never => {
    throw toHookError(name, payload, cause);
  };
  try {
    const outcome = hook?.(payload);
    if (!isThenable(outcome)) return merge(payload, outcome);
    return Promise.resolve(outcome).then((later) => merge(payload, later), fail);
  } catch (cause) {
    return fail(cause);
  }
}

function merge<P extends BeforeExecute | AfterExecute>(payload: P, outcome: HookOutcome<P>): P {
  if (outcome instanceof ToolResult) return { ...payload, result: outcome };
  if (typeof outcome !== 'object' || outcome === null || outcome === payload) return payload;
  return { ...payload, ...outcome };
}

function toHookError(name: HookName, payload: BeforeExecute | AfterExecute, cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  const message = messageOf(cause);
  return new ToolError({
    code: 'execution_failed',
    message: `A ${name} hook failed: ${message}`,
    toolName: payload.tool.metadata.name,
    cause,
  });
}
