import type { Redactor } from '../../guard/secrets/redactor.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { traced, type Tracing } from '../../platform/telemetry/tracing.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import type { JsonSchema } from '../../tool/json.ts';
import type { AgentToolChoice } from '../define/agent.ts';
import type { AgentEvent } from '../loop/agent-result.ts';
import { type AgentUsage, UNCOUNTED } from '../loop/agent-usage.ts';
import type { PreparedRun } from '../loop/prepare-run.ts';
import { chatSpan, inputContent, outputContent, replyAttributes } from '../tracing/gen-ai-attributes.ts';
import type { AiSdk, ModelMessage } from './ai-types.ts';
import { askDirectly, canAskDirectly, streamDirectly } from './ask-directly.ts';
import { dropUndefined, type ModelReply, type ModelRequest, type OnDelta, tidyReply } from './model-reply.ts';
import { InterruptedAnswerError, limitSilence, retryModel } from './retry-model.ts';

type Generated = Awaited<ReturnType<AiSdk['generateText']>>;
type StepResult = Pick<Generated, 'text' | 'toolCalls' | 'finishReason' | 'usage' | 'response' | 'reasoningText'> & {
  readonly timeToFirstChunk?: number | undefined;
};

/** Asks the model once; with `onDelta` the answer is streamed. Throws the provider's errors. */
export async function askModel(request: ModelRequest, onDelta?: OnDelta): Promise<ModelReply> {
  const sdk = loadPeer('ai', 'An agent') as AiSdk;
  const clean = withoutSecrets(request);
  const gate = onDelta === undefined ? undefined : gateDeltas(request.redactor, onDelta);
  const answered = canAskDirectly(clean)
    ? await (gate === undefined ? askDirectly(clean) : streamDirectly(clean, gate.onDelta))
    : await askSdk(sdk, clean, gate?.onDelta);
  gate?.end();
  const reply = cleanReply(answered, request.redactor);
  // `interrupted`: the provider never finished the answer, so half of a call may be missing.
  if (reply.finishReason === 'interrupted') throw new InterruptedAnswerError();
  return tidyReply(reply);
}

/** Calls the model with the AI SDK's functions, which download files and support older specifications. */
async function askSdk(sdk: AiSdk, request: ModelRequest, onDelta: OnDelta | undefined): Promise<ModelReply> {
  const options = toOptions(request);
  if (onDelta === undefined) return toReply(await sdk.generateText(options));
  return toReply(await stream(sdk, options, { onDelta, onActivity: request.onActivity }));
}

function toOptions(request: ModelRequest): Parameters<AiSdk['generateText']>[0] {
  const { model, system, messages, tools, toolChoice, settings, outputSchema, signal } = request;
  const { stopSequences, providerOptions, ...numbers } = settings;
  const hasTools = Object.keys(tools).length > 0;
  return {
    model,
    messages,
    ...(system === undefined ? {} : { instructions: system }),
    ...(hasTools ? { tools, toolChoice: toToolChoice(toolChoice) } : {}),
    ...dropUndefined(numbers),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    // The AI SDK requires JSON here; the provider rejects other values by name.
    ...(providerOptions === undefined ? {} : { providerOptions: providerOptions as never }),
    ...(outputSchema === undefined ? {} : { output: asJson(outputSchema) }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
    // The loop retries itself and reports it.
    maxRetries: 0,
  };
}

async function stream(
  sdk: AiSdk,
  options: Parameters<AiSdk['generateText']>[0],
  { onDelta, onActivity }: { readonly onDelta: OnDelta; readonly onActivity: (() => void) | undefined },
): Promise<StepResult> {
  // `streamText` takes the same options as `generateText`; their types differ in callbacks that are not used.
  const started = performance.now();
  let timeToFirstChunk: number | undefined;
  const result = sdk.streamText({ ...(options as Parameters<AiSdk['streamText']>[0]), onError: () => {} });
  for await (const part of result.stream) {
    onActivity?.();
    if (part.type.includes('delta')) timeToFirstChunk ??= performance.now() - started;
    if (part.type === 'text-delta') onDelta('text', part.text);
    else if (part.type === 'reasoning-delta') onDelta('reasoning', part.text);
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'abort') options.abortSignal?.throwIfAborted();
  }
  const [text, toolCalls, finishReason, usage, response, reasoningText] = await Promise.all([
    result.text,
    result.toolCalls,
    result.finishReason,
    result.usage,
    result.response,
    result.reasoningText,
  ]);
  return { text, toolCalls, finishReason, usage, response, reasoningText, timeToFirstChunk };
}

