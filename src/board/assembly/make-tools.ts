import { isDeepStrictEqual } from 'node:util';
import { inTime, toThrownFault } from '../../kinds/kind-faults.ts';
import type { EntryFault, Kind, KindHost, ToolEntry } from '../../kinds/kind.ts';
import { type BoardMode, NOT_TRUSTED } from '../../load/board-mode.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import { CODE_FILE } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';

/** An entry with its file. */
interface PlacedEntry {
  readonly entry: ToolEntry;
  readonly file: LoadedFile;
}

/** The entries of the files by name. */
export type PlacedEntries = ReadonlyMap<string, PlacedEntry>;

/** Maximum warnings about duplicate tools. */
const MAX_WARNINGS = 200;

/** Collects entries by name: the last one wins, with a warning that names both places. */
export function collectEntries(files: readonly LoadedFile[], diagnostics: Diagnostic[]): Map<string, PlacedEntry> {
  const entries = new Map<string, PlacedEntry>();
  for (const file of files) {
    for (const entry of file.entries) {
      const { name } = entry.metadata;
      // If only the created tools know their names, each place is its own.
      const isNamed = entry.kind.names(name, entry.settings) !== undefined;
      const key = isNamed ? name : `${file.file}#${entry.path.join('.')}`;
      const earlier = entries.get(key);
      if (earlier !== undefined && diagnostics.length < MAX_WARNINGS)
        diagnostics.push(warnOfTwo(name, earlier, { entry, file }));
      // Deleting first keeps the order of the file that wins.
      entries.delete(key);
      entries.set(key, { entry, file });
    }
  }
  return entries;
}

/** Warns about a duplicate tool, at the place that is used. */
function warnOfTwo(name: string, earlier: PlacedEntry, { entry, file }: PlacedEntry): Diagnostic {
  const message = `the tool "${name}" stands ${placeOf(earlier, file)} too; this one is used.`;
  return toDiagnostic({ path: [], message, severity: 'warning' }, { entry, file });
}

/** Converts a fault of an entry to a diagnostic with its place in the file. */
export function toDiagnostic(
  { path: below, message, severity = 'error' }: EntryFault,
  { entry, file }: PlacedEntry,
): Diagnostic {
  const path = [...entry.path, ...below];
  return { severity, file: file.file, path, message, place: file.locate(path) };
}

function placeOf({ entry, file }: PlacedEntry, here: LoadedFile): string {
  const line = file.locate(entry.path)?.line;
  if (file === here) return line === undefined ? 'in this file' : `in line ${line}`;
  return `in ${file.file}${line === undefined ? '' : `:${line}`}`;
}

/** The tools of an entry, with diagnostics for its author. */
interface MadeTools {
  readonly tools: readonly Tool[];
  readonly faults: readonly EntryFault[];
}

/** The tools of one reading of the files, by entry, for reuse by the next reading. */
export interface KeptTools {
  /** The parts that the tools use in addition to their entry: tools cannot be reused with another host. */
  readonly host: unknown;
  readonly entries: Map<string, { readonly entry: ToolEntry; readonly made: MadeTools }>;
}

/** The tools of entries, except those that servers run. */
export interface EntryTools {
  readonly tools: ReadonlyMap<string, PlacedEntry & { readonly tool: Tool }>;
  readonly diagnostics: readonly Diagnostic[];
  /** True when scripts were skipped because the board is opened to look. */
  readonly lacksScripts: boolean;
}

interface MakeOptions {
  readonly host: KindHost;
  readonly mode: BoardMode;
  /** The reusable tools of the previous reading. */
  readonly before: KeptTools | undefined;
  /** The tools to store for the next reading. */
  readonly kept: KeptTools;
}

/**
 * Creates the tools of entries, or reuses those of the previous reading for unchanged entries. Of two tools with the same name, the last
 * one is used, with a warning.
 */
export async function makeEntryTools(
  entries: PlacedEntries,
  { host, mode, before, kept }: MakeOptions,
): Promise<EntryTools> {
  const tools = new Map<string, PlacedEntry & { readonly tool: Tool }>();
  const diagnostics: Diagnostic[] = [];
  let lacksScripts = false;
  for (const [key, placed] of entries) {
    const { entry, file } = placed;
    // Those are created with each list of tools.
    if (entry.kind.isLive) continue;
    // A code file that a person named is run.
    if (mode === 'look' && entry.kind.runsCode && !CODE_FILE.test(file.file)) {
      const message = `the ${entry.kind.type} is not loaded, so its tools are not known: ${NOT_TRUSTED}.`;
      diagnostics.push(toDiagnostic({ path: [], severity: 'warning', message }, placed));
      lacksScripts = true;
      continue;
    }
    const known = before?.entries.get(key);
    const isSame = known !== undefined && !entry.kind.readsMore && isSameEntry(known.entry, entry);
    const made = isSame ? known.made : await makeTools(entry, host);
    kept.entries.set(key, { entry, made });
    diagnostics.push(...made.faults.map((fault) => toDiagnostic(fault, placed)));
    for (const tool of made.tools) {
      const { name } = tool.metadata;
      const other = tools.get(name);
      if (other !== undefined && other.tool !== tool) diagnostics.push(warnOfTwo(name, other, placed));
      tools.set(name, { tool, ...placed });
    }
  }
  return { tools, diagnostics, lacksScripts };
}

/** Compares two entries, ignoring their places in the file. */
function isSameEntry(one: ToolEntry, other: ToolEntry): boolean {
  return one.kind === other.kind && isDeepStrictEqual({ ...one, path: [] }, { ...other, path: [] });
}

/** Lets the kind of an entry create its tools. An error that it throws is a fault of the entry. */
export async function makeTools(entry: ToolEntry, host: KindHost): Promise<MadeTools> {
  const { kind, metadata } = entry;
  try {
    // Searches can filter by kind.
    const ready = { ...entry, metadata: { ...metadata, kind: kind.type } };
    const { tools, faults } = readMade(await inTime(kind, kind.tools(ready, host)), kind);
    const names = kind.names(metadata.name, entry.settings);
    const stray = tools.find((tool) => names?.includes(tool.metadata.name) === false);
    if (stray === undefined) return { tools, faults };
    const message = `the kind "${kind.type}" made a tool "${stray.metadata.name}" that it did not announce: its names() must give it.`;
    return { tools: [], faults: [{ path: [], message }] };
  } catch (error) {
    return { tools: [], faults: [toThrownFault(error)] };
  }
}

/** Checks the tools that a kind created: plugins may be written without types. */
function readMade(made: unknown, { type }: Kind): MadeTools {
  const { tools, faults }: { tools?: unknown; faults?: unknown } = Array.isArray(made) ? { tools: made } : Object(made);
  if (!Array.isArray(tools)) {
    const message = `the kind "${type}" must give a list of tools, made by defineTool, createTool or a class.`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  return { tools: tools.map((tool) => parseTool(tool)), faults: Array.isArray(faults) ? faults : [] };
}
