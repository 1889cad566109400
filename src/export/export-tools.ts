import { describeTool, shorten } from './describe-tool.ts';
import { createNameTable, type NameRules, type NameTable } from './name-table.ts';
import { createReport, type PortabilityEntry, type PortabilityReport } from './portability-report.ts';
import type { ReportChange, RewrittenArguments } from './rewrite/rewrite-context.ts';
import { Unportable } from './rewrite/unportable.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';

/** What every exporter gives: the provider's JSON, the reversible name table, the portability report. */
export interface ExportResult<T> {
  readonly tools: T[];
  readonly names: NameTable;
  readonly report: PortabilityReport;
  /** Turns a provider's name and arguments back into ours. */
  restore(providerName: string, args: unknown): { readonly name: string; readonly input: unknown };
}

/** Options every exporter takes. */
export interface ExportOptions {
  /** Whether usage notes and limitations are part of the description; they are unless this is `false`. */
  readonly notes?: boolean;
}

/** A schema as a provider takes it, the arguments' way back, and sentences for the tool's description. */
export interface RewrittenSchema extends RewrittenArguments {
  readonly remarks: readonly string[];
}

/** What a tool looks like once everything provider-specific about it is known. */
export interface PreparedTool {
  readonly tool: ExportableTool;
  readonly name: string;
  readonly description: string;
  readonly rewritten: RewrittenSchema;
  readonly report: ReportChange;
}

/** A provider's rules, and how one of its tools is written. */
export interface ExportTarget<T> {
  readonly provider: string;
  readonly names: NameRules;
  readonly maxDescription?: number;
  rewrite(schema: unknown, report: ReportChange): RewrittenSchema;
  build(prepared: PreparedTool): T;
}

/** Exports every tool that can be said to a provider; the others are set aside in the report. */
export function exportTools<T>(
  source: ToolSource,
  target: ExportTarget<T>,
  options: ExportOptions = {},
): ExportResult<T> {
  const list = listTools(source);
  const names = createNameTable(
    list.map((tool) => tool.metadata.name),
    target.names,
  );
  const entries: PortabilityEntry[] = [];
  const restorers = new Map<string, (input: unknown) => unknown>();
  const tools = list.flatMap((tool) => {
    const { metadata } = tool;
    const own: PortabilityEntry[] = [];
    try {
      const prepared = prepare(tool, target, {
        names,
        options,
        report: (entry) => own.push({ tool: metadata.name, ...entry }),
      });
      if (restorers.has(prepared.name)) {
        throw new Unportable('name', 'unique name', 'Another tool in the list has this name. Rename one of them.');
      }
      const built = target.build(prepared);
      restorers.set(prepared.name, (input) => prepared.rewritten.restore(input));
      entries.push(...own);
      return [built];
    } catch (error) {
      entries.push(quarantine(metadata, error));
      return [];
    }
  });
  return {
    tools,
    names,
    report: createReport(entries),
    restore: (providerName, args) => {
      const undo = restorers.get(providerName);
      return { name: names.toOriginal(providerName) ?? providerName, input: undo ? undo(args) : args };
    },
  };
}

function prepare<T>(
  tool: ExportableTool,
  target: ExportTarget<T>,
  run: { readonly names: NameTable; readonly options: ExportOptions; readonly report: ReportChange },
): PreparedTool {
  const { metadata } = tool;
  const { names, report } = run;
  const name = names.toProvider(metadata.name) ?? metadata.name;
  if (name !== metadata.name) {
    const message = `${target.provider} sees it as "${name}"; calls are mapped back.`;
    report({ path: 'name', rule: 'tool name', action: 'renamed', message });
  }
  const rewritten = target.rewrite(tool.inputSchema, report);
  const full = describeTool(metadata, {
    notes: run.options.notes,
    remarks: rewritten.remarks,
    providerName: (other) => names.toProvider(other),
  });
  const description = shorten(full, target.maxDescription ?? Infinity);
  if (description !== full) {
    const message = `Shortened from ${full.length} to ${description.length} characters. Say the essentials first.`;
    report({ path: 'description', rule: 'description length', action: 'rewritten', message });
  }
  return { tool, name, description, rewritten, report };
}

function quarantine(metadata: ToolMetadata, error: unknown): PortabilityEntry {
  const { path, rule } = error instanceof Unportable ? error : { path: '(arguments)', rule: 'readable schema' };
  const message = error instanceof Error ? error.message : String(error);
  return { tool: metadata.name, path, rule, action: 'quarantined', message };
}

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
