import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { AgentUsage } from '../loop/agent-usage.ts';
import { toUsage } from '../loop/agent-usage.ts';
import type { AiSdk, LanguageModel } from '../model/ai-types.ts';
import { dropUndefined } from '../model/drop-undefined.ts';
import type { ModelReply } from '../model/model-reply.ts';
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
