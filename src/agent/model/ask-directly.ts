import { parseArguments } from '../../tool/input-limits.ts';
import { InterruptedAnswerError } from './retry-model.ts';
import type {
  AssistantModelMessage,
  GenerateResult,
  LanguageModelUsage,
  ModelCallOptions,
  ModelMessage,
  ModelV4,
  PromptMessage,
  StreamPart,
} from './ai-types.ts';
import { dropUndefined, type ModelCall, type ModelReply, type ModelRequest, type OnDelta } from './model-reply.ts';

/** Calls the provider's model and returns the complete answer. */
export async function askDirectly(request: DirectRequest): Promise<ModelReply> {
  return toModelReply(await request.model.doGenerate(toCallOptions(request)), request);
}

/** Calls the provider's model and reports the answer in pieces. Throws when the stream breaks off. */
export async function streamDirectly(request: DirectRequest, onDelta: OnDelta): Promise<ModelReply> {
  const started = performance.now();
  let timeToFirstChunk: number | undefined;
  const { stream } = await request.model.doStream(toCallOptions(request));
  const answer = new AnswerCollector();
  const reader = stream.getReader();
  // Stops reading, as not every model observes its signal.
  const stop = (reason: unknown): void => void reader.cancel(reason).catch(() => {});
  request.signal?.addEventListener('abort', stop, { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      request.signal?.throwIfAborted();
      request.onActivity?.();
      const part = next.value;
      if (part.type === 'error') throw part.error;
      if (part.type !== 'stream-start') timeToFirstChunk ??= performance.now() - started;
      answer.add(part);
      if (part.type === 'text-delta' && part.delta !== '') onDelta('text', part.delta);
      else if (part.type === 'reasoning-delta' && part.delta !== '') onDelta('reasoning', part.delta);
    }
  } catch (error) {
    stop(error);
    throw error;
  } finally {
    request.signal?.removeEventListener('abort', stop);
  }
  request.signal?.throwIfAborted();
  const { result } = answer;
  if (result === undefined) throw new InterruptedAnswerError();
  return { ...toModelReply(result, request), ...(timeToFirstChunk === undefined ? {} : { timeToFirstChunk }) };
}

type ResponsePart = Exclude<AssistantModelMessage['content'], string>[number];

/** Converts the answer of a provider's model to a `ModelReply`. */
function toModelReply(result: GenerateResult, request: DirectRequest): ModelReply {
  const calls = result.content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true ? [readCall(part)] : [],
  );
  const content = toResponseParts(result.content);
  return {
    text: joinTexts(result.content, 'text'),
    reasoning: joinTexts(result.content, 'reasoning'),
    message: content.length === 0 ? undefined : { role: 'assistant', content },
    calls,
    finishReason: result.finishReason.unified,
    usage: toLanguageModelUsage(result.usage),
    responseId: result.response?.id ?? '',
    responseModel: result.response?.modelId ?? request.model.modelId,
  };
}

function readCall(part: Extract<GenerateResult['content'][number], { type: 'tool-call' }>): ModelCall {
  const { toolCallId: id, toolName: name, input: text } = part;
  if (text.trim() === '') return { id, name, input: {}, isMalformed: false };
  try {
    return { id, name, input: parseArguments(text), isMalformed: false };
  } catch {
    return { id, name, input: text, isMalformed: true };
  }
}

/** Returns the parts for the history, as the AI SDK would write them. */
function toResponseParts(content: GenerateResult['content']): ResponsePart[] {
  return content.flatMap((part): ResponsePart[] => {
    const options =
      'providerMetadata' in part && part.providerMetadata !== undefined
        ? { providerOptions: part.providerMetadata }
        : {};
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return part.text === '' && part.providerMetadata === undefined
          ? []
          : [{ type: part.type, text: part.text, ...options }];
      case 'tool-call': {
        const { id, name, input, isMalformed } = readCall(part);
        const own = part.providerExecuted === undefined ? {} : { providerExecuted: part.providerExecuted };
        return [
          { type: 'tool-call', toolCallId: id, toolName: name, input: isMalformed ? {} : input, ...own, ...options },
        ];
      }
      case 'tool-result':
        return [
          {
            type: 'tool-result',
            toolCallId: part.toolCallId,
            toolName: part.toolName,
            output: { type: 'json', value: part.result },
            ...options,
          },
        ];
      case 'file':
        return [{ type: 'file', data: part.data, mediaType: part.mediaType, ...options }];
      default:
        // Sources and the like are for readers; providers do not accept them back.
        return [];
    }
  });
}

function joinTexts(content: GenerateResult['content'], type: 'text' | 'reasoning'): string {
  let joined = '';
  for (const part of content) if (part.type === type) joined += part.text;
  return joined;
}

