import { defineFeature } from '../../load/features/feature.ts';
import { lock } from '../lock/feature.ts';
import { policy } from '../policy/feature.ts';
import type { OpenServers } from './open-servers.ts';
import { serverSections } from './server-sections.ts';

/** Other MCP servers on the board: `mcpServers` of board files. Their tools may come after the board is open. */
export const servers = defineFeature({
  name: 'servers',
  sections: serverSections,
  needs: [lock, policy],
  async check({ mcpServers: written }, context) {
    const { checkServers } = await import('./check-servers.ts');
    return checkServers(written, context);
  },
  async open({ mcpServers: written }, host, before?: OpenServers) {
    const { openServers } = await import('./open-servers.ts');
    return openServers(written, {
      host,
      lock: host.feature(lock),
      policy: host.feature(policy),
      before: before?.api,
    });
  },
});
