import type { ModelCallOptions } from '../agent/model/ai-types.ts';

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
export function readRequest(options: ModelCallOptions, step: number): ScriptedRequest {
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
