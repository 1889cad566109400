import { resolve } from 'node:path';
import { isInside } from '../../guard/policy/resolve-real-path.ts';
import type { ToolPaths } from '../../guard/policy/tool-paths.ts';
import type { KindHost } from '../kind.ts';
import type { RunSettings } from './run-settings.ts';

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
