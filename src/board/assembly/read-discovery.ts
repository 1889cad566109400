import { nearestNames } from '../../tool/texts/suggest.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** Which tools for finding others a board has: none, its own, those CLImax's clients know, or those of code mode. */
export type DiscoveryTools = boolean | 'climax' | 'code';

/** What the files say about how agents find tools. */
export interface DiscoverySettings {
  /** The last file that says something wins; `undefined` when none does. */
  readonly tools: DiscoveryTools | undefined;
  /** Tools that stay listed in every mode, in the order of the files. */
  readonly pinned: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the `discovery` sections. A pinned name that no tool has is reported with the nearest. */
export function readDiscovery(files: readonly LoadedFile[], tools: readonly Tool[]): DiscoverySettings {
  const names = tools.map(({ metadata }) => metadata.name);
  const known = new Set(names);
  const servers = files.flatMap(({ mcpServers }) => Object.keys(mcpServers));
  const diagnostics: Diagnostic[] = [];
  const pinned = new Set<string>();
  let wanted: DiscoveryTools | undefined;
  for (const file of files) {
    const { tools: own, pinned: listed } = file.discovery;
    // The file was checked against its schema.
    if (typeof own === 'boolean' || own === 'climax' || own === 'code') wanted = own;
    for (const [position, name] of (Array.isArray(listed) ? listed : []).entries()) {
      if (typeof name !== 'string') continue;
      pinned.add(name);
      // A server's tools may come later.
      if (known.has(name) || servers.length > 0) continue;
      const path = ['discovery', 'pinned', position];
      const [nearest] = nearestNames(name, names, 1);
      const hint =
        nearest === undefined
          ? `The board has ${names.length} ${names.length === 1 ? 'tool' : 'tools'}.`
          : `Did you mean "${nearest}"?`;
      const message = `there is no tool "${name}" to pin. ${hint}`;
      diagnostics.push({ severity: 'warning', file: file.file, path, message, place: file.locate(path) });
    }
  }
  return { tools: wanted, pinned: [...pinned], diagnostics };
}