function toLanguageModelUsage({ inputTokens, outputTokens }: GenerateResult['usage']): LanguageModelUsage {
  return {
    inputTokens: inputTokens.total,
    inputTokenDetails: {
      noCacheTokens: inputTokens.noCache,
      cacheReadTokens: inputTokens.cacheRead,
      cacheWriteTokens: inputTokens.cacheWrite,
    },
    outputTokens: outputTokens.total,
    outputTokenDetails: { textTokens: outputTokens.text, reasoningTokens: outputTokens.reasoning },
    totalTokens: (inputTokens.total ?? 0) + (outputTokens.total ?? 0),
  };
}

type Content = GenerateResult['content'][number];
type Block = Extract<Content, { readonly type: 'text' | 'reasoning' }>;

/** Assembles the parts of a streamed answer. */
export class AnswerCollector {
  readonly #content: Content[] = [];
  /** Open blocks by kind and id; some providers use the same id once for each kind. */
  readonly #open = new Map<string, Block>();
  #response: GenerateResult['response'];
  #result: GenerateResult | undefined;

  /** The complete answer; `undefined` until its end has arrived. */
  get result(): GenerateResult | undefined {
    return this.#result;
  }

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        const block: Block = { type, text: '' };
        this.#open.set(`${type} ${part.id}`, block);
        this.#content.push(block);
        describe(block, part);
        break;
      }
      case 'text-delta':
      case 'text-end':
        this.#extend('text', part);
        break;
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#extend('reasoning', part);
        break;
      case 'response-metadata':
        this.#response = { ...this.#response, ...part };
        break;
      case 'finish':
        this.#result = {
          content: this.#content,
          finishReason: part.finishReason,
          usage: part.usage,
          warnings: [],
          ...(part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata }),
          ...(this.#response === undefined ? {} : { response: this.#response }),
        };
        break;
      case 'stream-start':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'ping':
      case 'raw':
      case 'error':
        break;
      case 'tool-result':
        // The final result repeats preliminary ones.
        if (part.preliminary !== true) this.#content.push(part);
        break;
      default:
        this.#content.push(part);
    }
  }

  #extend(type: Block['type'], part: Extract<StreamPart, { readonly id: string }>): void {
    const block = this.#open.get(`${type} ${part.id}`);
    if (block === undefined) return;
    if ('delta' in part) block.text += part.delta;
    describe(block, part);
  }
}

/** The latest metadata of a block wins: signatures come at its end. */
function describe(block: Block, { providerMetadata }: Pick<Block, 'providerMetadata'>): void {
  if (providerMetadata !== undefined) block.providerMetadata = providerMetadata;
}

/** A request that bypasses the AI SDK's own functions. */
type DirectRequest = ModelRequest & { readonly model: ModelV4 };

/**
 * True when the model can be called without the AI SDK, which would check and copy the whole history at every step. Requires a model of the
 * current specification and a history of only texts, calls and results.
 */
export function canAskDirectly(request: ModelRequest): request is DirectRequest {
  const { model, messages } = request;
  return typeof model === 'object' && model.specificationVersion === 'v4' && messages.every(isPlain);
}

/** Converts a request to the options of a provider's model. */
function toCallOptions(request: ModelRequest): ModelCallOptions {
  const { system, messages, declared, toolChoice, settings, outputSchema, signal } = request;
  const { stopSequences, providerOptions, ...numbers } = settings;
  const prompt = messages.map(toPromptMessage);
  if (system !== undefined) prompt.unshift({ role: 'system', content: system });
  const options: ModelCallOptions = { prompt, ...dropUndefined(numbers) };
  if (stopSequences !== undefined) options.stopSequences = [...stopSequences];
  // Providers require JSON here and reject other values by name.
  if (providerOptions !== undefined) options.providerOptions = providerOptions as never;
  if (outputSchema !== undefined) options.responseFormat = { type: 'json', schema: outputSchema };
  if (signal !== undefined) options.abortSignal = signal;
  if (declared.length > 0) {
    options.tools = [...declared];
    options.toolChoice =
      typeof toolChoice === 'string' ? { type: toolChoice } : { type: 'tool', toolName: toolChoice.tool };
  }
  return options;
}

function toPromptMessage(message: ModelMessage): PromptMessage {
  const { role, content } = message;
  const isText = typeof content === 'string' && role !== 'system';
  // `isPlain` only accepts parts that are identical in both types.
  return (isText ? { ...message, content: [{ type: 'text', text: content }] } : message) as PromptMessage;
}

const PLAIN_PARTS: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool-call', 'tool-result']);

function isPlain({ content }: ModelMessage): boolean {
  return typeof content === 'string' || content.every(({ type }) => PLAIN_PARTS.has(type));
}
