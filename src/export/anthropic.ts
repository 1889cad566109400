import { type CallNames, pairResults, readCalls } from './calls.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportTools,
  type PreparedTool,
  type RewrittenSchema,
  type ToolSource,
} from './export-tools.ts';
import { blockText, resultBlocks } from './result-blocks.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import { rewriteSchema } from './rewrite/rewrite-schema.ts';
import { Unportable } from './rewrite/unportable.ts';
import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { nodeMap } from '../tool/parameters/schema-node.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';

/** A tool as the Messages API takes it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  readonly input_examples?: readonly Readonly<Record<string, unknown>>[];
  readonly defer_loading?: true;
}

const NAMES = { character: /[A-Za-z0-9_-]/, maxLength: 64 };
const KEYS = { character: /[A-Za-z0-9_.-]/, maxLength: 64 };

/** Tools in Anthropic's format, the name table and a report of what was rewritten. */
export function toAnthropicTools(tools: ToolSource, options: ExportOptions = {}): ExportResult<AnthropicTool> {
  return exportTools(tools, { provider: 'Anthropic', names: NAMES, rewrite, build }, options);
}

/** Some of Anthropic's APIs take no `$ref`, so definitions are written out unless that makes the schema too big. */
function rewrite(schema: unknown, report: ReportChange): RewrittenSchema {
  const changes: Parameters<ReportChange>[0][] = [];
  try {
    const written = rewriteSchema(schema, { kind: 'open', refs: 'inline', keys: KEYS }, (change) =>
      changes.push(change),
    );
    changes.forEach(report);
    return written;
  } catch (error) {
    if (!(error instanceof Unportable) || error.rule !== 'schema size') throw error;
    return rewriteSchema(schema, { kind: 'open', refs: 'keep', keys: KEYS }, report);
  }
}

function build({ tool, name, description, rewritten, report }: PreparedTool): AnthropicTool {
  const { examples = [], deferLoading } = tool.metadata;
  const known = nodeMap(rewritten.schema['properties']);
  const inputs = examples.map((example) => rewritten.disguise(example.input)).filter(isPlainObject);
  const fitting = inputs.filter((input) => Object.keys(input).every((key) => Object.hasOwn(known, key)));
  if (fitting.length < inputs.length) {
    const count = inputs.length - fitting.length;
    const message = `${count} of ${inputs.length} examples use an argument the schema does not list. Correct them.`;
    report({ path: 'examples', rule: 'input_examples', action: 'dropped', message });
  }
  return {
    name,
    description,
    input_schema: rewritten.schema,
    ...(fitting.length > 0 ? { input_examples: fitting } : {}),
    ...(deferLoading ? { defer_loading: true } : {}),
  };
}

/** A piece of a `tool_result`. */
type AnthropicResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
    };

/** The answer to one call. */
interface AnthropicToolResult {
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

/**
 * Reads the `tool_use` blocks of a message or of its content. Pass what `toAnthropicTools` gave to get names and
 * arguments mapped back. Never throws; gives `[]` for anything else.
 */
export function parseAnthropicCalls(message: unknown, exported?: CallNames): ToolCall[] {
  const content = isPlainObject(message) ? message['content'] : message;
  const blocks = Array.isArray(content) ? content.filter(isPlainObject) : [];
  const calls = blocks.filter((block) => block['type'] === 'tool_use');
  return readCalls(
    calls.map((block) => ({ id: block['id'], name: block['name'], args: block['input'] })),
    exported,
  );
}

/** One user message with a `tool_result` per call, in call order. */
export function toAnthropicToolMessage(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): AnthropicToolMessage {
  return { role: 'user', content: pairResults(calls, results).map(([call, result]) => toolResult(call.id, result)) };
}

function toolResult(id: string, result: ToolResult): AnthropicToolResult {
  const answer = { type: 'tool_result', tool_use_id: id, content: resultContent(result) } as const;
  return result.ok ? answer : { ...answer, is_error: true };
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
