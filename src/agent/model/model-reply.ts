import type { JsonSchema } from '../../tool/json.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';
import type { AgentToolChoice, ModelSettings } from '../define/agent.ts';
import type { AssistantModelMessage, LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from './ai-types.ts';
import type { FunctionTool } from './ai-types.ts';

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
