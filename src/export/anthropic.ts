import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { nodeMap } from '../tool/parameters/schema-node.ts';
import type { ToolCall } from '../tool/tool.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';
import {
  allowedCallers,
  type ExportOptions,
  type ExportResult,
  type PreparedTool,
  type ProgrammaticOptions,
  type ToolSource,
} from './exporter.ts';
import type { CallNames } from './calls.ts';
import { defineExporter } from './define-exporter.ts';
import { blockText, resultBlocks } from './result-blocks.ts';

/** A tool in the Messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  readonly input_examples?: readonly Readonly<Record<string, unknown>>[];
  readonly defer_loading?: true;
  readonly allowed_callers?: readonly string[];
}

/** Options of `toAnthropicTools`. */
export interface AnthropicExportOptions extends ExportOptions, ProgrammaticOptions {
  /** The version of the code execution tool in the request, for `programmatic`. Default: `code_execution_20260120`. */
  readonly codeExecution?: string;
}

/** A block of a `tool_result`. */
export type AnthropicResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
    };

/** The answer to one call. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly AnthropicResultBlock[];
  readonly is_error?: true;
}

/** The answers to all calls of one turn, as the next user message. */
export interface AnthropicToolMessage {
  readonly role: 'user';
  readonly content: readonly AnthropicToolResult[];
}

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Anthropic's Messages API. */
export const anthropic = defineExporter({
  format: 'anthropic',
  provider: 'Anthropic',
  names: { character: /[A-Za-z0-9_-]/, maxLength: 64 },
  schema: {
    accepts: 'json-schema',
    // Some of Anthropic's APIs take no `$ref`.
    refs: 'inline-if-small',
    keys: { character: /[A-Za-z0-9_.-]/, maxLength: 64 },
  },
  writeTool,
  findCalls: (message) => {
    const content = isPlainObject(message) ? message['content'] : message;
    const blocks = Array.isArray(content) ? content.filter(isPlainObject) : [];
    return blocks
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => ({ id: block['id'], name: block['name'], args: block['input'], caller: block['caller'] }));
  },
  writeResults: (answers): AnthropicToolMessage => ({
    role: 'user',
    content: answers.map(({ id, result }) => {
      const answer = { type: 'tool_result', tool_use_id: id, content: resultContent(result) } as const;
      return result.ok ? answer : { ...answer, is_error: true };
    }),
  }),
});

/**
 * Converts tools to Anthropic's format. Also returns the name table and a report of changes.
 * @example
 * const { tools, names } = toAnthropicTools(registry);
 */
export function toAnthropicTools(tools: ToolSource, options?: AnthropicExportOptions): ExportResult<AnthropicTool> {
  return anthropic.export(tools, options);
}

/**
 * Reads the `tool_use` blocks of a message or of its content. Pass the result of `toAnthropicTools` to map names and arguments
 * back. Never throws; returns `[]` for anything else.
 */
export function parseAnthropicCalls(message: unknown, exported?: CallNames): ToolCall[] {
  return anthropic.parseCalls(message, exported);
}

/** Creates one user message with a `tool_result` for each call, in call order. */
export function toAnthropicToolMessage(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): AnthropicToolMessage {
  return anthropic.toResults(calls, results);
}

function writeTool(prepared: PreparedTool, options: AnthropicExportOptions): AnthropicTool {
  const { tool, name, description, schema, translate, report } = prepared;
  const callers = allowedCallers(prepared, options, options.codeExecution ?? 'code_execution_20260120');
  if (callers !== undefined && tool.outputSchema !== undefined) {
    const message = 'Anthropic accepts no output schema. Describe the result in the description of the tool.';
    report({ path: 'outputSchema', rule: 'allowed_callers', action: 'dropped', message });
  }
  const { examples = [], deferLoading } = tool.metadata;
  const known = nodeMap(schema['properties']);
  const inputs = examples.map((example) => translate(example.input)).filter(isPlainObject);
  const fitting = inputs.filter((input) => Object.keys(input).every((key) => Object.hasOwn(known, key)));
  if (fitting.length < inputs.length) {
    const count = inputs.length - fitting.length;
    const message = `${count} of ${inputs.length} examples use an argument the schema does not list. Correct them.`;
    report({ path: 'examples', rule: 'input_examples', action: 'dropped', message });
  }
  return {
    name,
    description,
    input_schema: schema,
    ...(fitting.length > 0 ? { input_examples: fitting } : {}),
    ...(deferLoading ? { defer_loading: true } : {}),
    ...(callers === undefined ? {} : { allowed_callers: callers }),
  };
}

function resultContent(result: ToolResult): string | AnthropicResultBlock[] {
  const blocks = resultBlocks(result).map(toBlock);
  const [first] = blocks;
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks;
}

function toBlock(block: ToolContent): AnthropicResultBlock {
  if (block.type !== 'image' || !IMAGES.has(block.mimeType)) return { type: 'text', text: blockText(block) };
  return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
}