function toReply(result: StepResult): ModelReply {
  const message = result.response.messages.find((candidate) => candidate.role === 'assistant');
  return {
    text: result.text,
    reasoning: result.reasoningText ?? '',
    message,
    calls: result.toolCalls
      // The provider has already answered the calls that it ran itself.
      .filter(({ providerExecuted }) => providerExecuted !== true)
      .map(({ toolCallId, toolName, input, invalid }) => ({
        id: toolCallId,
        name: toolName,
        // The SDK's types cannot know the input of a tool added during the loop.
        input: input as unknown,
        isMalformed: invalid === true && typeof input === 'string',
      })),
    finishReason: result.finishReason,
    usage: result.usage,
    responseId: result.response.id,
    responseModel: result.response.modelId,
    ...(result.timeToFirstChunk === undefined ? {} : { timeToFirstChunk: result.timeToFirstChunk }),
  };
}

function toToolChoice(choice: AgentToolChoice): 'auto' | 'required' | 'none' | { type: 'tool'; toolName: string } {
  return typeof choice === 'string' ? choice : { type: 'tool', toolName: choice.tool };
}

/** Requests JSON of this schema and leaves validation to the loop, which can ask the model again. */
function asJson(schema: JsonSchema): NonNullable<Parameters<AiSdk['generateText']>[0]['output']> {
  return {
    name: 'object',
    responseFormat: Promise.resolve({ type: 'json', schema }),
    parseCompleteOutput: ({ text }) => Promise.resolve(text),
    parsePartialOutput: () => Promise.resolve(undefined),
    createElementStreamTransform: () => undefined,
  };
}

/** Returns the request without secrets in its prompts, history, results and tool definitions. */
function withoutSecrets(request: ModelRequest): ModelRequest {
  const { redactor, system } = request;
  if (redactor.isEmpty) return request;
  return {
    ...request,
    system: system === undefined ? undefined : redactor.text(system),
    // A history grows: each message is redacted once.
    messages: request.messages.map((message) => redactor.part(message)),
    declared: request.declared.map((tool) => redactor.part(tool)),
    tools: Object.fromEntries(
      Object.entries(request.tools).map(([name, tool]) => {
        const { description } = tool;
        return [name, typeof description === 'string' ? { ...tool, description: redactor.text(description) } : tool];
      }),
    ),
  };
}

/** Returns the answer without secrets. The tool still gets the original arguments; the history does not. */
function cleanReply(reply: ModelReply, redactor: Redactor): ModelReply {
  if (redactor.isEmpty) return reply;
  const { text, reasoning, message } = reply;
  return {
    ...reply,
    text: redactor.text(text),
    reasoning: redactor.text(reasoning),
    message: message === undefined ? undefined : redactor.part(message),
  };
}

/** Streams an answer without secrets, even those spread over several pieces. */
function gateDeltas(redactor: Redactor, onDelta: OnDelta): { readonly onDelta: OnDelta; readonly end: () => void } {
  if (redactor.isEmpty) return { onDelta, end: () => {} };
  const gates = { text: redactor.gate(), reasoning: redactor.gate() };
  const emit = (type: 'text' | 'reasoning', text: string): void => {
    if (text !== '') onDelta(type, text);
  };
  return {
    onDelta: (type, text) => {
      // Reasoning ends when the answer begins.
      if (type === 'text') emit('reasoning', gates.reasoning.end());
      emit(type, gates[type].push(text));
    },
    end: () => {
      emit('reasoning', gates.reasoning.end());
      emit('text', gates.text.end());
    },
  };
}

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
