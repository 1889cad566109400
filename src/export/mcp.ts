import type { JsonSchema } from '../tool/json.ts';
import type { ToolIcon, ToolRisk } from '../tool/tool-metadata.ts';
import { copySchema } from './rewrite/copy-schema.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportTools,
  type PreparedTool,
  type RewrittenSchema,
} from './export-tools.ts';
import type { ToolSource } from './exportable-tool.ts';
import { flattenRoot } from './rewrite/flatten-root.ts';
import { createRefResolver } from './rewrite/resolve-ref.ts';
import { type ReportChange, ROOT_PATH } from './rewrite/rewrite-context.ts';
import { nodeList, type SchemaNode, typeList } from '../tool/parameters/schema-node.ts';
import { Unportable } from './rewrite/unportable.ts';

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
