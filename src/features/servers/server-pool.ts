import type { FeatureHost } from '../../load/features/feature.ts';
import { openManifestCache } from '../../mcp/client/offers/manifest-cache.ts';
import type { PackageHost } from '../../mcp/client/packages/package-installs.ts';
import { UpstreamPool } from '../../mcp/client/upstream-pool.ts';
import type { UpstreamResources } from '../../mcp/client/upstream-resources.ts';
import { createHttpClients, hostOf } from '../../platform/http/http-client.ts';
import { LiveServers } from './live-servers.ts';
import type { ConfiguredServer } from './read-servers.ts';

/** The parts of a board that its servers use. */
export interface ServerParts {
  readonly pool: UpstreamPool;
  readonly host: Pick<FeatureHost, 'data' | 'boardName' | 'secretLists' | 'sealedStore' | 'options' | 'ask'>;
}

/** Takes servers from a pool: those that run already, and new ones. */
export async function takeServers(
  configs: readonly ConfiguredServer[],
  { pool, host }: ServerParts,
): Promise<LiveServers> {
  // A server outlives the settings that started it: its resources hold nothing of them.
  const { data, boardName, secretLists, options, ask } = host;
  const isForUsers = configs.some(({ settings }) => settings.auth === 'user');
  const users = isForUsers ? await import('../../mcp/client/oauth/user-auth.ts') : undefined;
  const redact = (text: string): string => secretLists.redactor.text(text);
  const lease: PackageHost['lease'] = async (name) => {
    const { holdLease } = await import('../../platform/jobs/hold-lease.ts');
    return holdLease(host.sealedStore(), name);
  };
  const createHost = (): UpstreamResources => {
    const clients = createHttpClients(options.allowHosts ?? []);
    return {
      cache: openManifestCache(data, redact, boardName),
      redact,
      learn: (source, secrets) => secretLists.learn(source, secrets),
      dispatcher: (url) => clients.get([hostOf(url)]).connect(),
      publicDispatcher: () => clients.get([]).connect(),
      tokenStore: () => host.sealedStore(),
      ask,
      packages: { data, installs: pool.installs, lease },
      close: () => clients.close(),
    };
  };
  return new LiveServers(configs, { pool, createHost, usersOf: users?.usersOf });
}

/** The servers that run, shared by the settings of a board that calls in flight began on. */
export class ServerPool {
  readonly pool = new UpstreamPool();
  /** Tools that are being put on the board: a call of one of them waits. */
  readonly arriving = new Set<Promise<unknown>>();
  readonly #users = new Set<LiveServers>();

  use(servers: LiveServers): void {
    this.#users.add(servers);
  }

  /** Ends the servers that no other settings use, once their calls are over. */
  release(servers: LiveServers): void {
    this.#users.delete(servers);
    this.pool.keepOnly([...this.#users].flatMap((one) => one.servers));
  }
}
