import type { KindHost } from '../../kinds/kind.ts';
import type { SecretLists } from '../../guard/secrets/secret-lists.ts';
import type { ApiClient, ApiTokens } from '../../platform/oauth/api-tokens.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import { hostOf, type HttpClients } from './http-clients.ts';

/** What one reading of the files decides. */
type HostParts = Pick<KindHost, 'data' | 'serverTool'>;

/** What the board decides, and no file. */
interface HostOptions extends Pick<KindHost, 'env' | 'cwd' | 'outputs' | 'processes' | 'closed' | 'ask'> {
  /** The board itself, once it stands: programs that are tools run on it. */
  readonly board: KindHost['programs'];
  /** Where tokens are kept; opened when one is needed. */
  readonly tokenStore: () => SealedStore;
  readonly clients: HttpClients;
  readonly secretLists: SecretLists;
}

/** Makes what a board lends its kinds. */
export function createHost(options: HostOptions, parts: HostParts): Omit<KindHost, 'knowledge'> {
  const { data, serverTool } = parts;
  const { env, cwd, outputs, processes, closed, ask, board, clients, secretLists } = options;
  const tokens = new Map<string, Promise<ApiTokens>>();
  return {
    env,
    cwd,
    data,
    outputs,
    spawner: undefined,
    processes,
    prefix: [],
    closed,
    programs: board,
    ask,
    serverTool,
    redact: (text) => secretLists.redactor.cut(text),
    httpClient: (named) => clients.get(named),
    apiTokens: (client) => {
      const key = JSON.stringify(client);
      const known = tokens.get(key) ?? openTokens(client, data, options);
      tokens.set(key, known);
      return known;
    },
  };
}

async function openTokens(
  client: ApiClient,
  data: string,
  { clients, secretLists, tokenStore, closed }: HostOptions,
): Promise<ApiTokens> {
  const [{ ApiTokens }, { createOAuthHttp }, { SYSTEM_CLOCK }] = await Promise.all([
    import('../../platform/oauth/api-tokens.ts'),
    import('../../platform/oauth/oauth-http.ts'),
    import('../../platform/http/retry-request.ts'),
  ]);
  const { issuer, tokenUrl, deviceUrl, authorizeUrl } = client;
  const [first = 'https://localhost', ...others] = [tokenUrl, issuer, deviceUrl, authorizeUrl].filter(
    (url) => url !== undefined,
  );
  return new ApiTokens({
    client,
    http: createOAuthHttp([first, ...others], (url) => clients.get(url === undefined ? [] : [hostOf(url)]).connect()),
    clock: SYSTEM_CLOCK,
    closed,
    store: tokenStore,
    learn: (secrets) => secretLists.learn(`api ${JSON.stringify(client)}`, secrets),
  });
}
