import type { FairSlots } from '../platform/fair-slots.ts';
import { isThenable } from '../tool/is-thenable.ts';
import type { SettleCall } from '../tool/calls/call-bounds.ts';
import { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallScope } from './call-scope.ts';
import type { CallHost } from './executor-options.ts';
import type { ProxyTool } from './proxy-tool.ts';
import { shapeOutput } from './finish-result.ts';
import { toToolError } from './to-tool-error.ts';
import type { BeforeExecute } from './tool-hooks.ts';

/**
 * Work that may wait: it yields each promise it waits for, and resumes with the promise's value or error.
 *
 * An async function would wait at least once even if everything is available, and no timeout could stop it.
 */
export type Steps<T = void> = Generator<Promise<unknown>, T, unknown>;

/** One stage of a call. Returns nothing when it is done, or a promise of the tool's output. */
export type Stage = (call: RunningCall) => Steps | Promise<unknown> | undefined;

/** The compiled stages and limits of one tool's calls. */
export interface CallPlan {
  readonly tool: Tool;
  readonly name: string;
  readonly host: CallHost;
  /** The `ToolHooks.version` it was compiled for. */
  readonly version: number;
  /** The tool, if it forwards its calls to another. */
  readonly proxy: ProxyTool | undefined;
  /** True when nulls for "not given" are removed from the arguments of every caller. */
  readonly dropsNulls: boolean;
  readonly timeout: number;
  readonly retries: number;
  /** The slots of this tool alone. */
  readonly ownSlots: FairSlots | undefined;
  /** Each call takes one slot of each, in this order. */
  readonly slots: readonly FairSlots[];
  readonly maxOutput: number;
  readonly maxMedia: number;
  /** True when arguments may raise the risk of a call above the rights of its caller. */
  readonly hasArgumentRisks: boolean;
  readonly stages: readonly Stage[];
  /** Shapes and records the result. */
  readonly finish: (call: RunningCall, result: ToolResult) => ToolResult | Promise<ToolResult>;
}

const NO_ARGUMENTS: Record<string, unknown> = Object.freeze({});

/** A call in progress: runs the stages of its plan, and waits only where a stage does. */
export class RunningCall {
  readonly plan: CallPlan;
  readonly scope: CallScope;
  /** The arguments as received. */
  readonly given: unknown;
  /** The arguments after validation, then after hooks. */
  args: Record<string, unknown> = NO_ARGUMENTS;
  /** The arguments that all guards agreed to; `undefined` when none judged. */
  judged: Record<string, unknown> | undefined = undefined;
  context: ToolContext;
  /** The payload after the before hooks. */
  hooked: BeforeExecute | undefined = undefined;
  /** The result of the tool, or of a hook that answers for it. */
  result: ToolResult | undefined = undefined;
  /** Frees the slots that the call holds. */
  free: (() => void) | undefined = undefined;
  reserved: SettleCall | undefined = undefined;
  #nextStage = 0;
  #steps: Steps | undefined = undefined;
  /** The promise that the call waits for. One that settles after its wait was interrupted is ignored. */
  #awaited: Promise<unknown> | undefined = undefined;
  #answer: ((result: ToolResult | Promise<ToolResult>) => void) | undefined = undefined;

  constructor(plan: CallPlan, scope: CallScope, given: unknown) {
    this.plan = plan;
    this.scope = scope;
    this.given = given;
    this.context = ToolContext.from(scope.options.context).withRuntime(scope);
    scope.onEnd = this;
  }

  /** Runs the call. Everything up to the first promise that a stage waits for happens before this returns. Never rejects. */
  run(): Promise<ToolResult> {
    const outcome = this.#runStages();
    if (outcome !== undefined) return Promise.resolve(outcome);
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  /** Runs the stages again from this one on. */
  restart(stage: Stage): void {
    this.#nextStage = this.plan.stages.indexOf(stage);
  }

  /** Ends the current wait with this error. A call that does not wait notices it at its next wait. */
  interrupt(error: ToolError): void {
    if (this.#awaited !== undefined) this.#settle(this.#resume(true, error));
  }

  /** Converts the tool's output to a result. */
  takeOutput(output: unknown): void {
    try {
      this.result = shapeOutput(output, this.plan.name);
      this.free?.();
    } catch (thrown) {
      this.takeFailure(thrown);
    }
  }

  /** Converts an error of the tool, or the one that ended the call from outside, to a result. */
  takeFailure(thrown: unknown): void {
    this.result = this.#toFailure(thrown);
    this.free?.();
  }

  /** Finishes the call without a result of the tool. */
  fail(thrown: unknown): ToolResult | Promise<ToolResult> {
    return this.plan.finish(this, this.#toFailure(thrown));
  }

  #toFailure(thrown: unknown): ToolResult {
    return ToolResult.error(this.scope.ended ?? toToolError(thrown, this.plan.name));
  }

  /** Runs the next stages, up to the next wait or to the end. Returns nothing when the call waits. */
  #runStages(): ToolResult | Promise<ToolResult> | undefined {
    const { stages } = this.plan;
    try {
      while (this.#nextStage < stages.length) {
        const work = stages[this.#nextStage++]?.(this);
        if (work === undefined) continue;
        if (work instanceof Promise) return this.#waitFor(work);
        this.#steps = work;
        const step = work.next();
        if (step.done !== true) return this.#waitFor(step.value);
        this.#steps = undefined;
      }
      // Every plan has a stage that leaves a result.
      return this.plan.finish(this, this.result as ToolResult);
    } catch (thrown) {
      return this.fail(thrown);
    }
  }

  /** Resumes the stage that waited. */
  #resume(isThrown: boolean, value: unknown): ToolResult | Promise<ToolResult> | undefined {
    this.#awaited = undefined;
    const steps = this.#steps;
    if (steps === undefined) {
      if (isThrown) this.takeFailure(value);
      else this.takeOutput(value);
      return this.#runStages();
    }
    try {
      const step = isThrown ? steps.throw(value) : steps.next(value);
      if (step.done !== true) return this.#waitFor(step.value);
    } catch (thrown) {
      return this.fail(thrown);
    }
    this.#steps = undefined;
    return this.#runStages();
  }

  #waitFor(work: Promise<unknown>): ToolResult | Promise<ToolResult> | undefined {
    this.#awaited = work;
    work.then(
      (value: unknown) => {
        if (this.#awaited === work) this.#settle(this.#resume(false, value));
      },
      (thrown: unknown) => {
        if (this.#awaited === work) this.#settle(this.#resume(true, thrown));
      },
    );
    // It may have been ended while its own code ran.
    return this.scope.ended === undefined ? undefined : this.#resume(true, this.scope.ended);
  }

  #settle(outcome: ToolResult | Promise<ToolResult> | undefined): void {
    if (outcome !== undefined) this.#answer?.(outcome);
  }
}

/** Waits for work that may already be done. */
export function* settled<T>(work: T | PromiseLike<T>): Steps<T> {
  const pending = toPromise(work);
  // A call resumes with the value of the promise it waited for.
  return (pending === undefined ? work : yield pending) as T;
}

/** Returns the promise to wait for; `undefined` for any other value. Wraps a foreign thenable, whose `then` might call back at once or throw. */
export function toPromise(work: unknown): Promise<unknown> | undefined {
  if (work instanceof Promise) return work;
  return typeof work === 'object' && isThenable(work) ? Promise.resolve(work) : undefined;
}
