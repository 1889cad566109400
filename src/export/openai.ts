import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import {
  allowedCallers,
  type ExportOptions,
  type ExportResult,
  type PreparedTool,
  type ProgrammaticOptions,
  type ToolSource,
} from './exporter.ts';
import { answerCalls, type AnsweredCall, type CallNames, type RawCall } from './calls.ts';
import { defineExporter } from './define-exporter.ts';
import { resultText } from './result-blocks.ts';
import type { SubsetRules } from './rewrite/schema-rules.ts';

/** A tool in the Responses API. */
export interface OpenAIResponsesTool extends OpenAIFunction {
  readonly type: 'function';
  readonly allowed_callers?: readonly ('direct' | 'programmatic')[];
  readonly output_schema?: JsonSchema;
}

/** A tool in the Chat Completions API. */
export interface OpenAIChatTool {
  readonly type: 'function';
  readonly function: OpenAIFunction;
}

/** A function as OpenAI describes it. */
export interface OpenAIFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly strict: boolean;
}

/** Options of `toOpenAITools`. */
export interface OpenAIExportOptions extends ExportOptions, ProgrammaticOptions {
  /** The API to export for, Chat Completions or Responses. Default: `chat`. */
  readonly format?: 'chat' | 'responses';
  /** Uses strict mode, which accepts a subset of JSON Schema. Default: false. */
  readonly strict?: boolean;
}

/** The answer to one call in the Chat Completions API. */
export interface OpenAIToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

/** The answer to one call in the Responses API. */
export interface OpenAIToolOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
  /** The program that made the call, as the call named it. */
  readonly caller?: Readonly<Record<string, unknown>>;
}

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const NUMBERS = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

const STRICT_RULES: SubsetRules = {
  accepts: 'subset',
  provider: 'OpenAI strict mode',
  keywords: ['pattern', ...NUMBERS, 'minItems', 'maxItems'],
  formats: FORMATS.map((format) => `string:${format}`),
  refs: 'keep',
  allRequired: true,
  limits: {
    properties: 5000,
    levels: 10,
    enumValues: 1000,
    characters: 120_000,
    longEnum: { values: 250, characters: 15_000 },
    otherwise: 'export it without { strict: true }',
  },
};

/** OpenAI's Chat Completions and Responses APIs. */
export const openAI = defineExporter({
  format: 'openai',
  provider: 'OpenAI',
  names: { character: /[A-Za-z0-9_-]/, maxLength: 64 },
  maxDescription: 1024,
  schema: ({ strict }: OpenAIExportOptions) => (strict ? STRICT_RULES : { accepts: 'json-schema' }),
  writeTool,
  findCalls: (response) => findItems(response).flatMap(readItem),
  writeResults: (answers, { format }) => (format === 'responses' ? answers.map(toOutput) : answers.map(toMessage)),
});

/**
 * Converts tools to OpenAI's format. Also returns the name table and a report of changes.
 * @example
 * const { tools, names } = toOpenAITools(registry);
 */
export function toOpenAITools(
  tools: ToolSource,
  options: OpenAIExportOptions & { readonly format: 'responses' },
): ExportResult<OpenAIResponsesTool>;
export function toOpenAITools(
  tools: ToolSource,
  options?: OpenAIExportOptions & { readonly format?: 'chat' },
): ExportResult<OpenAIChatTool>;
export function toOpenAITools(
  tools: ToolSource,
  options?: OpenAIExportOptions,
): ExportResult<OpenAIChatTool | OpenAIResponsesTool> {
  return openAI.export(tools, options);
}

/**
 * Reads the tool calls of a chat completion, a message, a list of tool calls, a Responses API response or its output. Pass the
 * result of `toOpenAITools` to map names and arguments back. Never throws; returns `[]` for anything else.
 */
export function parseOpenAICalls(response: unknown, exported?: CallNames): ToolCall[] {
  return openAI.parseCalls(response, exported);
}

/** Creates one `tool` message for each call, in call order. Images become a note: tool messages contain only text. */
export function toOpenAIToolMessages(calls: readonly ToolCall[], results: readonly ToolResult[]): OpenAIToolMessage[] {
  return answerCalls(calls, results).map(toMessage);
}

/** Creates one `function_call_output` item for each call, in call order, for the Responses API. */
export function toOpenAIToolOutputs(calls: readonly ToolCall[], results: readonly ToolResult[]): OpenAIToolOutput[] {
  return answerCalls(calls, results).map(toOutput);
}

function writeTool(prepared: PreparedTool, options: OpenAIExportOptions): OpenAIChatTool | OpenAIResponsesTool {
  const { tool, name, description, schema, report } = prepared;
  const { format, strict = false, programmatic = false } = options;
  const definition = { name, description, parameters: schema, strict };
  if (format === 'responses') {
    const callers = allowedCallers(prepared, options, 'programmatic');
    const output = callers === undefined ? undefined : tool.outputSchema;
    return {
      type: 'function',
      ...definition,
      ...(callers === undefined ? {} : { allowed_callers: callers }),
      ...(output === undefined ? {} : { output_schema: output }),
    };
  }
  if (programmatic !== false) {
    const message = 'Chat Completions runs no programs. Export with { format: "responses" }.';
    report({ path: 'name', rule: 'allowed_callers', action: 'dropped', message });
  }
  return { type: 'function', function: definition };
}

function toMessage({ id, result }: AnsweredCall): OpenAIToolMessage {
  return { role: 'tool', tool_call_id: id, content: resultText(result) };
}

function toOutput({ id, result, caller }: AnsweredCall): OpenAIToolOutput {
  return { type: 'function_call_output', call_id: id, output: resultText(result), ...(caller && { caller }) };
}

function findItems(response: unknown): unknown[] {
  if (Array.isArray(response)) return response;
  if (!isPlainObject(response)) return [];
  if (Array.isArray(response['choices'])) return findItems(response['choices'][0]);
  if (isPlainObject(response['message'])) return findItems(response['message']);
  const list = response['tool_calls'] ?? response['output'];
  return Array.isArray(list) ? list : [];
}

function readItem(item: unknown): RawCall[] {
  if (!isPlainObject(item)) return [];
  if (item['type'] === 'function_call') {
    return [{ id: item['call_id'] ?? item['id'], name: item['name'], args: item['arguments'], caller: item['caller'] }];
  }
  const called = item['function'];
  return isPlainObject(called) ? [{ id: item['id'], name: called['name'], args: called['arguments'] }] : [];
}
