import type { ToolSchema } from '../../tool/schema-types.ts';
import type { Tool } from '../../tool/tool.ts';
import type { PlainTool, ToolClass } from '../../tool/define/parse-tool.ts';
import type { LanguageModel } from '../model/ai-types.ts';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** A model given by provider and name rather than created in code. */
export interface ModelName {
  /** `openai`, `anthropic`, `openai-compatible`, `ollama`, `lmstudio` or `vllm`. */
  readonly provider: string;
  /** The model's name at its provider. */
  readonly model: string;
  /** The API address, if not the provider's default; required for `openai-compatible`. */
  readonly baseUrl?: string | undefined;
  /** The API key. Default: the provider's environment variable, such as `OPENAI_API_KEY`. */
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The OpenAI API to use. Default: `responses` at OpenAI's own address, `chat` (Chat Completions) elsewhere. */
  readonly api?: 'responses' | 'chat' | undefined;
}

/** Selects tools of the board by name (`*` matches any characters) or by their properties. */
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

/** Lets the model choose (`auto`), forces a call (`required` or one tool), or forbids calls. Applies to the first step only. */
export type AgentToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/** Settings passed to the model unchanged. */
export interface ModelSettings {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** Provider-specific options by provider name: `{ openai: { reasoningEffort: 'low' } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/** Prices per million tokens, in any currency. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Price of input read from the provider's cache. Default: `input`. */
  readonly cachedInput?: number | undefined;
  /** Price of input written to the provider's cache. Default: `input`. */
  readonly cacheWrite?: number | undefined;
}

/** Limits on an agent's work and history. */
export interface AgentLimits {
  /** Model calls in one run. Default: 20. */
  readonly maxSteps: number;
  /** Tool calls in one step; the model is asked to repeat any further ones. Default: 64. */
  readonly maxCallsPerStep: number;
  /** Tool calls that run at the same time. Default: 16. */
  readonly concurrency: number;
  /** The run ends after the same call has failed this many times. Default: 5. */
  readonly maxSameFailures: number;
  /** Retries after the provider fails. Default: 2. */
  readonly modelRetries: number;
  /** Milliseconds before the first retry; doubles with each further one. Default: 1,000. */
  readonly retryDelay: number;
  /** Milliseconds without any output after which a model request is abandoned and retried. Default: 300,000. */
  readonly maxSilence: number;
  /** Estimated tokens of history above which the oldest part is summarized. Default: 100,000. */
  readonly historyTokens: number;
}

/** An agent: a model, its instructions, and the tools it may use. */
export interface Agent {
  readonly name: string;
  /** The agent's purpose; other agents read it when this agent is one of their tools. */
  readonly description: string;
  /** A model of the AI SDK, or its provider and name. Default: chosen from the environment. */
  readonly model: LanguageModel | ModelName | undefined;
  readonly system: SystemPrompt | undefined;
  /** `all` selects every tool of the board. */
  readonly tools: 'all' | readonly ToolPick[];
  /** Other agents that it may delegate tasks to. */
  readonly agents: readonly Agent[];
  /** Lets the model search for tools instead of listing them all; `auto` does so above `searchAbove` tools. */
  readonly discovery: 'auto' | 'always' | 'never';
  /** True when the model writes programs that call the tools instead of calling them one by one. Default: `false`. */
  readonly code: boolean;
  /** The most tools shown without search. Default: 40. */
  readonly searchAbove: number;
  /** Tools shown from the start even when the others must be searched for. */
  readonly pinned: readonly string[];
  readonly toolChoice: AgentToolChoice;
  readonly settings: ModelSettings;
  /** The schema of the final answer, for answers that programs read. */
  readonly output: ToolSchema | undefined;
  /** The lowest risk at which a call needs approval; `none` leaves that to the board's policy. */
  readonly approval: 'none' | 'destructive' | 'write' | 'all';
  /** Answers repeated calls of read-only tools from the first result. Default: `true`. */
  readonly reuseReads: boolean;
  readonly prices: TokenPrices | undefined;
  readonly limits: AgentLimits;
}

/** An agent's instructions: a text, a file, or a function of the run's context. */
export type SystemPrompt =
  | string
  | { readonly file: string }
  | ((context: ToolContext) => string | undefined | Promise<string | undefined>);

/** Returns the text of a system prompt. Throws `invalid_arguments` for a file that cannot be read. */
export async function readSystem(system: SystemPrompt | undefined, context: ToolContext): Promise<string | undefined> {
  if (system === undefined || typeof system === 'string') return system;
  if (typeof system === 'function') return system(context);
  try {
    return await readFile(system.file, 'utf8');
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The system prompt ${system.file} cannot be read: ${reason}.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'system', cause });
  }
}
