import { serversIn } from '../../../features/servers/server-sections.ts';
import type { Redactor } from '../../../guard/secrets/redactor.ts';
import { ConfigError } from '../../../load/diagnostics/diagnostic.ts';
import { BUILT_IN_KINDS } from '../../../kinds/built-in-kinds.ts';
import { isBroken } from '../../../kinds/broken.ts';
import type { ToolEntry } from '../../../kinds/kind.ts';
import { hasOneName } from '../../../load/turn-off.ts';
import { collectEntries } from '../../../board/assembly/make-tools.ts';
import { loadConfig } from '../../../load/load-config.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import type { Board } from '../../../board/board.ts';
import { isDiscoveryTool, isHelperTool } from '../../../tool/tool-marks.ts';
import type { ToolMetadata } from '../../../tool/tool-metadata.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { CliContext } from '../cli-context.ts';
import { findConfig } from './find-config.ts';
import type { listServers } from './list-servers.ts';
import { lookMode } from './trust.ts';
import { printWarnings, readingBoard, redactorOf, useBoard } from './use-board.ts';
import type { ToolRegistry } from '../../../board/registry/tool-registry.ts';

export interface BoardListing {
  readonly tools: readonly ToolMetadata[];
  /** Disabled and broken tools. */
  readonly unavailable: Board['unavailable'];
  /** Removes secrets from the output. */
  readonly redactor: Redactor;
}

/** Lists the tools of a board. Opens the board only if a file has a policy, lock, script or knowledge, or a server must be asked: opening takes longer. */
export async function listBoard(
  given: readonly string[],
  { context, wait }: { readonly context: CliContext; readonly wait: boolean },
): Promise<BoardListing> {
  const { cwd, env } = context;
  const named = findConfig(given, context);
  if (context.running !== undefined) return listOpened(named, { context, wait });
  const mode = wait ? 'run' : lookMode(named, context);
  const { files, diagnostics } = await loadConfig(named, { cwd, env, mode });
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new ConfigError(diagnostics);
  if (files.every(isPlain)) {
    const reported = [...diagnostics];
    const entries = [...collectEntries(files, reported).values()].map(({ entry }) => entry);
    const working = entries.filter((entry) => !isBroken(entry)).map(({ metadata }) => metadata);
    const unavailable = entries.filter(isBroken).map(({ metadata: { name }, settings }) => ({ name, ...settings }));
    const taken = new Set(entries.map(({ metadata }) => metadata.name));
    const served = await listServersOf(files, taken, { context, wait, mode });
    if (served !== undefined) {
      printWarnings([...reported, ...served.diagnostics], context);
      return { tools: [...working, ...served.tools], unavailable, redactor: redactorOf({ files }) };
    }
  }
  return listOpened(named, { context, wait });
}

function listOpened(
  named: readonly string[],
  { context, wait }: { readonly context: CliContext; readonly wait: boolean },
): Promise<BoardListing> {
  return useBoard(named, { ...readingBoard({ values: { wait } }), context }, (board) => ({
    tools: authoredTools(board),
    unavailable: board.unavailable,
    redactor: redactorOf(board),
  }));
}

/** Skips loading the server code for boards without servers. */
async function listServersOf(
  files: readonly LoadedFile[],
  ...rest: Parameters<typeof listServers> extends [unknown, ...infer R] ? R : never
): ReturnType<typeof listServers> {
  if (files.every((file) => Object.keys(serversIn(file)).length === 0)) return { tools: [], diagnostics: [] };
  return (await import('./list-servers.ts')).listServers(files, ...rest);
}

/** Returns the tools that the board's files define, without those that the board adds itself. */
export function authoredTools({ registry }: Pick<Board, 'registry'>): ToolMetadata[] {
  return registry.getAll().flatMap((tool) => (isDiscoveryTool(tool) || isHelperTool(tool) ? [] : [tool.metadata]));
}

/** Returns true when an entry makes exactly one tool and holds all of its metadata. For kinds of plugins only the board knows. */
function isWhole(entry: ToolEntry): boolean {
  return (
    BUILT_IN_KINDS.includes(entry.kind) &&
    hasOneName(entry.kind, entry.metadata.name) &&
    entry.kind.uses(entry).length === 0
  );
}

/** Returns true when the entries alone determine a file's tools: no policy or lock changes them. */
function isPlain({ entries, sections }: LoadedFile): boolean {
  const isAlone = sections['policy'] === undefined && sections['lock'] === undefined;
  return isAlone && entries.every((entry) => isBroken(entry) || isWhole(entry));
}

/** Counts the tools as `pegboard list` does: without those that the board adds itself. */
export function countTools(registry: ToolRegistry): string {
  return counted(authoredTools({ registry }).length, 'tool');
}
