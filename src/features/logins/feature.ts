import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';

/** Logins to the APIs and servers of a board. */
export const logins = defineFeature({
  name: 'logins',
  builtInCommands: inGroup('Servers', {
    'mcp login': { summary: 'Log in to an MCP server', load: () => import('./commands/login.ts') },
    login: { summary: 'Log in to an API or an MCP server of the board', load: () => import('./commands/login.ts') },
  }),
  open: () => ({}),
});
