import type { JsonSchema } from '../tool/json.ts';
import { type ExportOptions, type ExportResult, exportTools, type PreparedTool } from './export-tools.ts';
import type { ToolSource } from './exportable-tool.ts';
import { assertStrictLimits } from './rewrite/openai-strict-limits.ts';
import { OPENAI_STRICT_RULES } from './rewrite/openai-strict-rules.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import { rewriteSchema, type SchemaRules } from './rewrite/rewrite-schema.ts';

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
