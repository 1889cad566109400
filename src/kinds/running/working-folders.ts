import { delimiter, join, resolve } from 'node:path';
import { isInside, resolveRealPath } from '../../guard/policy/resolve-real-path.ts';
import type { ToolPaths } from '../../guard/policy/tool-paths.ts';
import type { KindHost } from '../kind.ts';
import type { RunSettings } from './run-settings.ts';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** The part of the board that determines where commands run. */
export type PathHost = Pick<KindHost, 'cwd' | 'env' | 'prefix'>;

/** Returns the folder of a command whose call names none, which is the base of a call's relative folder. */
export function baseFolder({ workingDir }: RunSettings, host: Pick<KindHost, 'cwd'>): string {
  return workingDir ?? host.cwd;
}

/** Returns the folders in which a command may run; `own` is the one that its call names. */
export function workingFolders(own: string | undefined, running: RunSettings, host: PathHost): string[] {
  const { workingDir, sandbox, env } = running;
  if (own !== undefined) return [resolve(baseFolder(running, host), own)];
  if (workingDir !== undefined) return [workingDir];
  if (sandbox === undefined) return [host.cwd];
  const folders = [...sandbox.read, ...sandbox.write];
  if (folders.some((folder) => isInside(host.cwd, folder))) return [host.cwd];
  // bubblewrap changes to the home folder, or stays at the root, if the board's folder is not inside.
  const home = env['HOME'] ?? host.env['HOME'];
  return home === undefined ? ['/'] : [home, '/'];
}

/** The folders that a command can walk without an argument that names them: its working folder, or all that its sandbox shows. */
export function walkedFolders(own: string | undefined, running: RunSettings, host: PathHost): readonly string[] {
  const { sandbox } = running;
  return sandbox === undefined ? workingFolders(own, running, host) : [...sandbox.read, ...sandbox.write];
}

/** Returns the reason why the paths of a command cannot be checked on this machine, if any. */
export function findObstacle({ prefix }: PathHost): Pick<ToolPaths, 'obstacle'> {
  return prefix.length === 0 ? {} : { obstacle: 'cannot be checked: the command runs in a container with other files' };
}

/** The board's data folder; `isDone` if the command's own sandbox hides it. */
export interface HiddenFolder {
  readonly folder: string;
  readonly isDone: boolean;
}

interface HidingCommand {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly hidden?: HiddenFolder | undefined;
}

/** Characters of a path that a message shows. */
const MAX_SHOWN = 300;

/** Returns the board's data folder if it lies inside one of these folders on this machine, after links are resolved. */
export function findHidden(
  folders: readonly string[],
  { data, prefix }: Pick<KindHost, 'data' | 'prefix'>,
): string | undefined {
  // A container has other files.
  if (prefix.length > 0) return undefined;
  const real = resolveRealPath(data, '/').path;
  return folders.some((folder) => isInside(real, resolveRealPath(folder, '/').path)) ? real : undefined;
}

/**
 * Returns a command line for which the board's data folder is empty. Throws if nothing can hide that folder, unless the `paths` of the
 * entry say that the command opens no files.
 */
export async function hideData(
  { argv, cwd, env, hidden }: HidingCommand,
  paths: readonly unknown[] | undefined,
): Promise<readonly string[]> {
  if (hidden === undefined || cwd === undefined) return argv;
  const { folder, isDone } = hidden;
  // A folder that appears while the command runs would not be hidden.
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  // A board that cannot create folders stores nothing.
  if (isDone || paths?.length === 0 || !existsSync(folder)) return argv;
  // bubblewrap would report a missing program in its own words.
  if (!isThere(argv[0] ?? '', cwd, env['PATH'] ?? '')) return argv;
  const { findSandboxProblem, hidingArgv } = await import('../../platform/process/sandbox.ts');
  const problem = await findSandboxProblem();
  if (problem === undefined) return hidingArgv(folder, cwd, argv);
  const message = [
    `This command could read the board's key in ${describeValue(folder, MAX_SHOWN)}, which lies in its working folder, and nothing here`,
    `can hide it: ${problem.replace(/\.?$/, '.')} Keep the board's data outside of that folder (PEGBOARD_DATA), set`,
    '"working_dir" to another folder, or write "paths: []" for a tool that opens no files.',
  ].join(' ');
  throw new ToolError({ code: 'permission_denied', message });
}

function isThere(program: string, cwd: string, path: string): boolean {
  if (program.includes('/')) return existsSync(resolve(cwd, program));
  return path.split(delimiter).some((folder) => existsSync(join(folder, program)));
}
