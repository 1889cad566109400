import type { ModelMessage } from './ai-types.ts';
import { dropUndefined } from './drop-undefined.ts';
import type { ModelRequest } from './model-reply.ts';
import type { ModelCallOptions, ModelV4, PromptMessage } from './ai-types.ts';

/** A request that bypasses the AI SDK's own functions. */
export type DirectRequest = ModelRequest & { readonly model: ModelV4 };

/**
 * True when the model can be called without the AI SDK, which would check and copy the whole history at every step. Requires a model of the
 * current specification and a history of only texts, calls and results.
 */
export function canAskDirectly(request: ModelRequest): request is DirectRequest {
  const { model, messages } = request;
  return typeof model === 'object' && model.specificationVersion === 'v4' && messages.every(isPlain);
}

/** Converts a request to the options of a provider's model. */
export function toCallOptions(request: ModelRequest): ModelCallOptions {
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

const prompts = new WeakMap<ModelMessage, PromptMessage>();

/** Converts each message once, since messages do not change. */
function toPromptMessage(message: ModelMessage): PromptMessage {
  let converted = prompts.get(message);
  if (converted === undefined) {
    const { role, content } = message;
    const isText = typeof content === 'string' && role !== 'system';
    // `isPlain` only accepts parts that are identical in both types.
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
