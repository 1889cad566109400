import type { JsonSchema } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import type { AnsweredCall, CallNames, RawCall } from './calls.ts';
import type { NameRules, NameTable } from './name-table.ts';
import type { PortabilityReport } from './portability-report.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import type { SchemaRules } from './rewrite/schema-rules.ts';

/** The part of a tool that an exporter reads. */
export type ExportableTool = Pick<Tool, 'metadata' | 'inputSchema' | 'outputSchema'>;

/** What exporters take: tools in a list, a registry, or a board with a registry. */
export type ToolSource<T = ExportableTool> =
  | Iterable<T>
  | { getAll(): Iterable<T> }
  | { readonly registry: { getAll(): Iterable<T> } };

/** The tools of a list, a registry or a board, in order. */
export function listTools<T>(source: ToolSource<T>): T[] {
  if (Symbol.iterator in source) return [...source];
  return [...('registry' in source ? source.registry : source).getAll()];
}

/** What every exporter gives: the provider's JSON, the reversible name table, the portability report. */
export interface ExportResult<T> extends CallNames {
  readonly tools: T[];
  readonly names: NameTable;
  readonly report: PortabilityReport;
  /** Turns a provider's name and arguments back into ours. */
  restore(providerName: string, args: unknown): { readonly name: string; readonly input: unknown };
}

/** Options every exporter takes. */
export interface ExportOptions {
  /** Whether usage notes and limitations are part of the description. Default: true. */
  readonly notes?: boolean;
}

/** A tool once everything that the provider's rules decide is decided. */
export interface PreparedTool {
  readonly tool: ExportableTool;
  /** A name the provider takes. */
  readonly name: string;
  readonly description: string;
  /** The arguments, rewritten by the provider's rules. */
  readonly schema: JsonSchema;
  /** Turns arguments of ours into the provider's, for examples. */
  readonly translate: (input: unknown) => unknown;
  /** Adds a line about this tool to the report. */
  readonly report: ReportChange;
}

/** One provider in one object: its rules, how a tool of it is written, and where its calls and results stand. */
export interface ExporterDefinition<T, O extends ExportOptions = ExportOptions, R = unknown> {
  /** The name of the format, as in `pegboard export --format`. */
  readonly format: string;
  /** The provider as the report names it. */
  readonly provider: string;
  /** The tool names that the provider takes; others are mapped, and mapped back on a call. */
  readonly names: NameRules;
  /** How many characters a description may have. Default: any number. */
  readonly maxDescription?: number;
  /** The JSON Schema that the provider takes, or how the options decide that. */
  readonly schema: SchemaRules | ((options: O) => SchemaRules);
  /** Whether tools that pages of MCP Apps alone may call are written too: for clients that keep them from models. Default: false. */
  readonly keepsPageTools?: boolean;
  /** Writes one tool. A tool for which this throws is left out, and the report says why. */
  writeTool(tool: PreparedTool, options: O): T;
  /** Finds the calls in a response, in order; gives `[]` for anything else and never throws. */
  findCalls(response: unknown): readonly RawCall[];
  /** Writes what the provider is sent after the calls have run. */
  writeResults(answers: readonly AnsweredCall[], options: O): R;
}

/** Tools out, calls in, results out, for one provider. */
export interface Exporter<T = unknown, O extends ExportOptions = AnyOptions, R = unknown> extends ExporterDefinition<
  T,
  O,
  R
> {
  /** The tools as the provider takes them, with the name table and the report. */
  export(tools: ToolSource, options?: O): ExportResult<T>;
  /** Reads the calls of a response; with what `export` gave, names and arguments are mapped back. Never throws. */
  parseCalls(response: unknown, exported?: CallNames): ToolCall[];
  /** What to send back: the results in the order of the calls. Throws when their numbers differ. */
  toResults(calls: readonly ToolCall[], results: readonly ToolResult[], options?: O & ResultOptions): R;
}

/** Options of exporters that are known by their format only. */
export type AnyOptions = ExportOptions & Readonly<Record<string, unknown>>;

/** Options of the results. */
export interface ResultOptions {
  /** What `export` gave, for providers whose results carry the tool's name. */
  readonly exported?: Pick<ExportResult<unknown>, 'names'> | undefined;
}
