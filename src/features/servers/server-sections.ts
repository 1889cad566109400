import { isPlainObject } from '../../tool/json.ts';
import { builtInSection, type SectionValue } from '../../load/features/built-in-section.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** The servers of board files by name, as written. */
export type WrittenServers = SectionValue<'mcpServers'>;

/** The section with other MCP servers. */
export const serverSections = { mcpServers: builtInSection('mcpServers', 'keys') };

/** Returns the servers of a file by name, as they are written. */
export function serversIn({ sections }: Pick<LoadedFile, 'sections'>): WrittenServers {
  const { mcpServers } = sections;
  // The file was checked against the schema of servers.
  return isPlainObject(mcpServers) ? (mcpServers as WrittenServers) : {};
}
