import type { Elicit } from '../../tool/calls/elicitation.ts';
import type { OAuthLogin } from '../../platform/oauth/oauth-settings.ts';
import type { UpstreamResources } from '../../mcp/client/upstream-resources.ts';
import type { UpstreamPool } from '../../mcp/client/upstream-pool.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import { createHttpClients, hostOf } from '../assembly/http-clients.ts';
import type { ConfiguredServer } from './read-servers.ts';
import type { SecretLists } from '../../guard/secrets/secret-lists.ts';
import type { Servers } from './live-servers.ts';

interface OpenServersOptions {
  /** The folder for what the board keeps. */
  readonly data: string;
  readonly allowHosts: readonly string[];
  readonly secretLists: SecretLists;
  /** Where tokens are kept; opened when one is needed. */
  readonly tokenStore: () => SealedStore;
  readonly elicit: Elicit | undefined;
  readonly login: OAuthLogin | undefined;
  readonly pool: () => Promise<UpstreamPool>;
}

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
  // A server outlives the reading of the files that started it: its host holds nothing of that reading.
  const { data, allowHosts, secretLists, tokenStore, elicit, login } = options;
  const [pool, { LiveServers }, { openManifestCache }] = await Promise.all([
    options.pool(),
    import('./live-servers.ts'),
    import('../../mcp/client/offers/manifest-cache.ts'),
  ]);
  const isForUsers = configs.some(({ settings }) => settings.auth === 'user');
  const users = isForUsers ? await import('../../mcp/client/oauth/user-auth.ts') : undefined;
  const redact = (text: string): string => secretLists.redactor.text(text);
  const createHost = (): UpstreamResources => {
    const clients = createHttpClients(allowHosts);
    return {
      cache: openManifestCache(data, redact),
      redact,
      learn: (source, secrets) => secretLists.learn(source, secrets),
      dispatcher: (url) => clients.get([hostOf(url)]).connect(),
      publicDispatcher: () => clients.get([]).connect(),
      tokenStore,
      login,
      close: () => clients.close(),
    };
  };
  return new LiveServers(configs, { pool, elicit, createHost, usersOf: users?.usersOf });
}
