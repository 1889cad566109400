import { defineFeature } from '../../load/features/feature.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import { findLogins, openTokens } from './find-logins.ts';

/** The APIs that a person logs in to, and their tokens. Tool entries name them; `pegboard login` uses them. */
export const logins = defineFeature({
  name: 'logins',
  isWanted: () => true,
  open(_, host) {
    const apiTokens = openTokens(host);
    return { api: () => findLogins(host.board().list.entries, apiTokens), kindHost: { apiTokens } };
  },
  commands: inGroup('Servers', {
    'mcp login': { summary: 'Log in to an MCP server', load: () => import('./commands/login.ts') },
    login: { summary: 'Log in to an API or an MCP server of the board', load: () => import('./commands/login.ts') },
  }),
});
