import type { LoadedFile } from '../config/loaded-file.ts';
import type { ToolEntry } from '../kinds/tool-entry.ts';

/** A config entry and the file it is written in. */
export interface FoundEntry {
  readonly entry: ToolEntry;
  /** `git.yaml:12` */
  readonly place: string;
}

/** The config entry a tool was made from; the last file wins, as on the board. */
export function findEntry(files: readonly LoadedFile[], name: string): FoundEntry | undefined {
  for (const file of files.toReversed()) {
    const entry = file.entries.findLast((candidate) => makes(candidate, name));
    if (entry === undefined) continue;
    const line = file.locate(entry.path)?.line;
    return { entry, place: line === undefined ? file.file : `${file.file}:${line}` };
  }
  return undefined;
}

function makes(entry: ToolEntry, name: string): boolean {
  switch (entry.type) {
    case 'rag':
      return entry.operations.some((operation) => `${entry.metadata.name}-${operation}` === name);
    case 'script':
      // Its tools have names of their own.
      return false;
    default:
      return entry.metadata.name === name;
  }
}
