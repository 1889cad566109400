import { Emitter } from '../../tool/emitter.ts';
import { capForModel } from '../../tool/cap-for-model.ts';
import type { AgentCall, AgentEvent, AgentFailure, AgentResult, AgentStep } from './agent-result.ts';
import { type AgentUsage, NO_USAGE, addUsage, subtractUsage, toUsage } from './agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import { CallRunner } from './call-runner.ts';
import { finishAttributes, modelIdOf, requestAttributes, usageAttributes } from '../tracing/gen-ai-attributes.ts';
import { explainModelFailure } from '../model/explain-model-failure.ts';
import { type ModelReply, toToolMessage } from '../model/model-reply.ts';
import type { PreparedRun } from './prepare-run.ts';
import { LoopTrail } from './loop-trail.ts';
import type { AgentTurn } from '../session/agent-session.ts';
import { StepAsker } from '../model/model-step.ts';
import { compactRun } from '../session/summarize.ts';
import { type Tracing, createTracing, traced } from '../../platform/telemetry/tracing.ts';
import { judgeAnswer } from './judge-answer.ts';
import { isEnd } from '../runs/kept-run.ts';
import type { RunRecord } from '../runs/run-record.ts';

const MAX_OUTPUT_REPAIRS = 2;

export interface LoopOptions {
  readonly isStreamed: boolean;
  /** The stored state of the run, including the work of earlier processes; undefined for a run that is not stored. */
  readonly record?: RunRecord | undefined;
}

/** One run of an agent: asks the model and runs its tool calls in turns until there is an answer or a reason to stop. */
export class AgentLoop {
  readonly #run: PreparedRun;
  readonly #isStreamed: boolean;
  readonly #tracing: Tracing;
  readonly #emitter = new Emitter();
  readonly #steps: AgentStep[] = [];
  /** The history sent to the model; shorter than the conversation after compaction. */
  #messages: ModelMessage[];
  readonly #record: RunRecord | undefined;
  readonly #trail: LoopTrail;
  /** Stores each step in the session, if there is one and the run itself is not stored. */
  #turn: AgentTurn | undefined;
  #hasTurn = false;
  readonly #added: ModelMessage[];
  #usage: AgentUsage = NO_USAGE;
  #saved: AgentUsage = NO_USAGE;
  #repairs = 0;

  constructor(run: PreparedRun, { isStreamed, record }: LoopOptions) {
    this.#run = run;
    this.#record = record;
    this.#trail = new LoopTrail(run, record);
    this.#isStreamed = isStreamed;
    const { tracer } = run.options;
    const shared = tracer === undefined ? run.registry.executor.tracing : undefined;
    this.#tracing = shared ?? createTracing(tracer, (value) => this.#redactor.data(value));
    this.#added = [...run.input];
    this.#messages = [...run.history, ...run.input];
  }

