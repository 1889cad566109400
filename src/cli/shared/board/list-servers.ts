import { readdirSync } from 'node:fs';
import { createAsk } from '../../../board/ask/create-ask.ts';
import type { LiveServers } from '../../../features/servers/live-servers.ts';
import { type ConfiguredServer, readServers } from '../../../features/servers/read-servers.ts';
import { takeServers } from '../../../features/servers/server-pool.ts';
import { serverSections } from '../../../features/servers/server-sections.ts';
import { SecretLists } from '../../../guard/secrets/secret-lists.ts';
import type { BoardMode } from '../../../load/board-mode.ts';
import { boardName, dataFolder, homeFolder, workingFolder } from '../../../load/data-folder.ts';
import type { Diagnostic } from '../../../load/diagnostics/diagnostic.ts';
import { mergeSections } from '../../../load/features/section.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { UpstreamPool } from '../../../mcp/client/upstream-pool.ts';
import type { ToolMetadata } from '../../../tool/tool-metadata.ts';
import type { CliContext } from '../cli-context.ts';
import { noteUnasked } from './meet-servers.ts';

interface ServerListing {
  readonly tools: readonly ToolMetadata[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Lists the tools that the servers last offered, from the cache; `taken` contains names already in use.
 *
 * Returns `undefined` if only an open board can tell: there is a lock, a server must be contacted, or an entry is invalid.
 */
export async function listServers(
  files: readonly LoadedFile[],
  taken: ReadonlySet<string>,
  { context, wait, mode }: { readonly context: CliContext; readonly wait: boolean; readonly mode: BoardMode },
): Promise<ServerListing | undefined> {
  const { cwd, stderr } = context;
  const { servers: configs, diagnostics } = readServersOf(files, context);
  const isLocked =
    configs.some(({ lock }) => lock !== undefined) ||
    readdirSync(homeFolder(files, cwd)).some((name) => name.endsWith('pegboard.lock'));
  if (isLocked || diagnostics.some(({ severity }) => severity === 'error')) return undefined;
  const board = await openCachedServers(configs, files, context);
  const unknown = board.servers.filter(({ manifest }) => manifest === undefined);
  if (unknown.length > 0 && (wait || (stderr.isTTY === true && mode === 'run'))) return undefined;
  if (unknown.length > 0) {
    noteUnasked(
      unknown.map(({ settings: { name }, status: { failure } }) => ({ name, failure })),
      context,
    );
  }
  const { tools, diagnostics: found, changes } = board.tools(taken);
  return {
    tools: tools.map(({ tool }) => tool.metadata),
    diagnostics: [...diagnostics, ...board.report('cached'), ...found, ...changes],
  };
}

/** Reads the servers of files, and their faults. */
export function readServersOf(
  files: readonly LoadedFile[],
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
): ReturnType<typeof readServers> {
  const { mcpServers } = mergeSections(serverSections, files, cwd);
  return readServers(mcpServers, { env, workingFolder: workingFolder(files, { cwd, env }) });
}

/** Opens servers with their cached lists of tools. Starts none. */
export async function openCachedServers(
  configs: readonly ConfiguredServer[],
  files: readonly LoadedFile[],
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
): Promise<LiveServers> {
  const secretLists = new SecretLists();
  secretLists.open(files.flatMap((file) => file.secrets()));
  return takeServers(configs, {
    pool: new UpstreamPool(),
    host: {
      data: dataFolder(files, { data: undefined, env, cwd }),
      boardName: boardName(files, cwd),
      secretLists,
      options: {},
      ask: createAsk({}),
      sealedStore: () => {
        throw new Error('A listing stores nothing.');
      },
    },
  });
}
