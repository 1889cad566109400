import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { AgentUsage } from '../loop/agent-usage.ts';
import { toUsage } from '../loop/agent-usage.ts';
import type { AiSdk, LanguageModel, ModelMessage } from '../model/ai-types.ts';
import { dropUndefined, type ModelReply } from '../model/model-reply.ts';
import type { PreparedRun } from '../loop/prepare-run.ts';
import type { SpanSpec } from '../../platform/telemetry/tracing.ts';

type Attributes = Record<string, string | number | boolean | string[]>;

/** The conventions' provider names that differ from the AI SDK's. */
const WELL_KNOWN: readonly (readonly [prefix: string, name: string])[] = [
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['google.vertex', 'gcp.vertex_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['xai', 'x_ai'],
];

/** The conventions' names for finish reasons. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
};

/** Returns a model's name for events and spans. */
export function modelIdOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}

/** Returns the attributes of a request before it is made, named by OpenTelemetry's GenAI conventions; for runs and model calls. */
export function requestAttributes({ agent, model, options }: PreparedRun): Attributes {
  const { settings } = agent;
  return {
    'gen_ai.provider.name': providerOf(model),
    'gen_ai.request.model': modelIdOf(model),
    ...serverAttributes(agent.model),
    ...((options.session?.name ?? '') === '' ? {} : { 'gen_ai.conversation.id': options.session?.name ?? '' }),
    ...(agent.output === undefined ? {} : { 'gen_ai.output.type': 'json' }),
    ...dropUndefined({
      'gen_ai.request.temperature': settings.temperature,
      'gen_ai.request.top_p': settings.topP,
      'gen_ai.request.top_k': settings.topK,
      'gen_ai.request.max_tokens': settings.maxOutputTokens,
      'gen_ai.request.presence_penalty': settings.presencePenalty,
      'gen_ai.request.frequency_penalty': settings.frequencyPenalty,
      'gen_ai.request.seed': settings.seed,
      'gen_ai.request.stop_sequences': settings.stopSequences === undefined ? undefined : [...settings.stopSequences],
    }),
  };
}

/** Describes the span of one model request. */
export function chatSpan(run: PreparedRun, parent: unknown, more: () => Attributes = () => ({})): SpanSpec {
  return {
    name: `chat ${modelIdOf(run.model)}`,
    kind: 'client',
    attributes: () => ({ 'gen_ai.operation.name': 'chat', ...requestAttributes(run), ...more() }),
    parent,
    errorType: modelErrorType,
  };
}

/** Returns the attributes of a finished model call. */
export function replyAttributes(reply: ModelReply): Attributes {
  return {
    ...(reply.responseId === '' ? {} : { 'gen_ai.response.id': reply.responseId }),
    'gen_ai.response.model': reply.responseModel,
    ...finishAttributes([reply.finishReason]),
    ...(reply.timeToFirstChunk === undefined
      ? {}
      : { 'gen_ai.response.time_to_first_chunk': reply.timeToFirstChunk / 1_000 }),
    ...usageAttributes(toUsage(reply.usage, undefined)),
  };
}

export function finishAttributes(reasons: readonly string[]): Attributes {
  return { 'gen_ai.response.finish_reasons': reasons.map((reason) => FINISH_REASONS[reason] ?? reason) };
}

/** Returns token counts; cached and reasoning tokens are part of the others. */
export function usageAttributes(usage: AgentUsage): Attributes {
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    ...(cachedInputTokens === 0 ? {} : { 'gen_ai.usage.cache_read.input_tokens': cachedInputTokens }),
    ...(cacheWriteTokens === 0 ? {} : { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(reasoningTokens === 0 ? {} : { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
  };
}

/** Returns the class of a failed model call: the provider's HTTP status if known. */
function modelErrorType(error: unknown): string {
  const { APICallError } = loadPeer('ai', 'An agent') as AiSdk;
  if (APICallError.isInstance(error) && error.statusCode !== undefined) return String(error.statusCode);
  return error instanceof Error ? error.name : '_OTHER';
}

function providerOf(model: LanguageModel): string {
  if (typeof model === 'string') return 'gateway';
  const known = WELL_KNOWN.find(([prefix]) => model.provider.startsWith(prefix));
  return known?.[1] ?? model.provider.split('.')[0] ?? model.provider;
}

/** Returns the model's address if the agent sets one. */
function serverAttributes(model: PreparedRun['agent']['model']): Attributes {
  const url = typeof model === 'object' && 'baseUrl' in model ? model.baseUrl : undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port === '' ? (protocol === 'http:' ? 80 : 443) : port) };
}

type Part = Exclude<ModelMessage['content'], string>[number];

/** A message in the format of OpenTelemetry's GenAI conventions. */
interface TracedMessage {
  readonly role: string;
  readonly parts: readonly Readonly<Record<string, unknown>>[];
}

/** Serializes a request's messages and tools for spans with content: JSON, since attributes cannot be objects. */
export function inputContent(
  { system, shownTools }: Pick<PreparedRun, 'system' | 'shownTools'>,
  messages: readonly ModelMessage[],
): Record<string, string> {
  const definitions = shownTools.declared.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema as JsonSchema,
  }));
  return {
    ...(system === undefined
      ? {}
      : { 'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system }]) }),
    'gen_ai.input.messages': JSON.stringify(messages.map(toTracedMessage)),
    ...(definitions.length === 0 ? {} : { 'gen_ai.tool.definitions': JSON.stringify(definitions) }),
  };
}

/** Serializes a model's answer. */
export function outputContent({ message, finishReason }: ModelReply): Record<string, string> {
  const answer = message === undefined ? { role: 'assistant', parts: [] } : toTracedMessage(message);
  const reason = finishReason === 'tool-calls' ? 'tool_call' : finishReason.replace('-', '_');
  return { 'gen_ai.output.messages': JSON.stringify([{ ...answer, finish_reason: reason }]) };
}

function toTracedMessage({ role, content }: ModelMessage): TracedMessage {
  return { role, parts: typeof content === 'string' ? [{ type: 'text', content }] : content.map(toPart) };
}

function toPart(part: Part): Readonly<Record<string, unknown>> {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: part.input };
    case 'tool-result':
      return {
        type: 'tool_call_response',
        id: part.toolCallId,
        response: 'value' in part.output ? withoutFiles(part.output.value) : null,
      };
    default:
      // Images and files are large, so only their type is recorded.
      return { type: part.type };
  }
}

/** Returns a tool's output with images and files reduced to their type. */
function withoutFiles(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((part: unknown) =>
    isPlainObject(part) && part['type'] === 'file' ? { type: 'file', mediaType: part['mediaType'] } : part,
  );
}
