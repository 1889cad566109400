import type { Ask } from '../../tool/calls/ask.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import type { SecretLists } from '../../guard/secrets/secret-lists.ts';
import { openManifestCache } from '../../mcp/client/offers/manifest-cache.ts';
import { UpstreamPool } from '../../mcp/client/upstream-pool.ts';
import type { UpstreamResources } from '../../mcp/client/upstream-resources.ts';
import { createHttpClients, hostOf } from '../assembly/http-clients.ts';
import { LiveServers, type Servers } from './live-servers.ts';
import type { ConfiguredServer } from './read-servers.ts';

/** What servers need of their board. */
export interface OpenServersOptions {
  /** The folder for what the board keeps. */
  readonly data: string;
  readonly allowHosts: readonly string[];
  readonly secretLists: SecretLists;
  /** Where tokens are kept; opened when one is needed. */
  readonly tokenStore: () => SealedStore;
  /** Tells the board from others with the same data folder. */
  readonly board: string;
  readonly ask: Ask;
  /** The servers that run; made with the first one. */
  readonly pool: (make: () => UpstreamPool) => UpstreamPool;
}

/** Takes up the servers of the files, of which there is one at least. All that this needs is loaded with it, as one file. */
export async function openLiveServers(
  configs: readonly ConfiguredServer[],
  options: OpenServersOptions,
): Promise<Servers> {
  // A server outlives the reading of the files that started it: its host holds nothing of that reading.
  const { data, board, allowHosts, secretLists, tokenStore, ask } = options;
  const isForUsers = configs.some(({ settings }) => settings.auth === 'user');
  const users = isForUsers ? await import('../../mcp/client/oauth/user-auth.ts') : undefined;
  const redact = (text: string): string => secretLists.redactor.text(text);
  const createHost = (): UpstreamResources => {
    const clients = createHttpClients(allowHosts);
    return {
      cache: openManifestCache(data, redact, board),
      redact,
      learn: (source, secrets) => secretLists.learn(source, secrets),
      dispatcher: (url) => clients.get([hostOf(url)]).connect(),
      publicDispatcher: () => clients.get([]).connect(),
      tokenStore,
      ask,
      close: () => clients.close(),
    };
  };
  const pool = options.pool(() => new UpstreamPool());
  return new LiveServers(configs, { pool, createHost, usersOf: users?.usersOf });
}
