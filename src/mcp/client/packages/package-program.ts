import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { isPlainObject } from '../../../tool/json.ts';
import type { StdioCommand } from '../server-settings.ts';
import type { InstalledPackage } from './installed-package.ts';

/** First lines of programs that run under Node without options. */
const NODE_LINE = /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?)?(?:\S*\/)?node(?:js)?\s*$/;
const LONGEST_LINE = 256;

/**
 * Returns the command that runs a program of an installed package: Node with its file, or the file itself if it is no program for Node.
 * `undefined` if the package has no such program.
 *
 * Node is the one that npx would find: in the `node_modules/.bin` of the package, then in the server's PATH. Addons in `node_modules` were
 * built for that one. Only without any is it the board's own.
 */
export function programOf(
  installed: InstalledPackage,
  { bin, args, cwd, env }: Omit<StdioCommand, 'file'> & { readonly bin: string | undefined },
): StdioCommand | undefined {
  const file = findFile(installed, bin);
  if (file === undefined) return undefined;
  const path = [join(installed.root, 'node_modules/.bin'), env['PATH'] ?? ''].filter((part) => part !== '');
  const found = { cwd, env: { ...env, PATH: path.join(delimiter) } };
  if (!isForNode(file)) return { ...found, file, args };
  return { ...found, file: findNode(found.env.PATH, cwd) ?? process.execPath, args: [file, ...args] };
}

/** Finds the file of a program as npx does: the only one, or the one with the name of the package. */
function findFile({ name, folder, bin }: InstalledPackage, wanted: string | undefined): string | undefined {
  const short = name.replace(/^@[^/]+\//, '');
  const bins = new Map(Object.entries(isPlainObject(bin) ? bin : { [short]: bin }));
  const isSingle = new Set(bins.values()).size === 1;
  const value = wanted === undefined && isSingle ? [...bins.values()][0] : bins.get(wanted ?? short);
  if (typeof value !== 'string') return undefined;
  // As npm does it: no path leads out of the package.
  const file = join(folder, join('/', value.replaceAll('\\', '/')));
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined;
}

function isForNode(file: string): boolean {
  const start = Buffer.alloc(LONGEST_LINE);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const size = readSync(descriptor, start);
    const [line = ''] = start.toString('latin1', 0, size).split('\n');
    return NODE_LINE.test(line);
  } catch {
    // Starting the file tells why it cannot be read.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function findNode(path: string, cwd: string): string | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return path
    .split(delimiter)
    .map((folder) => resolve(cwd, folder, name))
    .find((file) => isProgram(file));
}

/** Returns true for a file that may be executed. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
