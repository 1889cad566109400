import { basename, dirname } from 'node:path';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { OptionSpecs, OptionValues } from '../command.ts';
import { launchCommand, warnOfLaunch } from './launch-command.ts';

/** The command with which clients start the board of some files. */
export interface BoardEntry {
  readonly command: string;
  readonly args: readonly string[];
  /** Warnings for the person who gets the entry. */
  readonly warnings: readonly string[];
}

/** Returns the command that serves files, which are absolute, with options of `serve`. */
export function toBoardEntry(files: readonly string[], flags: readonly string[] = []): BoardEntry {
  const launch = launchCommand();
  const args = [...launch.args, 'serve', ...flags, ...files.flatMap((file) => ['--file', file])];
  return { command: launch.command, args, warnings: warnOfLaunch(launch, files) };
}

/** Writes options as words of a command line, except those with some names. */
export function toFlags<O extends OptionSpecs>(
  options: O,
  values: OptionValues<O>,
  omitted: ReadonlySet<string>,
): string[] {
  return Object.keys(options)
    .filter((name) => !omitted.has(name))
    .flatMap((name) => {
      const value: unknown = values[name];
      if (value === true) return [`--${name}`];
      const given = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
      return given.flatMap((one) => (one.startsWith('-') ? [`--${name}=${one}`] : [`--${name}`, one]));
    });
}

/** Returns the board's name for clients: from its files, or else from its folder or file. */
export function boardNameOf(
  files: readonly string[],
  loaded: readonly Pick<LoadedFile, 'name' | 'sections'>[],
): string {
  const [file = ''] = files;
  const own = basename(file).replace(/\.(?:ya?ml|json)$/, '');
  const served = loaded
    .map(({ sections: { serve } }) => (isPlainObject(serve) ? serve['name'] : undefined))
    .findLast((name) => typeof name === 'string');
  const said = served ?? loaded.at(-1)?.name ?? own;
  // A file without a name is named after itself.
  const name = said === 'pegboard' ? basename(dirname(file)) : said;
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'pegboard';
}
