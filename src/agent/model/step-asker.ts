import type { AgentEvent } from '../loop/agent-result.ts';
import { type AgentUsage, UNCOUNTED } from '../loop/agent-usage.ts';
import type { AiSdk, ModelMessage } from './ai-types.ts';
import { chatSpan, inputContent, outputContent, replyAttributes } from '../tracing/gen-ai-attributes.ts';
import type { ModelReply, ModelRequest, OnDelta } from './model-reply.ts';
import { askModel } from './model-step.ts';
import type { PreparedRun } from '../loop/prepare-run.ts';
import { limitSilence, retryModel } from './retry-model.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import { traced, type Tracing } from '../../platform/telemetry/tracing.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';

/** The parts of the loop that a step asker uses. */
interface StepAskerOptions {
  readonly tracing: Tracing;
  readonly isStreamed: boolean;
  readonly emit: (event: AgentEvent) => void;
  readonly addUsage: (usage: AgentUsage) => void;
}

/** Asks the model for each step: writes spans, retries temporary failures and counts lost requests. */
export class StepAsker {
  readonly #run: PreparedRun;
  readonly #options: StepAskerOptions;

  constructor(run: PreparedRun, options: StepAskerOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** Asks for one step. Throws the provider's errors. */
  ask(step: number, messages: ModelMessage[], parent: unknown): Promise<ModelReply> {
    const { agent, model, system, shownTools, output, signal } = this.#run;
    const { modelRetries, retryDelay } = agent.limits;
    const first =
      typeof agent.toolChoice === 'string' ? agent.toolChoice : { tool: shownTools.toProvider(agent.toolChoice.tool) };
    const request = {
      model,
      system,
      messages,
      tools: shownTools.set,
      declared: shownTools.declared,
      toolChoice: step === 1 || first === 'none' ? first : 'auto',
      settings: agent.settings,
      outputSchema: output?.jsonSchema(),
      signal,
      redactor: this.#run.registry.executor.redactor,
    } as const;
    const onDelta = this.#options.isStreamed
      ? (type: 'text' | 'reasoning', text: string) => this.#options.emit({ type, agent: agent.name, text })
      : undefined;
    const onRetry = (attempt: number, given: string): void => {
      const reason = request.redactor.text(given);
      this.#options.emit({ type: 'retry', agent: agent.name, step, attempt, reason });
    };
    const options = { retries: modelRetries, delay: retryDelay, signal, onRetry };
    return retryModel(() => this.#attempt(request, onDelta, parent), options);
  }

  /** Makes one request to the provider, with its own span. */
  #attempt(request: ModelRequest, onDelta: OnDelta | undefined, parent: unknown): Promise<ModelReply> {
    const isContentTraced = this.#run.options.traceContent === true;
    const spec = chatSpan(this.#run, parent, () => ({
      ...(this.#options.isStreamed ? { 'gen_ai.request.stream': true } : {}),
      ...(isContentTraced ? inputContent(this.#run, request.messages) : {}),
    }));
    return traced(this.#options.tracing, spec, async (span) => {
      try {
        const { agent, signal: outer } = this.#run;
        const reply = await limitSilence(agent.limits.maxSilence, outer, (signal, onActivity) =>
          // Not every model observes its signal.
          unlessAborted(askModel({ ...request, signal, onActivity }, onDelta), outer),
        );
        span.set(() => ({ ...replyAttributes(reply), ...(isContentTraced ? outputContent(reply) : {}) }));
        return reply;
      } catch (error) {
        // The usage of an incomplete call is unknown and must not count as zero.
        if (mayHaveBilledTokens(error)) this.#options.addUsage(UNCOUNTED);
        throw error;
      }
    });
  }
}

/** Network failures before anything was sent. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Errors that the AI SDK throws before it sends anything. */
const NOT_ASKED: ReadonlySet<string> = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

/** True when the model may have used tokens before a request failed. A request that the provider rejected used none. */
function mayHaveBilledTokens(error: unknown): boolean {
  const { APICallError } = loadPeer('ai', 'An agent') as AiSdk;
  if (APICallError.isInstance(error))
    return error.statusCode === undefined ? !wasNotSent(error) : error.statusCode < 400;
  return !(error instanceof Error && NOT_ASKED.has(error.name)) && !wasNotSent(error);
}

function wasNotSent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && NOT_SENT.has(cause.code)) return true;
  }
  return false;
}
