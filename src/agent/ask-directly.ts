import type { AssistantModelMessage, LanguageModelUsage, ModelMessage } from './ai-types.ts';
import { definedOf } from './defined-of.ts';
import type { ModelCall, ModelReply, ModelRequest } from './model-reply.ts';
import type { GenerateResult, ModelCallOptions, ModelV4, PromptMessage } from './model-v4.ts';

type ResponsePart = Exclude<AssistantModelMessage['content'], string>[number];

/**
 * Whether a model can be asked without the AI SDK in between, which would check and copy the whole history at every step:
 * a model of today's specification, and a history of nothing but texts, calls and results.
 */
export function canAskDirectly(request: ModelRequest): request is ModelRequest & { readonly model: ModelV4 } {
  const { model, messages } = request;
  return typeof model === 'object' && model.specificationVersion === 'v4' && messages.every(isPlain);
}

/** Asks the model once, for the whole answer. */
export async function askDirectly(request: ModelRequest & { readonly model: ModelV4 }): Promise<ModelReply> {
  const result = await request.model.doGenerate(toCallOptions(request));
  const calls = result.content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true ? [readCall(part)] : [],
  );
  const isForced = request.toolChoice === 'required' || typeof request.toolChoice === 'object';
  if (isForced && calls.length === 0) throw new Error('The model was to call a tool and did not.');
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

function toCallOptions(request: ModelRequest): ModelCallOptions {
  const { system, messages, declared, toolChoice, settings, outputSchema, signal } = request;
  const { stopSequences, providerOptions, ...numbers } = settings;
  const prompt = messages.map(toPromptMessage);
  if (system !== undefined) prompt.unshift({ role: 'system', content: system });
  const options: ModelCallOptions = { prompt, ...definedOf(numbers) };
  if (stopSequences !== undefined) options.stopSequences = [...stopSequences];
  // Providers want JSON here; what is not fails there, with its name.
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

const prompts = new WeakMap<ModelMessage, PromptMessage>();

/** Converted once: messages do not change. */
function toPromptMessage(message: ModelMessage): PromptMessage {
  let converted = prompts.get(message);
  if (converted === undefined) {
    const { role, content } = message;
    const isText = typeof content === 'string' && role !== 'system';
    // `isPlain` has left only parts that are the same on both sides.
    converted = (isText ? { ...message, content: [{ type: 'text', text: content }] } : message) as PromptMessage;
    prompts.set(message, converted);
  }
  return converted;
}

const PLAIN_PARTS: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool-call', 'tool-result']);
const plain = new WeakMap<ModelMessage, boolean>();

function isPlain(message: ModelMessage): boolean {
  let known = plain.get(message);
  if (known === undefined) {
    const { content } = message;
    known = typeof content === 'string' || content.every(({ type }) => PLAIN_PARTS.has(type));
    plain.set(message, known);
  }
  return known;
}

function readCall(part: Extract<GenerateResult['content'][number], { type: 'tool-call' }>): ModelCall {
  const { toolCallId: id, toolName: name, input: text } = part;
  if (text.trim() === '') return { id, name, input: {}, isMalformed: false };
  try {
    return { id, name, input: JSON.parse(text) as unknown, isMalformed: false };
  } catch {
    return { id, name, input: text, isMalformed: true };
  }
}

/** What goes into the history: as the AI SDK would write it. */
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
        // Sources and the like are for readers; no provider wants them back.
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
