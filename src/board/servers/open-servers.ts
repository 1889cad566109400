import type { OpenServersOptions } from './open-live-servers.ts';
import type { ConfiguredServer } from './read-servers.ts';
import type { Servers } from './live-servers.ts';

const NO_SERVERS: Servers = {
  servers: [],
  askAll: async () => {},
  report: () => [],
  ownersOf: () => [],
  tools: () => ({ tools: [], diagnostics: [], remarks: [], changes: [], instructions: new Map(), lists: new Map() }),
  offers: () => undefined,
  originOf: () => undefined,
  single: (_entry, { server }) => ({
    tools: [],
    faults: [{ path: ['server'], message: `there is no server "${server}". There is none under mcpServers.` }],
  }),
};

/** Takes up the servers of the files. What talks to them is loaded only where there is one. */
export async function openServers(configs: readonly ConfiguredServer[], options: OpenServersOptions): Promise<Servers> {
  if (configs.length === 0) return NO_SERVERS;
  const { openLiveServers } = await import('./open-live-servers.ts');
  return openLiveServers(configs, options);
}