  /** Runs the agent to its end. Rejects only for misuse of a model. */
  run(): Promise<AgentResult> {
    const { agent, model, shownTools, options } = this.#run;
    const attributes = (): Record<string, string | number | boolean | string[]> => ({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent.name,
      'gen_ai.agent.description': agent.description,
      ...requestAttributes(this.#run),
    });
    const parent = options.link?.parentSpan;
    this.#emit({ type: 'run-start', agent: agent.name, model: modelIdOf(model), tools: shownTools.names });
    const { stepsBefore = 0, id: run = '' } = this.#record ?? {};
    if (stepsBefore > 0) this.#emit({ type: 'resumed', agent: agent.name, run, steps: stepsBefore });
    return traced(
      this.#tracing,
      { name: `invoke_agent ${agent.name}`, kind: 'internal', attributes, parent },
      async (span) => {
        const result = await this.#trail.around(() => this.#takeTurn(() => this.#takeSteps(span.context)));
        span.set(() => ({
          ...usageAttributes(result.usage),
          ...finishAttributes(result.steps.slice(-1).map(({ finishReason }) => finishReason)),
        }));
        if (!result.ok) span.fail(result.outcome, result.reason);
        this.#emit({ type: 'run-end', agent: agent.name, result });
        return result;
      },
    );
  }

  /** Waits until no other run uses the session, then does the work. */
  async #takeTurn(work: () => Promise<AgentResult>): Promise<AgentResult> {
    const { agent, signal, options, input } = this.#run;
    const { session } = options;
    if (session === undefined) return work();
    const onWait = (): void => this.#emit({ type: 'waiting', agent: agent.name, session: session.name });
    try {
      return await session.takeTurn(
        async (turn) => {
          const record = this.#record;
          this.#hasTurn = true;
          if (record === undefined) this.#turn = turn;
          const before = record === undefined ? turn.messages : await record.beginTurn(turn);
          this.#messages = [...before.map((message) => this.#redactor.part(message)), ...input];
          const result = await work();
          if (record === undefined) {
            if (this.#usage !== this.#saved) await turn.count(subtractUsage(this.#usage, this.#saved));
          } else if (isEnd(result, record)) {
            // Written to the session once, at the end: until then the messages are stored with the run.
            const run = record.turnKey;
            await turn.keep({ messages: this.#messages, added: this.#added, used: this.#usage, run });
          }
          return result;
        },
        { signal, onWait },
      );
    } catch (error) {
      if (!this.#hasTurn && this.#isCancelled) return this.#cancelled();
      throw error;
    }
  }

  async #takeSteps(span: unknown): Promise<AgentResult> {
    const { agent, signal, bounds, registry, shownTools } = this.#run;
    const calls = new CallRunner({
      agent,
      bounds,
      executor: registry.executor,
      signal,
      tracing: this.#tracing,
      isContentTraced: this.#run.options.traceContent === true,
      toBoard: (name) => shownTools.toBoard(name),
      contextFor: (parentSpan, place, { onUsage, onWait }) =>
        this.#trail.contextFor(place, {
          parentSpan,
          onWait,
          onEvent: (event) => this.#emit(event),
          addUsage: (usage) => {
            this.#usage = addUsage(this.#usage, usage);
            onUsage(usage);
          },
        }),
      addUsage: (usage) => (this.#usage = addUsage(this.#usage, usage)),
      record: this.#record,
      emit: (event) => this.#emit(event),
    });
    const asker = new StepAsker(this.#run, {
      tracing: this.#tracing,
      isStreamed: this.#isStreamed,
      emit: (event) => this.#emit(event),
      addUsage: (usage) => (this.#usage = addUsage(this.#usage, usage)),
    });
    return this.#stepUntilDone(calls, asker, span);
  }

  async #stepUntilDone(calls: CallRunner, asker: StepAsker, span: unknown): Promise<AgentResult> {
    const { agent } = this.#run;
    for (let number = 1; number <= agent.limits.maxSteps; number++) {
      if (this.#isCancelled) return this.#cancelled();
      this.#trail.step(number, this.#steps);
      let reply: ModelReply;
      try {
        reply = this.#recall(number) ?? (await this.#ask(number, asker, span));
      } catch (error) {
        const reason = explainModelFailure(error);
        return this.#isCancelled ? this.#cancelled() : this.#fail('model_failed', reason, error);
      }
      // A step that could not be stored must not have effects.
      if (this.#isInterrupted) return this.#cancelled();
      const answered = await calls.run(reply.calls, { step: number, span });
      if (this.#isInterrupted) return this.#cancelled();
      if (calls.waitingFor.length > 0) return this.#wait(calls.waitingFor);
      await this.#keep(reply, answered, number);
      if (this.#isCancelled) return this.#cancelled();
      if (calls.stuck !== undefined) {
        const { tool, count } = calls.stuck;
        const message = `The same call of "${tool}" failed ${count} times. Look at its last error, or change the instructions.`;
        return this.#fail('stuck', message);
      }
      const end = answered.length > 0 ? undefined : await this.#finish(reply);
      if (end !== undefined) return end;
    }
    const { maxSteps } = agent.limits;
    return this.#fail(
      'max_steps',
      `The agent used all of its ${maxSteps} steps before it had an answer. Raise maxSteps, or ask for less at once.`,
    );
  }

  /** Returns the model's reply from an earlier process and restores the history and usage of that time. */
  #recall(step: number): ModelReply | undefined {
    const known = this.#record?.reply(step);
    if (known === undefined) return undefined;
    if (known.messages !== undefined) this.#messages = known.messages;
    this.#usage = addUsage(this.#usage, known.extra);
    return known.reply;
  }

  async #ask(step: number, asker: StepAsker, span: unknown): Promise<ModelReply> {
    const { agent, shownTools } = this.#run;
    this.#emit({ type: 'step-start', agent: agent.name, step });
    const before = this.#usage;
    const record = this.#record;
    if (record !== undefined) this.#usage = addUsage(before, await record.recordRequest(step));
    const messages = this.#messages;
    await this.#compact(span);
    const reply = await asker.ask(step, this.#messages, span);
    await record?.recordReply(step, {
      reply,
      tools: reply.calls.map(({ name }) => shownTools.toBoard(name)),
      messages: this.#messages === messages ? undefined : this.#messages,
      extra: subtractUsage(this.#usage, before),
    });
    return reply;
  }

  /** Adds a step to the history: the model's message and all its results together. */
  async #keep(reply: ModelReply, answered: readonly AgentCall[], number: number): Promise<void> {
    const { agent, disclosure, shownTools } = this.#run;
    const usage = toUsage(reply.usage, agent.prices);
    this.#usage = addUsage(this.#usage, usage);
    if (reply.message !== undefined) this.#add(reply.message);
    const shown = answered.map((call) => ({
      ...call,
      result: this.#record?.resultForModel(call) ?? capForModel(call.result),
    }));
    if (shown.length > 0) this.#add(toToolMessage(reply, shown, (name) => shownTools.toProvider(name)));
    const { text, reasoning, finishReason } = reply;
    const step = { number, text, reasoning, calls: answered, finishReason, usage };
    this.#steps.push(step);
    // The tools that read the rest of long results are shown as soon as a result is cut.
    const isCut = shown.some(
      ({ result: { meta, modelOutput } }) => meta.truncated !== undefined && modelOutput?.keep !== undefined,
    );
    const readers = isCut ? shownTools.addHelpers(this.#run.registry.getAll()) : [];
    const found = [...(disclosure?.disclose(answered) ?? []), ...readers];
    if (found.length > 0 && number > (this.#record?.stepsBefore ?? 0))
      this.#emit({ type: 'tools-added', agent: agent.name, tools: found });
    await this.#save();
    if (number > (this.#record?.stepsBefore ?? 0)) this.#emit({ type: 'step-end', agent: agent.name, step });
  }

  /** Returns the final result; `undefined` when the model must be asked again. */
  async #finish(reply: ModelReply): Promise<AgentResult | undefined> {
    const verdict = await judgeAnswer(reply, this.#run, this.#steps.length === 1);
    if (verdict.type === 'valid') return { ...this.#parts(), ok: true, outcome: 'completed', output: verdict.output };
    if (verdict.type === 'failed') return this.#fail(verdict.outcome, verdict.reason);
    if (this.#repairs++ >= MAX_OUTPUT_REPAIRS)
      return this.#fail('bad_output', `The answer does not fit the output schema: ${verdict.reason}`);
    this.#add({
      role: 'user',
      content: `Your answer does not fit the schema: ${verdict.reason}\nAnswer again with the JSON alone.`,
    });
    return undefined;
  }

  async #compact(parent: unknown): Promise<void> {
    const { messages, removed, usage } = await compactRun(this.#messages, this.#run, {
      tracing: this.#tracing,
      parent,
    });
    if (removed === 0) return;
    this.#usage = addUsage(this.#usage, usage);
    this.#messages = messages;
    this.#emit({ type: 'compacted', agent: this.#run.agent.name, removed, kept: messages.length });
  }

  async #save(): Promise<void> {
    const used = subtractUsage(this.#usage, this.#saved);
    const counted = this.#usage;
    await this.#turn?.keep({ messages: this.#messages, added: this.#added, used });
    this.#saved = counted;
  }

  get #redactor(): PreparedRun['registry']['executor']['redactor'] {
    return this.#run.registry.executor.redactor;
  }

  get #isCancelled(): boolean {
    return this.#run.signal?.aborted === true;
  }

  get #isInterrupted(): boolean {
    return this.#record?.log.signal.aborted === true;
  }

  #add(message: ModelMessage): void {
    this.#messages.push(message);
    this.#added.push(message);
  }

  #emit(event: AgentEvent): void {
    // An error thrown by a listener is reported and does not disturb the run.
    this.#emitter.notify(this.#run.options.onEvent, event);
  }

  #cancelled(): AgentResult {
    const reason: unknown = this.#run.signal?.reason;
    const interruption = this.#record?.log.interruption;
    if (interruption !== undefined) {
      const message = `The run stopped because its state could not be stored: ${interruption} It can be resumed.`;
      return this.#fail('interrupted', message, reason);
    }
    const { timeout } = this.#run.options;
    const isLate = timeout !== undefined && reason instanceof Error && reason.name === 'TimeoutError';
    const text = isLate ? `The run took longer than ${timeout} ms.` : 'The run was cancelled.';
    return this.#fail('cancelled', text, reason);
  }

  #fail(outcome: AgentFailure, reason: string, cause?: unknown): AgentResult {
    return { ...this.#parts(), ok: false, outcome, reason: this.#redactor.text(reason), cause };
  }

  #wait(waitingFor: readonly string[]): AgentResult {
    const reason = `The run waits for approvals (${waitingFor.join(', ')}). It can be resumed once they are answered.`;
    return { ...this.#parts(), ok: false, outcome: 'waiting', reason, waitingFor, cause: undefined };
  }

  #parts(): Pick<AgentResult, 'agent' | 'text' | 'steps' | 'messages' | 'usage'> {
    const text = this.#steps.findLast((step) => step.text !== '')?.text ?? '';
    return { agent: this.#run.agent.name, text, steps: this.#steps, messages: this.#added, usage: this.#usage };
  }
}
