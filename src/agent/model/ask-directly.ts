import { parseArguments } from '../../tool/input-limits.ts';
import { AnswerCollector } from './answer-collector.ts';
import { type DirectRequest, toCallOptions } from './direct-request.ts';
import type { ModelCall, ModelReply, OnDelta } from './model-reply.ts';
import { InterruptedAnswerError } from './retry-model.ts';
import type { AssistantModelMessage, GenerateResult, LanguageModelUsage } from './ai-types.ts';

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
