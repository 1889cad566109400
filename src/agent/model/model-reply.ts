import type { Redactor } from '../../guard/secrets/redactor.ts';
import type { AgentToolChoice, ModelSettings } from '../define/agent.ts';
import type {
  AssistantModelMessage,
  FunctionTool,
  LanguageModel,
  LanguageModelUsage,
  ModelMessage,
  ToolModelMessage,
  ToolSet,
} from './ai-types.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { toResultOutput } from '../../export/ai-sdk.ts';
import type { AgentCall } from '../loop/agent-result.ts';

/** The request to a model in one step. */
export interface ModelRequest {
  readonly model: LanguageModel;
  readonly system: string | undefined;
  readonly messages: ModelMessage[];
  readonly tools: ToolSet;
  /** The same tools, as sent to providers. */
  readonly declared: readonly FunctionTool[];
  readonly toolChoice: AgentToolChoice;
  readonly settings: ModelSettings;
  /** JSON Schema of the answer, if the agent has an output schema. */
  readonly outputSchema: JsonSchema | undefined;
  readonly signal: AbortSignal | undefined;
  /** Removes the board's secrets from everything sent and received. */
  readonly redactor: Redactor;
  /** Called for every piece of an answer of any kind. */
  readonly onActivity?: () => void;
}

/** A tool call requested by the model. */
export interface ModelCall {
  readonly id: string;
  /** The provider's name for the tool. */
  readonly name: string;
  readonly input: unknown;
  /** True when `input` is a string because it was not valid JSON. */
  readonly isMalformed: boolean;
}

/** A model's answer in one step. */
export interface ModelReply {
  readonly text: string;
  readonly reasoning: string;
  /** The message for the history; `undefined` when the answer was empty. */
  readonly message: AssistantModelMessage | undefined;
  readonly calls: readonly ModelCall[];
  readonly finishReason: string;
  readonly usage: LanguageModelUsage;
  readonly responseId: string;
  readonly responseModel: string;
  /** Milliseconds until the first piece of a streamed answer. */
  readonly timeToFirstChunk?: number;
}

/** Receives pieces of a streamed answer. */
export type OnDelta = (type: 'text' | 'reasoning', text: string) => void;

type Part = Exclude<NonNullable<ModelReply['message']>['content'], string>[number];

/**
 * Makes the calls of a reply acceptable to every provider: unique ids (some servers repeat them), names of allowed characters (models
 * invent names), and objects as input. `calls` keeps the original names and inputs, so that the model learns what it did.
 */
export function tidyReply(reply: ModelReply): ModelReply {
  if (reply.calls.length === 0) return reply;
  const inMessage = createRenamer();
  const inCalls = createRenamer();
  const { message } = reply;
  return {
    ...reply,
    calls: reply.calls.map((call) => ({ ...call, id: inCalls(call.id) })),
    message:
      message === undefined || typeof message.content === 'string'
        ? message
        : { ...message, content: message.content.map((part) => tidyPart(part, inMessage)) },
  };
}

/** Creates the message with the results of a reply's calls, under the names in the reply. */
export function toToolMessage(
  reply: ModelReply,
  calls: readonly AgentCall[],
  toProvider: (name: string) => string,
): ToolModelMessage {
  const names = new Map(reply.calls.map(({ id, name }) => [id, tidyName(name)]));
  const content = calls.map(({ callId, tool, result }) => ({
    type: 'tool-result' as const,
    toolCallId: callId,
    toolName: names.get(callId) ?? toProvider(tool),
    output: toResultOutput(result),
  }));
  return { role: 'tool', content };
}

/** Returns a name that providers accept: 1 to 64 of `A-Z a-z 0-9 _ -`. */
function tidyName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

function tidyPart(part: Part, rename: (id: string) => string): Part {
  if (part.type !== 'tool-call' || part.providerExecuted === true) return part;
  return {
    ...part,
    toolCallId: rename(part.toolCallId),
    toolName: tidyName(part.toolName),
    input: isPlainObject(part.input) ? part.input : {},
  };
}

/** The first call keeps its id, further ones get a number. */
function createRenamer(): (id: string) => string {
  const seen = new Map<string, number>();
  return (id) => {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id}_${count}`;
  };
}

/** Returns the entries with a value: other libraries' types do not accept explicit `undefined`. */
export function dropUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The filter removes what the type excludes.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
