import type { GenerateResult, ModelCallOptions, ModelV4, StreamPart } from '../agent/model/ai-types.ts';
import { ModelMisuseError } from '../agent/model/explain-model-failure.ts';
import { describeValue } from '../tool/texts/describe-value.ts';
import { messageOf } from '../tool/texts/message-of.ts';

/** A tool call of a scripted model. `input` is an object, or a text to send as it is, even broken JSON. */
export interface ScriptedCall {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>> | string;
  /** Default: `call_1`, `call_2`, … */
  readonly id?: string;
}

/** One answer of a scripted model. */
export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool-calls` or `stop`. */
  readonly finishReason?: GenerateResult['finishReason']['unified'];
  readonly usage?: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly cachedInputTokens?: number;
  };
}

/** A step of a script: text, a reply, an error of the provider, or a function of the request. */
export type ScriptStep =
  | string
  | ScriptedReply
  | Error
  | ((request: ScriptedRequest) => string | ScriptedReply | Error | Promise<string | ScriptedReply | Error>);

/** A model that follows a script. */
export type ScriptedModel = ModelV4 & {
  /** Its requests, in order. */
  readonly requests: readonly ScriptedRequest[];
  /** Throws if steps of the script were not used. */
  assertDone(): void;
};

/** Options of `scriptedModel`. */
export interface ScriptedModelOptions {
  /** The name of the model. */
  readonly modelId?: string;
  /** The name of its provider. */
  readonly provider?: string;
}

/**
 * Creates a model of the AI SDK that answers from a script, streamed or not, and fails the test if it is asked more
 * often.
 *
 * @example
 * const model = scriptedModel([
 *   { calls: [{ name: 'stock_level', input: { item: 'flour' } }] },
 *   ({ results }) => `There are ${results[0]?.text}.`,
 * ]);
 */
export function scriptedModel(script: readonly ScriptStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ScriptedRequest[] = [];
  let callCount = 0;
  const answer = async (callOptions: ModelCallOptions): Promise<GenerateResult> => {
    const request = readRequest(callOptions, requests.length + 1);
    requests.push(request);
    const step = script[requests.length - 1];
    if (step === undefined) throw surprise(request, script.length);
    const reply = typeof step === 'function' ? await runStep(step, request) : step;
    if (reply instanceof Error) throw reply;
    return toResult(typeof reply === 'string' ? { text: reply } : reply, () => `call_${++callCount}`);
  };
  return {
    specificationVersion: 'v4',
    provider: options.provider ?? 'scripted',
    modelId: options.modelId ?? 'scripted',
    supportedUrls: {},
    requests,
    doGenerate: answer,
    doStream: async (callOptions) => ({ stream: ReadableStream.from(toStreamParts(await answer(callOptions))) }),
    assertDone() {
      if (requests.length >= script.length) return;
      const next = script[requests.length];
      throw new ModelMisuseError(
        `The script has ${script.length} ${script.length === 1 ? 'step' : 'steps'} and the model was asked ${requests.length} ${requests.length === 1 ? 'time' : 'times'}. Next would have been: ${describeStep(next)}.`,
      );
    },
  };
}

async function runStep(
  step: Extract<ScriptStep, (request: ScriptedRequest) => unknown>,
  request: ScriptedRequest,
): Promise<string | ScriptedReply | Error> {
  try {
    return await step(request);
  } catch (cause) {
    // An assertion in the script failed: the test must see it, not the agent.
    const reason = messageOf(cause);
    throw Object.assign(new ModelMisuseError(`Step ${request.step} of the script failed: ${reason}`), { cause });
  }
}

function toResult(reply: ScriptedReply, nextId: () => string): GenerateResult {
  const { text = '', reasoning = '', calls = [], usage = {} } = reply;
  const { inputTokens = 10, outputTokens = 5, cachedInputTokens = 0 } = usage;
  return {
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ name, input = {}, id = nextId() }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: typeof input === 'string' ? input : JSON.stringify(input),
      })),
    ],
    finishReason: { unified: reply.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop'), raw: undefined },
    usage: {
      inputTokens: {
        total: inputTokens,
        noCache: inputTokens - cachedInputTokens,
        cacheRead: cachedInputTokens,
        cacheWrite: 0,
      },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
    },
    warnings: [],
  };
}

function surprise(request: ScriptedRequest, length: number): ModelMisuseError {
  const results = request.results.map(({ tool, text }) => `- ${tool}: ${text}`);
  const after =
    results.length === 0 ? `after: ${describeValue(request.said, 200)}` : `after these results:\n${results.join('\n')}`;
  return new ModelMisuseError(
    `The script has ${length} ${length === 1 ? 'step' : 'steps'}, and the model was asked a ${ordinal(request.step)} time ${after}`,
  );
}

function describeStep(step: ScriptStep | undefined): string {
  if (typeof step === 'function') return 'a function';
  if (step instanceof Error) return `the error ${describeValue(step.message)}`;
  return typeof step === 'string' ? describeValue(step) : JSON.stringify(step);
}

function ordinal(number: number): string {
  const ending = new Intl.PluralRules('en', { type: 'ordinal' }).select(number);
  return `${number}${{ one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }[ending]}`;
}

/** A tool's answer, as the model sees it. */
export interface ToldResult {
  readonly id: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A request to a model, in a form that tests can read. */
export interface ScriptedRequest {
  /** Counted from 1. */
  readonly step: number;
  readonly system: string;
  /** The last message of the user. */
  readonly said: string;
  /** The names of the offered tools, in order. */
  readonly tools: readonly string[];
  readonly toolChoice: string;
  /** The answers to the calls of the previous step. */
  readonly results: readonly ToldResult[];
  /** The request as the AI SDK makes it. */
  readonly options: ModelCallOptions;
}

type Message = ModelCallOptions['prompt'][number];
type ToolPart = Extract<Message, { role: 'tool' }>['content'][number];

/** Reads a request of the AI SDK. */
function readRequest(options: ModelCallOptions, step: number): ScriptedRequest {
  const { prompt, tools = [], toolChoice } = options;
  const last = prompt.at(-1);
  const users = prompt.filter((message) => message.role === 'user');
  return {
    step,
    system: prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n'),
    said: (users.at(-1)?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    tools: tools.map(({ name }) => name),
    toolChoice: toolChoice?.type === 'tool' ? toolChoice.toolName : (toolChoice?.type ?? 'auto'),
    results: last?.role === 'tool' ? last.content.flatMap(readResult) : [],
    options,
  };
}

function readResult(part: ToolPart): ToldResult[] {
  if (part.type !== 'tool-result') return [];
  const { output } = part;
  const value: unknown = 'value' in output ? output.value : (output.reason ?? '');
  return [
    {
      id: part.toolCallId,
      tool: part.toolName,
      text: typeof value === 'string' ? value : JSON.stringify(value),
      isError: output.type.startsWith('error') || output.type === 'execution-denied',
    },
  ];
}

/** Splits an answer into the parts that a provider would stream. */
export function toStreamParts(result: GenerateResult): StreamPart[] {
  const parts: StreamPart[] = [{ type: 'stream-start', warnings: result.warnings }];
  for (const [index, part] of result.content.entries()) {
    const id = String(index);
    switch (part.type) {
      case 'text':
        parts.push({ type: 'text-start', id });
        for (const delta of pieces(part.text)) parts.push({ type: 'text-delta', id, delta });
        parts.push({ type: 'text-end', id, ...metadataOf(part) });
        break;
      case 'reasoning':
        parts.push({ type: 'reasoning-start', id });
        for (const delta of pieces(part.text)) parts.push({ type: 'reasoning-delta', id, delta });
        parts.push({ type: 'reasoning-end', id, ...metadataOf(part) });
        break;
      case 'tool-call':
        parts.push({ type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName });
        parts.push({ type: 'tool-input-delta', id: part.toolCallId, delta: part.input });
        parts.push({ type: 'tool-input-end', id: part.toolCallId }, part);
        break;
      default:
        parts.push(part);
    }
  }
  if (result.response !== undefined) {
    const { id, timestamp, modelId } = result.response;
    parts.push({
      type: 'response-metadata',
      ...(id === undefined ? {} : { id }),
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(modelId === undefined ? {} : { modelId }),
    });
  }
  parts.push({ type: 'finish', usage: result.usage, finishReason: result.finishReason });
  return parts;
}

/** Returns the provider's metadata of a part, such as a signature. */
function metadataOf<T>({ providerMetadata }: { readonly providerMetadata?: T }): { providerMetadata?: T } {
  return providerMetadata === undefined ? {} : { providerMetadata };
}

/** Splits a text into words with the space after them, as models write. */
function pieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
