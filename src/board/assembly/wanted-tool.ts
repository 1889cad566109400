import type { WantedTool } from '../../load/features/tool-list.ts';
import type { PlacedEntries } from './list-parts.ts';

/** Describes a tool that is not on the board: an entry of its name tells which servers it needs. */
export function wantedTool(name: string, entries: PlacedEntries): WantedTool {
  for (const { entry } of entries.values()) {
    const { kind, metadata } = entry;
    if (!kind.isLive || (metadata.name !== name && metadata.aliases?.includes(name) !== true)) continue;
    return { name, servers: new Set(kind.uses(entry).map((use) => use.name)) };
  }
  return { name };
}
