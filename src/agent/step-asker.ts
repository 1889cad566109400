import type { AgentEvent } from './agent-event.ts';
import { type AgentUsage, toUsage, UNCOUNTED } from './agent-usage.ts';
import type { ModelMessage } from './ai-types.ts';
import { modelAttributes, modelIdOf, usageAttributes } from './gen-ai-attributes.ts';
import { mayHaveSpent } from './may-have-spent.ts';
import type { ModelReply, ModelRequest, OnDelta } from './model-reply.ts';
import { askModel } from './model-step.ts';
import type { PreparedRun } from './prepare-run.ts';
import { type Cancellation, retryModel, watchSignal } from './retry-model.ts';
import type { Tracing } from './tracing.ts';

/** What asking needs of the loop. */
interface AskHost {
  readonly tracing: Tracing;
  readonly isStreamed: boolean;
  readonly emit: (event: AgentEvent) => void;
  /** Adds what belongs to no step. */
  readonly addUsage: (usage: AgentUsage) => void;
}

/** Asks the model, step by step: with spans, again after failures that may pass, and counting what got lost. */
export class StepAsker {
  readonly #run: PreparedRun;
  readonly #host: AskHost;
  readonly #cancelled: Cancellation | undefined;
  /** Whether a provider is at work whose count of tokens has not come. */
  #isAsking = false;

  constructor(run: PreparedRun, host: AskHost) {
    this.#run = run;
    this.#host = host;
    this.#cancelled = run.signal === undefined ? undefined : watchSignal(run.signal);
  }

  /** Asks for one step. What the provider throws is thrown. */
  ask(step: number, messages: ModelMessage[], parent: unknown): Promise<ModelReply> {
    const { agent, model, system, offered, output, signal } = this.#run;
    const { modelRetries, retryDelay } = agent.limits;
    const first =
      typeof agent.toolChoice === 'string' ? agent.toolChoice : { tool: offered.toProvider(agent.toolChoice.tool) };
    const request = {
      model,
      system,
      messages,
      tools: offered.set,
      declared: offered.declared,
      toolChoice: step === 1 || first === 'none' ? first : 'auto',
      settings: agent.settings,
      outputSchema: output?.jsonSchema(),
      signal,
    } as const;
    const onDelta = this.#host.isStreamed
      ? (type: 'text' | 'reasoning', text: string) => this.#host.emit({ type, agent: agent.name, text })
      : undefined;
    const onRetry = (attempt: number, reason: string): void =>
      this.#host.emit({ type: 'retry', agent: agent.name, step, attempt, reason });
    const attributes = { 'gen_ai.operation.name': 'chat', ...modelAttributes(model) };
    return this.#host.tracing.span(
      { name: `chat ${modelIdOf(model)}`, kind: 'client', attributes, parent },
      async (span) => {
        const options = { retries: modelRetries, delay: retryDelay, cancelled: this.#cancelled, onRetry };
        const reply = await retryModel(() => this.#attempt(request, onDelta), options);
        span.set({
          'gen_ai.response.id': reply.responseId,
          'gen_ai.response.model': reply.responseModel,
          'gen_ai.response.finish_reasons': [reply.finishReason],
          ...usageAttributes(toUsage(reply.usage, undefined)),
        });
        return reply;
      },
    );
  }

  async #attempt(request: ModelRequest, onDelta: OnDelta | undefined): Promise<ModelReply> {
    this.#isAsking = true;
    try {
      return await askModel(request, onDelta);
    } catch (error) {
      if (mayHaveSpent(error)) this.countLost();
      throw error;
    } finally {
      this.#isAsking = false;
    }
  }

  /** What a model call used that did not get to its end is not known, and must not look like nothing. */
  countLost(): void {
    if (this.#isAsking) this.#host.addUsage(UNCOUNTED);
    this.#isAsking = false;
  }
}
