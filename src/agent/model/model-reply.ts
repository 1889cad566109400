import type { JsonSchema } from '../../tool/json.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';
import type { AgentToolChoice, ModelSettings } from '../define/agent.ts';
import type { AssistantModelMessage, LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from './ai-types.ts';
import type { FunctionTool } from './ai-types.ts';

/** What a model is asked in one step. */
export interface ModelRequest {
  readonly model: LanguageModel;
  readonly system: string | undefined;
  readonly messages: ModelMessage[];
  readonly tools: ToolSet;
  /** The same tools, as providers get them. */
  readonly declared: readonly FunctionTool[];
  readonly toolChoice: AgentToolChoice;
  readonly settings: ModelSettings;
  /** JSON Schema of the answer, where it must have a shape. */
  readonly outputSchema: JsonSchema | undefined;
  readonly signal: AbortSignal | undefined;
  /** Takes the board's secrets out of all that is sent and answered. */
  readonly redactor: Redactor;
  /** Called for every piece of an answer, of every kind. */
  readonly heard?: () => void;
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
  /** Milliseconds until the first piece of a streamed answer. */
  readonly timeToFirstChunk?: number;
}

/** What is told while an answer is streamed. */
export type OnDelta = (type: 'text' | 'reasoning', text: string) => void;
