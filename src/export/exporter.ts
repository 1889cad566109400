import type { JsonSchema } from '../tool/json.ts';
import type { Tool, ToolCall } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { AnsweredCall, CallNames, RawCall } from './calls.ts';
import type { NameRules, NameTable } from './name-table.ts';
import type { PortabilityReport } from './portability-report.ts';
import type { ReportChange } from './rewrite/rewrite-context.ts';
import type { SchemaRules } from './rewrite/schema-rules.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { isDiscoveryTool } from '../tool/tool-marks.ts';

/** The part of a tool that an exporter reads. */
export type ExportableTool = Pick<Tool, 'metadata' | 'inputSchema' | 'outputSchema'>;

/** Tools in a list, a registry, or a board with a registry. */
export type ToolSource<T = ExportableTool> =
  | Iterable<T>
  | { getAll(): Iterable<T> }
  | { readonly registry: { getAll(): Iterable<T> } };

/** Returns the tools of a list, a registry or a board, in order. */
export function listTools<T>(source: ToolSource<T>): T[] {
  if (Symbol.iterator in source) return [...source];
  return [...('registry' in source ? source.registry : source).getAll()];
}

/** The result of every exporter: the provider's JSON, the reversible name table and the portability report. */
export interface ExportResult<T> extends CallNames {
  readonly tools: T[];
  readonly names: NameTable;
  readonly report: PortabilityReport;
  /** Maps a provider's name and arguments back. */
  restore(providerName: string, args: unknown): { readonly name: string; readonly input: unknown };
}

/** Options of every exporter. */
export interface ExportOptions {
  /** Includes usage notes and limitations in the description. Default: true. */
  readonly notes?: boolean;
}

/** A tool after the provider's rules have been applied. */
export interface PreparedTool {
  readonly tool: ExportableTool;
  /** A name that the provider accepts. */
  readonly name: string;
  readonly description: string;
  /** The arguments, rewritten by the provider's rules. */
  readonly schema: JsonSchema;
  /** Converts arguments for the original schema to the provider's, for examples. */
  readonly translate: (input: unknown) => unknown;
  /** Adds an entry about this tool to the report. */
  readonly report: ReportChange;
}

/** One provider in one object: its rules, its format of a tool, and its format of calls and results. */
export interface ExporterDefinition<T, O extends ExportOptions = ExportOptions, R = unknown> {
  /** The name of the format, as in `pegboard export --format`. */
  readonly format: string;
  /** The provider's name in the report. */
  readonly provider: string;
  /** The tool names that the provider accepts; others are mapped, and mapped back in calls. */
  readonly names: NameRules;
  /** The most characters of a description. Default: no limit. */
  readonly maxDescription?: number;
  /** The JSON Schema that the provider accepts, or a function of the options that returns it. */
  readonly schema: SchemaRules | ((options: O) => SchemaRules);
  /** Also exports tools that only pages of MCP Apps may call, for clients that hide them from models. Default: false. */
  readonly keepsPageTools?: boolean;
  /** Writes one tool. If this throws, the tool is skipped and the report says why. */
  writeTool(tool: PreparedTool, options: O): T;
  /** Finds the calls in a response, in order; returns `[]` for anything else and never throws. */
  findCalls(response: unknown): readonly RawCall[];
  /** Writes the answer to the provider after the calls have run. */
  writeResults(answers: readonly AnsweredCall[], options: O): R;
}

/** Exports tools, reads calls and writes results for one provider. */
export interface Exporter<T = unknown, O extends ExportOptions = AnyOptions, R = unknown> extends ExporterDefinition<
  T,
  O,
  R
> {
  /** Converts tools to the provider's format, with the name table and the report. */
  export(tools: ToolSource, options?: O): ExportResult<T>;
  /** Reads the calls of a response; pass the result of `export` to map names and arguments back. Never throws. */
  parseCalls(response: unknown, exported?: CallNames): ToolCall[];
  /** Returns the answer to the provider: the results in call order. Throws if their numbers differ. */
  toResults(calls: readonly ToolCall[], results: readonly ToolResult[], options?: O & ResultOptions): R;
}

/** Options of exporters that are known by their format only. */
export type AnyOptions = ExportOptions & Readonly<Record<string, unknown>>;

/** Options of the results. */
export interface ResultOptions {
  /** The result of `export`, for providers whose results carry the tool's name. */
  readonly exported?: Pick<ExportResult<unknown>, 'names'> | undefined;
}

/** Runs a tool's calls for a framework. Implemented by the executor, so that every framework is equally guarded. */
export interface ToolRunner {
  execute(tool: Tool, args: unknown, options: RunnerOptions): Promise<ToolResult>;
}

interface RunnerOptions {
  readonly coerce: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly callId?: string | undefined;
  readonly context?: ToolContext | Readonly<Record<string, unknown>> | undefined;
}

/** Options of exporters whose provider runs its model's programs. */
export interface ProgrammaticOptions {
  /**
   * Lets programs that the provider runs call the tools: in addition to the model (`true`) or instead of it (`'only'`). Requires
   * the provider's own tool for programs in the request. Default: only the model calls them.
   */
  readonly programmatic?: boolean | 'only';
}

/** Returns a tool's allowed callers in the provider's terms; `undefined` if only the model may call it. Reports ignored settings. */
export function allowedCallers<Caller extends string>(
  { tool, report }: Pick<PreparedTool, 'tool' | 'report'>,
  { programmatic = false }: ProgrammaticOptions,
  program: Caller,
): ('direct' | Caller)[] | undefined {
  if (programmatic === false) return undefined;
  if (isDiscoveryTool(tool)) {
    const message = 'Only the model calls it: it forwards to other tools, which programs call by their own names.';
    report({ path: 'name', rule: 'allowed_callers', action: 'dropped', message });
    return undefined;
  }
  return programmatic === 'only' ? [program] : ['direct', program];
}
