import type { RunFacts, RunTrail } from '../../pipeline/call-recorder.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { CallPlace } from '../../platform/runs/board-runs.ts';
import { keepBelow } from '../runs/kept-run.ts';
import type { RunRecord } from '../runs/run-record.ts';
import type { AgentResult, AgentStep } from './agent-result.ts';
import type { PreparedRun } from './prepare-run.ts';
import { addRunLink, insideStep, type KeptBelow, type RunLink } from './agent-tool.ts';

const DEFAULT_DEPTH = 3;

/** The listeners and the parent span of a call, for agents below it. */
interface CallLink extends Pick<RunLink, 'onEvent' | 'addUsage' | 'parentSpan'>, Pick<KeptBelow, 'onWait'> {}

/** Records a run with its steps and their calls in the board's record. */
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
    // The context as given: it identifies the caller, and the call that started the run.
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

  /** Records the start of a step, unless an earlier process finished it. */
  step(number: number, before: readonly AgentStep[]): void {
    if (number < (this.#record?.stepsBefore ?? 0)) return;
    this.#trail?.step(number, this.#factsOf(before));
    this.#step = number;
  }

  /** Creates the context for a call of a step, with the link for agents below it. */
  contextFor(place: CallPlace, { onWait, ...link }: CallLink): ToolContext {
    const { agent, options, bounds, context } = this.#run;
    const linked = addRunLink(context, bounds, {
      ...link,
      kept: this.#record && keepBelow(this.#record, place, onWait),
      trail: [...(options.link?.trail ?? []), agent.name],
      maxDepth: options.link?.maxDepth ?? options.maxDepth ?? DEFAULT_DEPTH,
      tracer: options.tracer,
      traceContent: options.traceContent,
    });
    const id = this.#trail?.id ?? this.#record?.id;
    return id === undefined ? linked : insideStep(linked, `${id}#${place.step}`);
  }

  /** Returns the facts about the ending step, if it was completed. */
  #factsOf(steps: readonly AgentStep[]): RunFacts {
    const last = steps.at(-1);
    return last?.number === this.#step ? { usage: { ...last.usage } } : {};
  }
}
