import { resolve } from 'node:path';
import type { MadePath, ToolPaths } from '../../guard/policy/tool-paths.ts';
import { baseFolder, findObstacle, type PathHost, workingFolders } from '../running/working-folders.ts';
import { valuesOf } from './build-argv.ts';
import type { CliSettings } from './cli-settings.ts';

/** The paths of a command line: what its arguments mark, and the working folder that an argument names. */
export function cliPaths({ args: known, running }: CliSettings, paths: readonly string[], host: PathHost): ToolPaths {
  const marked = known.filter(({ isPath, place }) => isPath && place !== 'cwd');
  // Of a text that is split, each part is a path.
  const split = known.filter(({ name, isPath, list }) => list?.split !== undefined && (isPath || paths.includes(name)));
  const folder = known.find(({ place }) => place === 'cwd')?.name;
  const folderIn = (args: Readonly<Record<string, unknown>>): string | undefined => {
    const value = folder !== undefined && Object.hasOwn(args, folder) ? args[folder] : undefined;
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const base = baseFolder(running, host);
  return {
    names: [...new Set([...paths, ...marked.map(({ name, type }) => (type === 'object' ? `${name}.*` : name))])].filter(
      (name) => name !== folder && !split.some((arg) => arg.name === name),
    ),
    folders: (args) => workingFolders(folderIn(args), running, host),
    made: (args) => {
      const given = folderIn(args);
      const parts = split.flatMap((arg): MadePath[] => {
        const texts = typeof args[arg.name] === 'string' ? valuesOf(arg, args[arg.name]) : [];
        const places = workingFolders(given, running, host);
        return texts.flatMap((path) => places.map((place) => ({ argument: arg.name, path, folder: place })));
      });
      if (folder === undefined || given === undefined) return parts;
      // As the command is started: made absolute first, links followed then.
      const path = given.startsWith('~') ? given : resolve(base, given);
      return [...parts, { argument: folder, path, folder: base }];
    },
    ...findObstacle(host),
  };
}
