import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool.ts';
import { type ServerFacts, serverFactsOf } from '../tool/server-words.ts';
import {
  riskOf,
  type ToolAnnotations,
  type ToolIcon,
  type ToolMetadata,
  type ToolRisk,
} from '../tool/tool-metadata.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';
import { type CallNames, type RawCall, readCalls } from './calls.ts';
import { defineExporter } from './define-exporter.ts';
import type { ExportOptions, ExportResult, PreparedTool, ToolSource } from './exporter.ts';
import { resultBlocks } from './result-blocks.ts';
import { type ReportChange, ROOT_PATH, Unportable } from './rewrite/rewrite-context.ts';
import { rewriteSchema } from './rewrite/rewrite-schema.ts';
import type { SchemaRules } from './rewrite/schema-rules.ts';

/** A tool in `tools/list`. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema?: JsonSchema & { readonly type: 'object' };
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly ToolIcon[];
  /** Execution hints such as `taskSupport`. */
  readonly execution?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The answer to `tools/call`. */
export interface McpCallResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const HINTS: Readonly<Record<ToolRisk, ToolAnnotations>> = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { destructiveHint: true },
};

const RULES: SchemaRules = { accepts: 'anything', root: 'alternatives' };

/** MCP's `tools/list` and `tools/call` (2025-11-25). */
export const mcp = defineExporter({
  format: 'mcp',
  provider: 'MCP',
  names: { character: /[A-Za-z0-9_.-]/, maxLength: 128 },
  schema: RULES,
  keepsPageTools: true,
  writeTool,
  findCalls: findCall,
  writeResults: (answers) => answers.map(({ result }) => toMcpCallResult(result)),
});

/**
 * Converts tools to MCP's format (2025-11-25). Also returns the name table and a report. Only the top level of a schema changes.
 * @example
 * const { tools } = toMcpTools(registry);
 * const answer = { jsonrpc: '2.0', id: 1, result: { tools } };
 */
export function toMcpTools(tools: ToolSource, options?: ExportOptions): ExportResult<McpTool> {
  return mcp.export(tools, options);
}

/** Reads the params of `tools/call`; missing arguments are `{}`. Never throws; returns `undefined` for anything else. */
export function parseMcpCall(params: unknown, exported?: CallNames): ToolCall | undefined {
  return readCalls(findCall(params), exported)[0];
}

/** Converts a result to the answer to `tools/call`: its content, and its data if that is an object. */
export function toMcpCallResult(result: ToolResult): McpCallResult {
  const data = result.ok && result.meta.asText !== true ? result.data : undefined;
  const { _meta } = result.meta;
  return {
    content: resultBlocks(result),
    ...(isPlainObject(data) ? { structuredContent: data } : {}),
    isError: !result.ok,
    ...(_meta === undefined ? {} : { _meta }),
  };
}

function findCall(params: unknown): RawCall[] {
  if (!isPlainObject(params) || typeof params['name'] !== 'string') return [];
  return [{ id: undefined, name: params['name'], args: params['arguments'] }];
}

function writeTool({ tool, name, description, schema, report }: PreparedTool): McpTool {
  const { displayName, icons, _meta } = tool.metadata;
  const facts = serverFactsOf(tool);
  const said = facts?.said ?? {};
  const annotations = annotationsOf(tool.metadata, facts);
  const inputSchema = said.inputSchema?.['type'] === 'object' ? said.inputSchema : schema;
  const outputSchema =
    said.outputSchema?.['type'] === 'object' ? said.outputSchema : readOutput(() => tool.outputSchema, report);
  return {
    name,
    ...(displayName && facts?.hasTitle !== false ? { title: displayName } : {}),
    description: said.description?.trim() === description ? said.description : description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(outputSchema ? { outputSchema: { ...outputSchema, type: 'object' } } : {}),
    ...(annotations ? { annotations } : {}),
    ...(said.execution ? { execution: said.execution } : {}),
    ...(icons ? { icons } : {}),
    ...(_meta ? { _meta } : {}),
  };
}

/** Returns a tool's own hints, with those its risk implies. A server's hints are its own, unless the board's config sets the risk. */
function annotationsOf(metadata: ToolMetadata, facts: ServerFacts | undefined): ToolAnnotations | undefined {
  const { annotations, idempotent } = metadata;
  const own = idempotent === true ? { ...annotations, idempotentHint: true } : annotations;
  if (metadata.risk === undefined || facts?.hasRisk === false) return own;
  // A client sees the tool before any call, so it gets the highest risk.
  const risk = riskOf({ metadata });
  return {
    ...own,
    ...HINTS[risk],
    ...(risk === 'read' && own?.destructiveHint === true ? { destructiveHint: false } : {}),
    ...(risk === 'destructive' && (own?.readOnlyHint === true || metadata.risk !== risk)
      ? { readOnlyHint: false }
      : {}),
  };
}

function readOutput(read: () => unknown, report: ReportChange): JsonSchema | undefined {
  try {
    const schema = read();
    return schema === undefined
      ? undefined
      : rewriteSchema(schema, RULES, { provider: 'MCP', report: () => {} }).schema;
  } catch (error) {
    const why =
      error instanceof Unportable && error.path === ROOT_PATH ? 'MCP results are objects' : 'It could not be read';
    const message = `${why}; the tool is listed without it. Describe the result as an object.`;
    report({ path: 'outputSchema', rule: 'output object', action: 'dropped', message });
    return undefined;
  }
}
