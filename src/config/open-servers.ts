import type { Elicit } from '../core/elicitation.ts';
import { redactKnown } from '../execute/redact.ts';
import type { KindHost } from '../kinds/kind-host.ts';
import type { OAuthLogin } from '../mcp/upstream/oauth/oauth-settings.ts';
import type { UpstreamPool } from '../mcp/upstream/upstream-pool.ts';
import { type BoardStore, openBoardStore } from '../store/board-store.ts';
import type { ConfiguredServer } from './read-servers.ts';
import type { Servers } from './server-board.ts';

interface OpenServersOptions {
  readonly host: KindHost;
  readonly secrets: readonly string[];
  /** Takes up what must not be shown either, from now on. */
  readonly learn: (source: string, secrets: readonly string[]) => void;
  readonly elicit: Elicit | undefined;
  readonly login: OAuthLogin | undefined;
  readonly pool: () => Promise<UpstreamPool>;
}

const NO_SERVERS: Servers = {
  servers: [],
  prepare: async () => [],
  tools: () => ({ tools: [], diagnostics: [], remarks: [] }),
  single: (entry, file) => {
    const path = [...entry.path, 'server'];
    const message = `there is no server "${entry.server}". There is none under mcpServers.`;
    return { severity: 'error', file: file.file, path, message, place: file.locate(path) };
  },
};

/** Takes up the servers of the files. What talks to them is loaded only where there is one. */
export async function openServers(configs: readonly ConfiguredServer[], options: OpenServersOptions): Promise<Servers> {
  if (configs.length === 0) return NO_SERVERS;
  const { host, secrets, learn, elicit, login } = options;
  const [pool, { ServerBoard }, { openManifestCache }] = await Promise.all([
    options.pool(),
    import('./server-board.ts'),
    import('../mcp/upstream/manifest-cache.ts'),
  ]);
  const redact = (text: string): string => redactKnown(text, secrets);
  const dispatcher = (url: string): ReturnType<ReturnType<KindHost['httpClient']>['connect']> =>
    host.httpClient([hostOf(url)]).connect();
  let store: BoardStore | undefined;
  host.closed.addEventListener('abort', () => store?.close(), { once: true });
  return new ServerBoard(configs, {
    pool,
    elicit,
    host: {
      cache: openManifestCache(host.data, redact),
      redact,
      learn,
      dispatcher,
      publicDispatcher: () => host.httpClient([]).connect(),
      tokenStore: () => (store ??= openBoardStore({ folder: host.data })).space('oauth'),
      login,
    },
  });
}

/** `host:port` of an address in the config, which requests may reach whatever it is. */
function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
