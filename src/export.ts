export { defineExporter } from './export/define-exporter.ts';
export type {
  AnyOptions,
  Exporter,
  ExporterDefinition,
  ExportableTool,
  ExportOptions,
  ExportResult,
  PreparedTool,
  ResultOptions,
  ToolSource,
} from './export/exporter.ts';
export { builtInExporters } from './export/exporters.ts';
export { openAI } from './export/openai.ts';
export { anthropic } from './export/anthropic.ts';
export { gemini } from './export/gemini.ts';
export { mcp } from './export/mcp.ts';
export { createNameTable, type NameRules, type NameTable } from './export/name-table.ts';
export type {
  CommonRules,
  JsonSchemaRules,
  RootShape,
  SchemaLimits,
  SchemaRules,
  SubsetRules,
  UnchangedRules,
} from './export/rewrite/schema-rules.ts';
export { rewriteSchema, type RewrittenSchema, type RewriteTarget } from './export/rewrite/rewrite-schema.ts';
export type { ReportChange } from './export/rewrite/rewrite-context.ts';
export { Unportable } from './export/rewrite/rewrite-context.ts';
export { describeTool, type DescribeOptions } from './export/describe-tool.ts';
export {
  formatReport,
  type PortabilityAction,
  type PortabilityEntry,
  type PortabilityReport,
} from './export/portability-report.ts';
export type { AnsweredCall, CallNames, RawCall } from './export/calls.ts';
export { blockText, resultBlocks, resultText } from './export/result-blocks.ts';
export type { RewrittenArguments } from './export/rewrite/rewrite-context.ts';
export type { SchemaNode } from './tool/parameters/schema-node.ts';
