import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '../../tool/tool.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { EntryFault, Kind, KindHost, ToolEntry } from '../../kinds/kind.ts';
import { inTime, toThrownFault } from '../../kinds/kind-faults.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** The tools of an entry, and what there is to tell its author. */
interface MadeTools {
  readonly tools: readonly Tool[];
  readonly faults: readonly EntryFault[];
}

/** The tools of one reading of the files, by entry, for the next to take over. */
export interface KeptTools {
  /** The parts that the tools use beside their entry: kept tools do not fit another host. */
  readonly host: unknown;
  readonly entries: Map<string, { readonly entry: ToolEntry; readonly made: MadeTools }>;
}

/** Makes tools, or takes over those of the reading before for an entry that did not change. */
export async function keepTools(
  key: string,
  entry: ToolEntry,
  { host, before, kept }: { readonly host: KindHost; readonly before: KeptTools | undefined; readonly kept: KeptTools },
): Promise<MadeTools> {
  const known = before?.entries.get(key);
  const isSame = known !== undefined && !entry.kind.readsMore && isSameEntry(known.entry, entry);
  const made = isSame ? known.made : await makeTools(entry, host);
  kept.entries.set(key, { entry, made });
  return made;
}

/** Compares two entries; their place in the file may differ. */
function isSameEntry(one: ToolEntry, other: ToolEntry): boolean {
  return one.kind === other.kind && isDeepStrictEqual({ ...one, path: [] }, { ...other, path: [] });
}

/** Lets the kind of an entry make its tools. What it throws is a fault of the entry. */
export async function makeTools(entry: ToolEntry, host: KindHost): Promise<MadeTools> {
  const { kind, metadata } = entry;
  try {
    // Searches can be for one kind of tool.
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

/** Checks the tools that a kind made: plugins may be written without types. */
function readMade(made: unknown, { type }: Kind): MadeTools {
  const { tools, faults }: { tools?: unknown; faults?: unknown } = Array.isArray(made) ? { tools: made } : Object(made);
  if (!Array.isArray(tools)) {
    const message = `the kind "${type}" must give a list of tools, made by defineTool, createTool or a class.`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  return { tools: tools.map((tool) => parseTool(tool)), faults: Array.isArray(faults) ? faults : [] };
}

/** A fault of an entry with its place in the file. */
export function toDiagnostic(
  { path: below, message, severity = 'error' }: EntryFault,
  entry: ToolEntry,
  file: LoadedFile,
): Diagnostic {
  const path = [...entry.path, ...below];
  return { severity, file: file.file, path, message, place: file.locate(path) };
}
