import type { Tool } from '../../tool/tool.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { KindHost } from '../../kinds/kind.ts';
import type { EntryFault, ToolEntry } from '../../kinds/kind.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** The tools of an entry, and what there is to tell its author. */
interface MadeTools {
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Lets the kind of an entry make its tools. What it throws is a fault of the entry. */
export async function makeTools(entry: ToolEntry, file: LoadedFile, host: KindHost): Promise<MadeTools> {
  const { kind, metadata } = entry;
  try {
    // Searches can be for one kind of tool.
    const ready = { ...entry, metadata: { ...metadata, kind: kind.type } };
    const made = await kind.tools(ready, host);
    const { tools, faults } = 'tools' in made ? made : { tools: made, faults: [] };
    const names = kind.names(metadata.name, entry.settings);
    const stray = tools.find((tool) => names?.includes(tool.metadata.name) === false);
    if (stray === undefined) return { tools, diagnostics: faults.map((fault) => toDiagnostic(fault, entry, file)) };
    const message = `the kind "${kind.type}" made a tool "${stray.metadata.name}" that it did not announce: its names() must give it.`;
    return { tools: [], diagnostics: [toDiagnostic({ path: [], message }, entry, file)] };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const message = error instanceof ToolError ? text : `cannot be loaded: ${text}`;
    return { tools: [], diagnostics: [toDiagnostic({ path: [], message }, entry, file)] };
  }
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
