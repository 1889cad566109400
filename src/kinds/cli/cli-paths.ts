import { resolve } from 'node:path';
import type { ToolPaths } from '../../guard/policy/tool-paths.ts';
import { findObstacle, type PathHost, workingFolders } from '../running/working-folders.ts';
import type { CliSettings } from './cli-settings.ts';

/** The paths of a command line: what its arguments mark, and the working folder that an argument names. */
export function cliPaths({ args: known, running }: CliSettings, paths: readonly string[], host: PathHost): ToolPaths {
  const marked = known.filter(({ isPath, place }) => isPath && place !== 'cwd').map(({ name }) => name);
  const folder = known.find(({ place }) => place === 'cwd')?.name;
  const folderIn = (args: Readonly<Record<string, unknown>>): string | undefined => {
    const value = folder !== undefined && Object.hasOwn(args, folder) ? args[folder] : undefined;
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return {
    names: [...new Set([...paths, ...marked])].filter((name) => name !== folder),
    folders: (args) => workingFolders(folderIn(args), running, host),
    made: (args) => {
      const given = folderIn(args);
      if (folder === undefined || given === undefined) return [];
      // As the command is started: made absolute first, links followed then.
      return [{ argument: folder, path: given.startsWith('~') ? given : resolve(host.cwd, given), folder: host.cwd }];
    },
    ...findObstacle(host),
  };
}
