import { isForModels } from '../tool/app-pages.ts';
import { wordsForModel } from '../tool/server-words.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import { answerCalls, readCalls } from './calls.ts';
import { describeTool, shorten } from './describe-tool.ts';
import {
  type Exporter,
  type ExporterDefinition,
  type ExportOptions,
  type ExportResult,
  listTools,
  type ToolSource,
} from './exporter.ts';
import { createNameTable, type NameTable } from './name-table.ts';
import { createReport, type PortabilityEntry } from './portability-report.ts';
import { type ReportChange, Unportable } from './rewrite/rewrite-context.ts';
import { rewriteSchema, type RewrittenSchema } from './rewrite/rewrite-schema.ts';
import { messageOf } from '../tool/texts/message-of.ts';

/**
 * Creates an exporter from a provider's rules. The name table, the rewriting of schemas and arguments, and the report are the
 * same for all.
 * @example
 * const acme = defineExporter({
 *   format: 'acme',
 *   provider: 'Acme',
 *   names: { character: /[a-z_]/, maxLength: 32 },
 *   schema: { accepts: 'subset', keywords: ['minimum', 'maximum'], unions: false },
 *   writeTool: ({ name, description, schema }) => ({ name, about: description, input: schema }),
 *   findCalls: (response) => (Array.isArray(response) ? response.map(({ id, name, input }) => ({ id, name, args: input })) : []),
 *   writeResults: (answers) => answers.map(({ id, result }) => ({ id, output: resultText(result) })),
 * });
 */
export function defineExporter<T, R, O extends ExportOptions = ExportOptions>(
  definition: ExporterDefinition<T, O, R>,
): Exporter<T, O, R> {
  // Exporters without options have only optional ones.
  const withDefaults = (options: O | undefined): O => options ?? ({} as O);
  return {
    ...definition,
    export: (tools, options) => exportTools(tools, definition, withDefaults(options)),
    parseCalls: (response, exported) => readCalls(definition.findCalls(response), exported),
    toResults: (calls, results, options) =>
      definition.writeResults(answerCalls(calls, results, options?.exported?.names), withDefaults(options)),
  };
}

function exportTools<T, O extends ExportOptions>(
  source: ToolSource,
  definition: ExporterDefinition<T, O>,
  options: O,
): ExportResult<T> {
  const list = listTools(source)
    .filter((tool) => definition.keepsPageTools === true || isForModels(tool))
    .map(wordsForModel);
  const names = createNameTable(
    list.map((tool) => tool.metadata.name),
    definition.names,
  );
  const rules = typeof definition.schema === 'function' ? definition.schema(options) : definition.schema;
  const entries: PortabilityEntry[] = [];
  const written = new Map<string, RewrittenSchema>();
  const tools = list.flatMap((tool) => {
    const own: PortabilityEntry[] = [];
    const report: ReportChange = (entry) => own.push({ tool: tool.metadata.name, ...entry });
    try {
      const name = chooseName(tool.metadata, { names, provider: definition.provider, report });
      const rewritten = rewriteSchema(tool.inputSchema, rules, { provider: definition.provider, report });
      const { remarks, schema } = rewritten;
      const description = writeDescription(tool.metadata, {
        notes: options.notes,
        remarks,
        names,
        maxLength: definition.maxDescription,
        report,
      });
      if (written.has(name)) {
        throw new Unportable('name', 'unique name', 'Another tool in the list has this name. Rename one of them.');
      }
      const translate = (input: unknown): unknown => rewritten.translate(input);
      const built = definition.writeTool({ tool, name, description, schema, translate, report }, options);
      written.set(name, rewritten);
      entries.push(...own);
      return [built];
    } catch (error) {
      entries.push(quarantine(tool.metadata, error));
      return [];
    }
  });
  return {
    tools,
    names,
    report: createReport(entries),
    restore: (providerName, args) => {
      const rewritten = written.get(providerName);
      return {
        name: names.toOriginal(providerName) ?? providerName,
        input: rewritten ? rewritten.restore(args) : args,
      };
    },
  };
}

function chooseName(
  metadata: ToolMetadata,
  { names, provider, report }: { readonly names: NameTable; readonly provider: string; readonly report: ReportChange },
): string {
  const name = names.toProvider(metadata.name) ?? metadata.name;
  if (name !== metadata.name) {
    const message = `${provider} sees it as "${name}"; calls are mapped back.`;
    report({ path: 'name', rule: 'tool name', action: 'renamed', message });
  }
  return name;
}

function writeDescription(
  metadata: ToolMetadata,
  options: {
    readonly notes: boolean | undefined;
    readonly remarks: readonly string[];
    readonly names: NameTable;
    readonly maxLength: number | undefined;
    readonly report: ReportChange;
  },
): string {
  const { notes, remarks, names, maxLength = Infinity, report } = options;
  const full = describeTool(metadata, { notes, remarks, providerName: (other) => names.toProvider(other) });
  const description = shorten(full, maxLength);
  if (description !== full) {
    const message = `Shortened from ${full.length} to ${description.length} characters. Put the essentials first.`;
    report({ path: 'description', rule: 'description length', action: 'rewritten', message });
  }
  return description;
}

function quarantine(metadata: ToolMetadata, error: unknown): PortabilityEntry {
  const { path, rule } = error instanceof Unportable ? error : { path: '(arguments)', rule: 'readable schema' };
  const message = messageOf(error);
  return { tool: metadata.name, path, rule, action: 'quarantined', message };
}
