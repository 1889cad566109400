import type { Redactor } from '../../guard/secrets/redactor.ts';
import type { JsonSchema } from '../../tool/json.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { AgentToolChoice } from '../define/agent.ts';
import type { AiSdk } from './ai-types.ts';
import { askDirectly, canAskDirectly, streamDirectly } from './ask-directly.ts';
import { dropUndefined, type ModelReply, type ModelRequest, type OnDelta, tidyReply } from './model-reply.ts';
import { InterruptedAnswerError } from './retry-model.ts';

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
