import type { RunFacts, RunTrail } from '../../pipeline/call-recorder.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { RunRecord } from '../runs/run-record.ts';
import type { AgentResult, AgentStep } from './agent-result.ts';
import type { PreparedRun } from './prepare-run.ts';
import { insideStep } from './run-link.ts';

/** What the board's record has of a run: the run, its steps, and the calls inside of them. */
export class LoopTrail {
  readonly #run: PreparedRun;
  readonly #record: RunRecord | undefined;
  #trail: RunTrail | undefined;
  #step = 0;

  constructor(run: PreparedRun, record: RunRecord | undefined) {
    this.#run = run;
    this.#record = record;
  }

  /** Records a run from its start to its end. */
  async around(work: () => Promise<AgentResult>): Promise<AgentResult> {
    const { agent, registry, options } = this.#run;
    // As it was given: for whom, and inside of which call, the run was started.
    const context = ToolContext.from(options.context);
    this.#trail = registry.executor.recorder?.beginRun?.({ agent: agent.name, id: this.#record?.id, context });
    try {
      const result = await work();
      const { usage, steps, outcome } = result;
      const whole = { steps: steps.length, usage: { ...usage } };
      this.#trail?.end(result.ok ? 'ok' : outcome, whole, this.#factsOf(steps));
      return result;
    } catch (error) {
      this.#trail?.end('execution_failed', {});
      throw error;
    }
  }

  /** Notes that a step begins, unless an earlier process had its answers. */
  step(number: number, before: readonly AgentStep[]): void {
    if (number < (this.#record?.stepsBefore ?? 0)) return;
    this.#trail?.step(number, this.#factsOf(before));
    this.#step = number;
  }

  /** The context of a call in a step. */
  inside(context: ToolContext, step: number): ToolContext {
    const id = this.#trail?.id ?? this.#record?.id;
    return id === undefined ? context : insideStep(context, `${id}#${step}`);
  }

  /** What is known of the step that ends, where it came to its end. */
  #factsOf(steps: readonly AgentStep[]): RunFacts {
    const last = steps.at(-1);
    return last?.number === this.#step ? { usage: { ...last.usage } } : {};
  }
}
