import type { ToolEntry } from '../../kinds/kind.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** The most tools that stand twice that are told about. */
const MAX_WARNINGS = 200;

/** Entries by name: the last one wins, with a warning that names both places. */
export function collectEntries(
  files: readonly LoadedFile[],
  diagnostics: Diagnostic[],
): Map<string, { entry: ToolEntry; file: LoadedFile }> {
  const entries = new Map<string, { entry: ToolEntry; file: LoadedFile }>();
  for (const file of files) {
    for (const entry of file.entries) {
      const { name } = entry.metadata;
      // Where only the made tools know their names, each place is its own.
      const isNamed = entry.kind.names(name, entry.settings) !== undefined;
      const key = isNamed ? name : `${file.file}#${entry.path.join('.')}`;
      const earlier = entries.get(key);
      if (earlier !== undefined && diagnostics.length < MAX_WARNINGS) {
        const message = `the tool "${name}" stands ${placeOf(earlier, file)} too; this one is used.`;
        const place = file.locate(entry.path);
        diagnostics.push({ severity: 'warning', file: file.file, path: entry.path, message, place });
      }
      // Deleting first keeps the order of the file that wins.
      entries.delete(key);
      entries.set(key, { entry, file });
    }
  }
  return entries;
}

function placeOf({ entry, file }: { readonly entry: ToolEntry; readonly file: LoadedFile }, here: LoadedFile): string {
  const line = file.locate(entry.path)?.line;
  if (file === here) return line === undefined ? 'in this file' : `in line ${line}`;
  return `in ${file.file}${line === undefined ? '' : `:${line}`}`;
}
