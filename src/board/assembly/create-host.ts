import type { KindHost } from '../../kinds/kind.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { type StorePlace, workingFolder } from '../../load/data-folder.ts';
import type { BoardSetup } from '../board-setup.ts';
import type { OpenedFeature } from '../features/board-features.ts';

/** The parts of the host that one reading of the files decides. */
interface HostParts {
  readonly files: readonly LoadedFile[];
  readonly place: StorePlace;
  readonly features: readonly OpenedFeature[];
}

/** Makes the host of kinds from the board and its features. */
export function createHost(setup: BoardSetup, { files, place, features }: HostParts): KindHost {
  const { resources, env, ask } = setup;
  const { outputs, processes, closed, clients, secretLists } = resources;
  type Lent = Pick<KindHost, 'knowledge' | 'apiTokens' | 'programs'> & Partial<KindHost>;
  // Features that every board has lend these parts.
  const lent = Object.assign({}, ...features.map(({ open }) => open.kindHost)) as Lent;
  return {
    env,
    cwd: workingFolder(files, setup),
    data: place.folder,
    outputs,
    spawner: undefined,
    processes,
    prefix: [],
    closed,
    ask,
    redact: (text) => secretLists.redactor.cut(text),
    httpClient: (named) => clients.get(named),
    // A board without servers does not open their feature.
    serverTool: (_entry, { server }) => ({
      tools: [],
      faults: [{ path: ['server'], message: `there is no server "${server}". There is none under mcpServers.` }],
    }),
    ...lent,
  };
}
