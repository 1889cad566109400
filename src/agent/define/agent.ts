import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolSchema } from '../../tool/schema-types.ts';
import type { Tool } from '../../tool/tool.ts';
import type { PlainTool, ToolClass } from '../../tool/define/parse-tool.ts';
import type { LanguageModel } from '../model/ai-types.ts';

/** A model by its provider and name, for those that are not made in code. */
export interface ModelName {
  /** `openai`, `anthropic`, `openai-compatible`, `ollama`, `lmstudio` or `vllm`. */
  readonly provider: string;
  /** The model's name, as its provider knows it. */
  readonly model: string;
  /** Another address than the provider's own; needed for `openai-compatible`. */
  readonly baseUrl?: string | undefined;
  /** The key; otherwise the provider's own variable, such as `OPENAI_API_KEY`. */
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Which API of OpenAI to use. Default: `responses` at OpenAI's own address, `chat` (Chat Completions) at others. */
  readonly api?: 'responses' | 'chat' | undefined;
}

/** Which tools of the board: by name, `*` standing for any characters, or by what they are. */
export type ToolPick =
  | string
  | {
      readonly name?: string | readonly string[];
      readonly tag?: string | readonly string[];
      readonly category?: string | readonly string[];
      readonly risk?: string | readonly string[];
      readonly source?: string | readonly string[];
    }
  | ToolClass
  | Tool
  | PlainTool;

/** Whether and what the model must call: as it likes, something, nothing, or one tool. Relaxed after the first step. */
export type AgentToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/** The instructions of an agent: a text, a file, or made from the context of each run. */
export type SystemPrompt =
  | string
  | { readonly file: string }
  | ((context: ToolContext) => string | undefined | Promise<string | undefined>);

/** Settings that are handed to the model as they are. */
export interface ModelSettings {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** Options that only one provider knows, by its name: `{ openai: { reasoningEffort: 'low' } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/** What a million tokens cost, in any currency. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had cached. Default: as `input`. */
  readonly cachedInput?: number | undefined;
  /** Input that the provider put into its cache. Default: as `input`. */
  readonly cacheWrite?: number | undefined;
}

/** How much an agent may do and keep. */
export interface AgentLimits {
  /** Model calls in one run. Default: 20. */
  readonly maxSteps: number;
  /** Tool calls in one step; further ones are answered with a request to ask again. Default: 64. */
  readonly maxCallsPerStep: number;
  /** Tool calls that run at once. Default: 16. */
  readonly concurrency: number;
  /** The same call failing so often ends the run. Default: 5. */
  readonly maxSameFailures: number;
  /** Further attempts when the provider fails. Default: 2. */
  readonly modelRetries: number;
  /** Milliseconds before the first of them, doubled for each further one. Default: 1,000. */
  readonly retryDelay: number;
  /** Milliseconds that a model may say nothing before it counts as gone and is asked again. Default: 300,000. */
  readonly maxSilence: number;
  /** Estimated tokens of history before the oldest part is summed up. Default: 100,000. */
  readonly historyTokens: number;
}

/** An agent: a model, its instructions, and the tools it may use. */
export interface Agent {
  readonly name: string;
  /** What it is for; what other agents read when it is one of their tools. */
  readonly description: string;
  /** A model of the AI SDK, or its provider and name; chosen by the environment when missing. */
  readonly model: LanguageModel | ModelName | undefined;
  readonly system: SystemPrompt | undefined;
  /** `all` for the whole board. */
  readonly tools: 'all' | readonly ToolPick[];
  /** Other agents that it may hand tasks to. */
  readonly agents: readonly Agent[];
  /** Whether tools are searched for rather than all shown; `auto` searches when there are more than `searchAbove`. */
  readonly discovery: 'auto' | 'always' | 'never';
  /** Whether the model writes programs that call the tools, in place of calling them one by one. Default: `false`. */
  readonly code: boolean;
  /** How many tools are shown without search. Default: 40. */
  readonly searchAbove: number;
  /** Tools that are shown from the start when the others are searched for. */
  readonly pinned: readonly string[];
  readonly toolChoice: AgentToolChoice;
  readonly settings: ModelSettings;
  /** The shape of the final answer, for answers that programs read. */
  readonly output: ToolSchema | undefined;
  /** The least risk for which a person is asked before a call; `none` leaves that to the board's policy. */
  readonly approval: 'none' | 'destructive' | 'write' | 'all';
  /** Whether identical calls of read-only tools are answered from the first. Default: `true`. */
  readonly reuseReads: boolean;
  readonly prices: TokenPrices | undefined;
  readonly limits: AgentLimits;
}
