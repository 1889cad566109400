import type { KindHost } from '../../kinds/kind.ts';
import { type StorePlace, workingFolder } from '../../load/data-folder.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { hostOf } from '../../platform/http/http-client.ts';
import type { ApiClient, ApiTokens } from '../../platform/oauth/api-tokens.ts';
import type { AssembleOptions } from './assemble-options.ts';

/** The parts of the host that one reading of the files decides. */
interface HostParts {
  readonly files: readonly LoadedFile[];
  readonly place: StorePlace;
}

/** Makes the host of kinds. Features replace parts of it. */
export function createHost(options: AssembleOptions, { files, place }: HostParts): Omit<KindHost, 'knowledge'> {
  const { env, outputs, processes, closed, ask, board, clients, secretLists } = options;
  const { folder: data } = place;
  const tokens = new Map<string, Promise<ApiTokens>>();
  return {
    env,
    cwd: workingFolder(files, options),
    data,
    outputs,
    spawner: undefined,
    processes,
    prefix: [],
    closed,
    programs: board,
    ask,
    serverTool: (_entry, { server }) => ({
      tools: [],
      faults: [{ path: ['server'], message: `there is no server "${server}". There is none under mcpServers.` }],
    }),
    redact: (text) => secretLists.redactor.cut(text),
    httpClient: (named) => clients.get(named),
    apiTokens: (client) => {
      const key = JSON.stringify(client);
      const known = tokens.get(key) ?? openTokens(client, place, options);
      tokens.set(key, known);
      return known;
    },
  };
}

async function openTokens(
  client: ApiClient,
  place: StorePlace,
  { clients, secretLists, sealedStore, closed }: AssembleOptions,
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
    store: () => sealedStore(place),
    learn: (secrets) => secretLists.learn(`api ${JSON.stringify(client)}`, secrets),
  });
}
