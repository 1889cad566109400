import { type CallNames, pairResults, type RawCall, readCalls } from './calls.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportTools,
  type PreparedTool,
  type ToolSource,
} from './export-tools.ts';
import { resultText } from './result-blocks.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import { rewriteSchema, type SchemaRules } from './rewrite/rewrite-schema.ts';
import { assertStrictLimits } from './rewrite/subset/check-limits.ts';
import type { SubsetRules } from './rewrite/subset/subset-context.ts';
import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** A tool as the Responses API takes it. */
export interface OpenAIResponsesTool extends OpenAIFunction {
  readonly type: 'function';
}

/** A tool as the Chat Completions API takes it. */
export interface OpenAIChatTool {
  readonly type: 'function';
  readonly function: OpenAIFunction;
}

interface OpenAIFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly strict: boolean;
}

/** Options of `toOpenAITools`. */
export interface OpenAIExportOptions extends ExportOptions {
  /** The API the tools are for: Chat Completions by default. */
  readonly format?: 'chat' | 'responses';
  /** Whether arguments are generated under strict mode, which takes a subset of JSON Schema. */
  readonly strict?: boolean;
}

/** Tools in OpenAI's format, the name table and a report of what was rewritten. */
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
  options: OpenAIExportOptions = {},
): ExportResult<OpenAIChatTool> | ExportResult<OpenAIResponsesTool> {
  const strict = options.strict ?? false;
  const rules: SchemaRules = strict ? { kind: 'closed', ...OPENAI_STRICT_RULES } : { kind: 'open', refs: 'keep' };
  const target = {
    provider: 'OpenAI',
    names: { character: /[A-Za-z0-9_-]/, maxLength: 64 },
    maxDescription: 1024,
    rewrite: (schema: unknown, report: ReportChange) => {
      const rewritten = rewriteSchema(schema, rules, report);
      if (strict) assertStrictLimits(rewritten.schema);
      return rewritten;
    },
  };
  const definition = ({ name, description, rewritten }: PreparedTool): OpenAIFunction => {
    return { name, description, parameters: rewritten.schema, strict };
  };
  if (options.format === 'responses') {
    const build = (tool: PreparedTool): OpenAIResponsesTool => ({ type: 'function', ...definition(tool) });
    return exportTools(tools, { ...target, build }, options);
  }
  const build = (tool: PreparedTool): OpenAIChatTool => ({ type: 'function', function: definition(tool) });
  return exportTools(tools, { ...target, build }, options);
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
}

/**
 * Reads the tool calls out of a chat completion, a message, a list of tool calls, a Responses API response or its
 * output. Pass what `toOpenAITools` gave to get names and arguments mapped back. Never throws; gives `[]` for anything else.
 */
export function parseOpenAICalls(response: unknown, exported?: CallNames): ToolCall[] {
  return readCalls(findItems(response).flatMap(rawCall), exported);
}

/** One `tool` message per call, in call order. Images become a note: tool messages carry text only. */
export function toOpenAIToolMessages(calls: readonly ToolCall[], results: readonly ToolResult[]): OpenAIToolMessage[] {
  return pairResults(calls, results).map(([call, result]) => ({
    role: 'tool',
    tool_call_id: call.id,
    content: resultText(result),
  }));
}

/** One `function_call_output` item per call, in call order, for the Responses API. */
export function toOpenAIToolOutputs(calls: readonly ToolCall[], results: readonly ToolResult[]): OpenAIToolOutput[] {
  return pairResults(calls, results).map(([call, result]) => ({
    type: 'function_call_output',
    call_id: call.id,
    output: resultText(result),
  }));
}

function findItems(response: unknown): unknown[] {
  if (Array.isArray(response)) return response;
  if (!isPlainObject(response)) return [];
  if (Array.isArray(response['choices'])) return findItems(response['choices'][0]);
  if (isPlainObject(response['message'])) return findItems(response['message']);
  const list = response['tool_calls'] ?? response['output'];
  return Array.isArray(list) ? list : [];
}

function rawCall(item: unknown): RawCall[] {
  if (!isPlainObject(item)) return [];
  if (item['type'] === 'function_call') {
    return [{ id: item['call_id'] ?? item['id'], name: item['name'], args: item['arguments'] }];
  }
  const called = item['function'];
  return isPlainObject(called) ? [{ id: item['id'], name: called['name'], args: called['arguments'] }] : [];
}

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const NUMBERS = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

/** The subset of JSON Schema that OpenAI's strict mode takes. */
export const OPENAI_STRICT_RULES: SubsetRules = {
  provider: 'OpenAI strict mode',
  refs: 'keep',
  nulls: 'type',
  allRequired: true,
  emptyObjects: true,
  textEnums: false,
  keywords: new Set(['pattern', ...NUMBERS, 'minItems', 'maxItems']),
  formats: new Set(FORMATS.map((format) => `string:${format}`)),
};
