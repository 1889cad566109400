import { resolve } from 'node:path';
import { readPathForm } from '../../guard/policy/path-forms.ts';
import type { MadePath, ToolPaths } from '../../guard/policy/tool-paths.ts';
import { isPlainObject } from '../../tool/json.ts';
import { baseFolder, findObstacle, type PathHost, workingFolders } from '../running/working-folders.ts';
import { sequenceValues, valuesOf } from './build-argv.ts';
import { isGit } from '../running/git-settings.ts';
import { type CliArgument, type CliSettings, isFileArgument } from './cli-settings.ts';

type Values = Readonly<Record<string, unknown>>;

/** Finds the paths of a command line: its marked arguments, and the working folder that an argument names. */
export function cliPaths(
  { args: known, command, running }: CliSettings,
  paths: readonly string[],
  host: PathHost,
): ToolPaths {
  const isMarked = ({ name, isPath }: CliArgument): boolean => isPath || paths.includes(name);
  const marked = known.filter(({ isPath, place }) => isPath && place !== 'cwd');
  // If a text is split, each part is a path.
  const split = known.filter((arg) => arg.list?.split !== undefined && isMarked(arg) && arg.pathForm === undefined);
  const formed = known.filter(
    ({ pathForm, sequence = [] }) => pathForm !== undefined || sequence.some((flag) => flag.pathForm !== undefined),
  );
  const inSequences = known.flatMap(({ name, sequence = [] }) =>
    sequence.filter((flag) => flag.isPath && flag.pathForm === undefined).map((flag) => `${name}.${flag.name}`),
  );
  // Git takes a revision for a file if a file of that name exists.
  const words = isGit(command[0] ?? '')
    ? known.filter(
        (arg) => (arg.place === 'positional' || arg.place === 'tail') && !isMarked(arg) && !isFileArgument(arg),
      )
    : [];
  const folder = known.find(({ place }) => place === 'cwd')?.name;
  const folderIn = (args: Values): string | undefined => {
    const value = folder !== undefined && Object.hasOwn(args, folder) ? args[folder] : undefined;
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const base = baseFolder(running, host);
  return {
    names: [
      ...new Set([
        ...paths,
        ...marked.map(({ name, type }) => (type === 'object' ? `${name}.*` : name)),
        ...inSequences,
      ]),
    ].filter(
      (name) => name !== folder && ![...split, ...formed].some((arg) => name === arg.name || name === `${arg.name}.*`),
    ),
    folders: (args) => workingFolders(folderIn(args), running, host),
    made: (args) => {
      const given = folderIn(args);
      if (split.length + formed.length + words.length === 0 && given === undefined) return [];
      const places = workingFolders(given, running, host);
      const parts = split.flatMap((arg): MadePath[] => {
        const texts = typeof args[arg.name] === 'string' ? valuesOf(arg, args[arg.name]) : [];
        return texts.flatMap((path) => places.map((place) => ({ argument: arg.name, path, folder: place })));
      });
      for (const arg of words) {
        const texts = Object.hasOwn(args, arg.name) && args[arg.name] !== null ? valuesOf(arg, args[arg.name]) : [];
        for (const path of texts)
          parts.push(...places.map((folder) => ({ argument: arg.name, path, folder, onlyIfThere: true })));
      }
      for (const arg of formed) for (const place of places) parts.push(...formedPaths(arg, args, place));
      if (folder === undefined || given === undefined) return parts;
      // As when the command starts: first made absolute, then links are followed.
      const path = given.startsWith('~') ? given : resolve(base, given);
      return [...parts, { argument: folder, path, folder: base }];
    },
    reads: known.filter(({ place, writes = place !== 'cwd' }) => !writes).map(({ name }) => name),
    ...findObstacle(host),
  };
}

/** Returns the paths in the values of an argument that can also be something else. */
function formedPaths(arg: CliArgument, args: Values, folder: string): MadePath[] {
  const { name: argument } = arg;
  return givenValues(arg, args).flatMap(({ text, pathForm, ...given }): MadePath[] => {
    if (pathForm === undefined) return [];
    const reading = readPathForm(pathForm, text);
    switch (reading.type) {
      case 'elsewhere':
        return reading.orFile ? [{ argument, path: text, folder, given, onlyIfThere: true }] : [];
      case 'refused':
        return [{ argument, path: text, folder, given, refusal: reading.reason }];
      case 'local':
        return reading.paths.map((path) => ({ argument, path, folder, given }));
    }
  });
}

interface GivenText {
  readonly text: string;
  readonly pathForm: CliArgument['pathForm'];
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Returns the strings of an argument that the command gets, with the positions of their values. */
function givenValues(arg: CliArgument, args: Values): GivenText[] {
  const { name, pathForm } = arg;
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined || value === null) return [];
  if (arg.sequence !== undefined) {
    return sequenceValues(arg, value).flatMap(({ flag, value: given, path }) =>
      valuesOf(flag, given).map((text) => ({ text, pathForm: flag.pathForm, path, value: given })),
    );
  }
  const items: readonly (readonly [readonly (string | number)[], unknown, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [[name, index], item, [item]])
    : isPlainObject(value)
      ? Object.entries(value).map(([key, item]) => [[name, key], item, { [key]: item }])
      : [[[name], value, value]];
  return items.flatMap(([path, shown, part]) =>
    valuesOf(arg, part).map((text) => ({ text, pathForm, path, value: shown })),
  );
}
