import { serversIn } from '../../../features/servers/server-sections.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { Diagnostic } from '../../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import type { ToolEntry } from '../../../kinds/kind.ts';

/** A config entry and the file it is written in. */
export interface FoundEntry {
  readonly entry: ToolEntry;
  /** `git.yaml:12` */
  readonly place: string;
}

/** Finds the config entry that a tool was made from. The last file wins, as on the board. */
export function findEntry(files: readonly LoadedFile[], name: string): FoundEntry | undefined {
  for (const file of files.toReversed()) {
    const entry = file.entries.findLast((candidate) => namesOf(candidate)?.includes(name));
    if (entry === undefined) continue;
    const line = file.locate(entry.path)?.line;
    return { entry, place: line === undefined ? file.file : `${file.file}:${line}` };
  }
  return undefined;
}

/** Returns true when a diagnostic is about this tool or the whole board, not about another tool. */
export function concerns(
  { file, path: [section, index], message }: Diagnostic,
  name: string,
  files: readonly LoadedFile[],
): boolean {
  if (section === 'mcpServers' && typeof index === 'string') return mayOffer(index, name, files);
  // Diagnostics of a policy belong to `validate`; one that names the tool explains why it is missing.
  if (section === 'policy') return message.includes(`"${name}"`);
  if (section !== 'tools' || index === undefined) return true;
  const entries = files.filter((loaded) => loaded.file === file).flatMap((loaded) => loaded.entries);
  const entry = entries.find(({ path }) => path[0] === section && path[1] === index);
  return entry === undefined || namesOf(entry)?.includes(name) !== false;
}

/** Returns true when a server may have a tool of this name. */
function mayOffer(server: string, name: string, files: readonly LoadedFile[]): boolean {
  const entry = files.map((file) => serversIn(file)[server]).findLast((one) => one !== undefined);
  const written = isPlainObject(entry) ? entry['prefix'] : undefined;
  if (isPlainObject(entry) && ('rename' in entry || 'tools' in entry)) return true;
  const prefix = typeof written === 'string' ? written : `${server.replaceAll(/[^A-Za-z0-9_-]/g, '_')}__`;
  return name.startsWith(prefix);
}

function namesOf({ kind, metadata, settings }: ToolEntry): readonly string[] | undefined {
  return kind.names(metadata.name, settings);
}
