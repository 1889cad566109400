import { type CallNames, readCalls } from './calls.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportTools,
  type PreparedTool,
  type RewrittenSchema,
  type ToolSource,
} from './export-tools.ts';
import { resultBlocks } from './result-blocks.ts';
import { copySchema } from './rewrite/copy-schema.ts';
import { flattenRoot } from './rewrite/flatten-root.ts';
import { createRefResolver, type ReportChange, ROOT_PATH } from './rewrite/rewrite-context.ts';
import { Unportable } from './rewrite/unportable.ts';
import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { nodeList, type SchemaNode, typeList } from '../tool/parameters/schema-node.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolIcon, ToolRisk } from '../tool/tool-metadata.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';

/** What an MCP client may assume about a tool. */
interface McpToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
}

/** A tool as `tools/list` gives it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema?: JsonSchema & { readonly type: 'object' };
  readonly annotations?: McpToolAnnotations;
  readonly icons?: readonly ToolIcon[];
}

const ANNOTATIONS: Readonly<Record<ToolRisk, McpToolAnnotations>> = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { destructiveHint: true },
};

/** Tools in MCP's format (2025-11-25), the name table and a report. Schemas stay as they are, but for the top level. */
export function toMcpTools(tools: ToolSource, options: ExportOptions = {}): ExportResult<McpTool> {
  const names = { character: /[A-Za-z0-9_.-]/, maxLength: 128 };
  return exportTools(tools, { provider: 'MCP', names, rewrite, build }, options);
}

function rewrite(schema: unknown, report: ReportChange): RewrittenSchema {
  const same = (input: unknown) => input;
  const remarks: string[] = [];
  return { schema: asObject(copySchema(schema), report, remarks), remarks, restore: same, disguise: same };
}

function build({ tool, name, description, rewritten, report }: PreparedTool): McpTool {
  const { displayName, icons, risk } = tool.metadata;
  const outputSchema = readOutput(() => tool.outputSchema, report);
  return {
    name,
    ...(displayName ? { title: displayName } : {}),
    description,
    inputSchema: { ...rewritten.schema, type: 'object' },
    ...(outputSchema ? { outputSchema } : {}),
    ...(risk ? { annotations: ANNOTATIONS[risk] } : {}),
    ...(icons ? { icons } : {}),
  };
}

/** A schema whose top level says `type: object`; anything else there stays where it is allowed to. */
function asObject(schema: SchemaNode, report: ReportChange, remarks: string[]): SchemaNode & { type: 'object' } {
  if (schema['type'] === 'object') return { ...schema, type: 'object' };
  const branches = [...nodeList(schema['anyOf']), ...nodeList(schema['oneOf']), ...nodeList(schema['allOf'])];
  const plain =
    typeList(schema).length === 0 && !('$ref' in schema) && branches.every((branch) => branch['type'] === 'object');
  if (plain) return { type: 'object', ...schema };
  const { node, remarks: said } = flattenRoot(schema, { resolve: createRefResolver(schema), report });
  remarks.push(...said);
  return { ...node, ...('$defs' in schema ? { $defs: schema['$defs'] } : {}), type: 'object' };
}

function readOutput(read: () => unknown, report: ReportChange): (SchemaNode & { type: 'object' }) | undefined {
  try {
    const schema = read();
    return schema === undefined ? undefined : asObject(copySchema(schema), () => {}, []);
  } catch (error) {
    const why =
      error instanceof Unportable && error.path === ROOT_PATH ? 'MCP results are objects' : 'It could not be read';
    const message = `${why}; the tool is listed without it. Describe the result as an object.`;
    report({ path: 'outputSchema', rule: 'output object', action: 'dropped', message });
    return undefined;
  }
}

/** The answer to `tools/call`. */
export interface McpCallResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** Reads the params of `tools/call`; missing arguments are `{}`. Never throws; gives `undefined` for anything else. */
export function parseMcpCall(params: unknown, exported?: CallNames): ToolCall | undefined {
  if (!isPlainObject(params) || typeof params['name'] !== 'string') return undefined;
  return readCalls([{ id: undefined, name: params['name'], args: params['arguments'] }], exported)[0];
}

/** A result as the answer to `tools/call`: its pieces, and its data where that is an object. */
export function toMcpCallResult(result: ToolResult): McpCallResult {
  const data = result.ok && result.meta.asText !== true ? result.data : undefined;
  return {
    content: resultBlocks(result),
    ...(isPlainObject(data) ? { structuredContent: data } : {}),
    isError: !result.ok,
  };
}
