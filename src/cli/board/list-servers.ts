import { readdirSync } from 'node:fs';
import { createAsk } from '../../board/ask/create-ask.ts';
import { openServers } from '../../board/servers/open-servers.ts';
import type { Servers } from '../../board/servers/live-servers.ts';
import { type ConfiguredServer, readServers } from '../../board/servers/read-servers.ts';
import { SecretLists } from '../../guard/secrets/secret-lists.ts';
import type { BoardMode } from '../../load/board-mode.ts';
import { boardName, dataFolder, homeFolder } from '../../load/data-folder.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { CliContext } from '../cli-context.ts';
import { tellUnasked } from './meet-servers.ts';

interface ServerListing {
  readonly tools: readonly ToolMetadata[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Lists the tools that the servers last offered, from the cache; `taken` are names already in use.
 *
 * Returns `undefined` where only an open board can tell: there is a lock, a server must be asked, or an entry is wrong.
 */
export async function listServers(
  files: readonly LoadedFile[],
  taken: ReadonlySet<string>,
  { context, wait, mode }: { readonly context: CliContext; readonly wait: boolean; readonly mode: BoardMode },
): Promise<ServerListing | undefined> {
  const { cwd, env, stderr } = context;
  const { servers: configs, diagnostics } = readServers(files, { cwd, env });
  const isLocked =
    configs.some(({ lock }) => lock !== undefined) ||
    readdirSync(homeFolder(files, cwd)).some((name) => name.endsWith('pegboard.lock'));
  if (isLocked || diagnostics.some(({ severity }) => severity === 'error')) return undefined;
  const board = await openCachedServers(configs, files, context);
  const unknown = board.servers.filter(({ manifest }) => manifest === undefined);
  if (unknown.length > 0 && (wait || (stderr.isTTY === true && mode === 'run'))) return undefined;
  if (unknown.length > 0) {
    tellUnasked(
      unknown.map(({ settings: { name }, status: { failure } }) => ({ name, failure })),
      context,
    );
  }
  const { tools, diagnostics: told, changes } = board.tools(taken);
  return {
    tools: tools.map(({ tool }) => tool.metadata),
    diagnostics: [...diagnostics, ...board.report('cached'), ...told, ...changes],
  };
}

/** Opens servers with their cached lists of tools. Starts none. */
export async function openCachedServers(
  configs: readonly ConfiguredServer[],
  files: readonly LoadedFile[],
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
): Promise<Servers> {
  const secretLists = new SecretLists();
  secretLists.open(files.flatMap((file) => file.secrets()));
  return openServers(configs, {
    data: dataFolder(files, { data: undefined, env, cwd }),
    board: boardName(files, cwd),
    allowHosts: [],
    secretLists,
    tokenStore: () => {
      throw new Error('A listing keeps nothing.');
    },
    ask: createAsk({}),
    pool: (make) => make(),
  });
}
