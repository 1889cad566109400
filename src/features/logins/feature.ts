import type { ToolEntry } from '../../kinds/kind.ts';
import { inGroup } from '../../load/features/feature-command.ts';
import { defineFeature, type FeatureHost } from '../../load/features/feature.ts';
import { hostOf } from '../../platform/http/http-client.ts';
import type { ApiClient, ApiTokens } from '../../platform/oauth/api-tokens.ts';
import type { OAuthLogin } from '../../platform/oauth/oauth-settings.ts';

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

/** An API of the config that a person logs in to. */
export interface BoardLogin {
  readonly name: string;
  /** With a code on any device, or in a browser on this machine. */
  readonly grant: 'device' | 'authorization_code';
  /** The names of the tools that need it. */
  readonly tools: readonly string[];
  /** True when no login is needed: someone is logged in, and the login is valid as far as known here. */
  readonly isReady: boolean;
  /** Lets a person log in. Rejects when that fails. */
  login(person: OAuthLogin, signal: AbortSignal): Promise<void>;
  /** Deletes the stored token without notifying the authorization server. Returns false without one. */
  forget(): Promise<boolean>;
}

/** Returns the tokens of an API, one object for all tools with the same client. */
type TokensOf = (client: ApiClient) => Promise<ApiTokens>;

/** Opens the tokens of APIs for a board. */
function openTokens(host: FeatureHost): TokensOf {
  const tokens = new Map<string, Promise<ApiTokens>>();
  return (client) => {
    const key = JSON.stringify(client);
    const known = tokens.get(key) ?? createTokens(client, host);
    tokens.set(key, known);
    return known;
  };
}

async function createTokens(client: ApiClient, host: FeatureHost): Promise<ApiTokens> {
  const [{ ApiTokens }, { createOAuthHttp }, { SYSTEM_CLOCK }] = await Promise.all([
    import('../../platform/oauth/api-tokens.ts'),
    import('../../platform/oauth/oauth-http.ts'),
    import('../../platform/http/retry-request.ts'),
  ]);
  const { clients, secretLists, closed } = host;
  const { issuer, tokenUrl, deviceUrl, authorizeUrl } = client;
  const [first = 'https://localhost', ...others] = [tokenUrl, issuer, deviceUrl, authorizeUrl].filter(
    (url) => url !== undefined,
  );
  return new ApiTokens({
    client,
    http: createOAuthHttp([first, ...others], (url) => clients.get(url === undefined ? [] : [hostOf(url)]).connect()),
    clock: SYSTEM_CLOCK,
    closed,
    store: () => host.sealedStore(),
    learn: (secrets) => secretLists.learn(`api ${JSON.stringify(client)}`, secrets),
  });
}

/** Finds the logins of entries, each once. */
async function findLogins(entries: Iterable<ToolEntry>, tokensOf: TokensOf): Promise<BoardLogin[]> {
  const clients = new Map<string, { readonly client: ApiClient; readonly tools: Set<string> }>();
  for (const entry of entries) {
    for (const client of entry.kind.logins?.(entry) ?? []) {
      const key = JSON.stringify(client);
      const known = clients.get(key) ?? { client, tools: new Set() };
      clients.set(key, known);
      known.tools.add(entry.metadata.name);
    }
  }
  return Promise.all(
    [...clients.values()].map(async ({ client, tools }) => {
      const tokens = await tokensOf(client);
      return {
        name: client.name,
        grant: client.grant === 'device' ? 'device' : 'authorization_code',
        tools: [...tools],
        isReady: await tokens.isReady(),
        login: (person, signal) => tokens.login(person, signal),
        forget: () => tokens.forget(),
      } satisfies BoardLogin;
    }),
  );
}
