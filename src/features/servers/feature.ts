import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import { lock } from '../lock/feature.ts';
import { policy } from '../policy/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { ServersApi } from './open-servers.ts';
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
  async open({ mcpServers: written }, host, before?: OpenFeature<ServersApi>) {
    const { openServers } = await import('./open-servers.ts');
    return openServers(written, {
      host,
      lock: host.feature(lock),
      policy: host.feature(policy),
      before: before?.api,
    });
  },
  commands: inGroup('Servers', {
    'mcp add': { summary: 'Add an MCP server to the board', load: () => import('./commands/mcp-add.ts') },
    'mcp list': { summary: 'List the MCP servers of the board', load: () => import('./commands/mcp-list.ts') },
    'mcp import': {
      summary: 'Import the MCP servers of other clients',
      load: () => import('./commands/mcp-import.ts'),
    },
    'mcp remove': { summary: 'Remove an MCP server from the board', load: () => import('./commands/mcp-remove.ts') },
    'mcp update': {
      summary: 'Compare a newer version of a server, then install it',
      load: () => import('./commands/mcp-update.ts'),
    },
    uninstall: {
      summary: 'Remove the board from clients and restore their servers',
      load: () => import('./commands/uninstall.ts'),
    },
  }),
});
