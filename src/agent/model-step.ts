import type { JsonSchema } from '../core/json.ts';
import { loadPeer } from '../peers/load-peer.ts';
import type { AgentToolChoice, ModelSettings } from './agent.ts';
import type {
  AiSdk,
  AssistantModelMessage,
  LanguageModel,
  LanguageModelUsage,
  ModelMessage,
  ToolSet,
} from './ai-types.ts';
import { InterruptedAnswerError } from './retry-model.ts';

/** What a model is asked in one step. */
export interface ModelRequest {
  readonly model: LanguageModel;
  readonly system: string | undefined;
  readonly messages: ModelMessage[];
  readonly tools: ToolSet;
  readonly toolChoice: AgentToolChoice;
  readonly settings: ModelSettings;
  /** JSON Schema of the answer, where it must have a shape. */
  readonly outputSchema: JsonSchema | undefined;
  readonly signal: AbortSignal;
}

/** A tool call as the model asked for it. */
export interface ModelCall {
  readonly id: string;
  /** The name that the provider knows. */
  readonly name: string;
  readonly input: unknown;
  /** Whether `input` is text because it was no JSON. */
  readonly isMalformed: boolean;
}

/** What a model answered in one step. */
export interface ModelReply {
  readonly text: string;
  readonly reasoning: string;
  /** What goes into the history; `undefined` when the model said nothing at all. */
  readonly message: AssistantModelMessage | undefined;
  readonly calls: readonly ModelCall[];
  readonly finishReason: string;
  readonly usage: LanguageModelUsage;
  readonly responseId: string;
  readonly responseModel: string;
}

/** What is told while an answer is streamed. */
export type OnDelta = (type: 'text' | 'reasoning', text: string) => void;

type Generated = Awaited<ReturnType<AiSdk['generateText']>>;
type StepResult = Pick<Generated, 'text' | 'toolCalls' | 'finishReason' | 'usage' | 'response' | 'reasoningText'>;

/** Asks the model once; with `onDelta` the answer is streamed. The provider's failures are thrown. */
export async function askModel(request: ModelRequest, onDelta?: OnDelta): Promise<ModelReply> {
  const sdk = loadPeer('ai', 'Agents') as AiSdk;
  const options = toOptions(request);
  const result = onDelta === undefined ? await sdk.generateText(options) : await stream(sdk, options, onDelta);
  // `interrupted`: the provider never said that it was done, so half of a call may be missing.
  if (result.finishReason === 'interrupted') throw new InterruptedAnswerError();
  return toReply(result);
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
    ...definedOf(numbers),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    // The AI SDK wants JSON here; what is not fails at the provider, with its name.
    ...(providerOptions === undefined ? {} : { providerOptions: providerOptions as never }),
    ...(outputSchema === undefined ? {} : { output: asJson(outputSchema) }),
    abortSignal: signal,
    // The loop asks again itself, and says so.
    maxRetries: 0,
  };
}

async function stream(
  sdk: AiSdk,
  options: Parameters<AiSdk['generateText']>[0],
  onDelta: OnDelta,
): Promise<StepResult> {
  // What `generateText` takes here `streamText` takes too; their types differ in callbacks that are not used.
  const result = sdk.streamText({ ...(options as Parameters<AiSdk['streamText']>[0]), onError: () => {} });
  for await (const part of result.stream) {
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
  return { text, toolCalls, finishReason, usage, response, reasoningText };
}

function toReply(result: StepResult): ModelReply {
  const message = result.response.messages.find((candidate) => candidate.role === 'assistant');
  return {
    text: result.text,
    reasoning: result.reasoningText ?? '',
    message,
    calls: result.toolCalls
      // What the provider ran itself it has answered itself.
      .filter(({ providerExecuted }) => providerExecuted !== true)
      .map(({ toolCallId, toolName, input, invalid }) => ({
        id: toolCallId,
        name: toolName,
        // The SDK's types cannot know the input of a tool that was added while the loop ran.
        input: input as unknown,
        isMalformed: invalid === true && typeof input === 'string',
      })),
    finishReason: result.finishReason,
    usage: result.usage,
    responseId: result.response.id,
    responseModel: result.response.modelId,
  };
}

function toToolChoice(choice: AgentToolChoice): 'auto' | 'required' | 'none' | { type: 'tool'; toolName: string } {
  return typeof choice === 'string' ? choice : { type: 'tool', toolName: choice.tool };
}

/** Asks the provider for JSON of this shape and leaves checking it to the loop, which can ask the model again. */
function asJson(schema: JsonSchema): NonNullable<Parameters<AiSdk['generateText']>[0]['output']> {
  return {
    name: 'object',
    // A JSON Schema is a JSON Schema, whoever's type it has.
    responseFormat: Promise.resolve({ type: 'json', schema: schema as never }),
    parseCompleteOutput: ({ text }) => Promise.resolve(text),
    parsePartialOutput: () => Promise.resolve(undefined),
    createElementStreamTransform: () => undefined,
  };
}

function definedOf<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Entries that are `undefined` are left out, which is what the type says.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
