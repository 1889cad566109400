import type { EntryFault, ToolEntry } from '../../kinds/kind.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** An entry with its file. */
export interface PlacedEntry {
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
export function warnOfTwo(name: string, earlier: PlacedEntry, { entry, file }: PlacedEntry): Diagnostic {
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
