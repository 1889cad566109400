import { basename } from 'node:path';
import type { StdioCommand } from '../server-settings.ts';
import { isVersion, parseRange, satisfies, type VersionRange } from './version-range.ts';

/** The versions of a package that an entry accepts. */
type WantedVersion =
  | { readonly type: 'any' }
  | { readonly type: 'exact'; readonly version: string }
  | { readonly type: 'range'; readonly range: VersionRange }
  /** A name of the registry for a version, such as `latest`. */
  | { readonly type: 'tag' };

/** A package as an entry names it. */
export interface PackageSpec {
  readonly name: string;
  /** The name and version as written: `NAME`, `NAME@1.2.3`, `NAME@^1`, `NAME@next`. */
  readonly text: string;
  readonly wanted: WantedVersion;
}

/** A command that runs a package with npx or `npm exec`. */
export interface PackageCommand {
  readonly spec: PackageSpec;
  /** The program of the package to run; `undefined` for its main one. */
  readonly bin: string | undefined;
  /** The arguments of the program. */
  readonly args: readonly string[];
}

/** No part begins with a dot, so no name can form a path. */
const NAME = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~_][\w.~-]*$/i;
const BIN = /^[a-z0-9_@][\w.@-]*$/i;
const TAG = /^[a-z][\w.-]*$/i;
const SWITCHES: ReadonlySet<string> = new Set(['-y', '--yes', '-q', '--quiet', '-s', '--silent']);

/** Reads a command that runs one package of a registry; `undefined` for all others, which are started as written. */
export function parsePackageCommand({ file, args }: Pick<StdioCommand, 'file' | 'args'>): PackageCommand | undefined {
  const program = basename(file).replace(/\.(?:cmd|exe)$/i, '');
  const [first = '', ...others] = args;
  const isNpx = program === 'npx';
  if (!isNpx && (program !== 'npm' || (first !== 'exec' && first !== 'x'))) return undefined;
  const words = readWords(isNpx ? args : others, isNpx);
  const [word, ...rest] = words?.rest ?? [];
  if (words === undefined || word === undefined) return undefined;
  const spec = parseSpec(words.pack ?? word);
  if (spec === undefined) return undefined;
  if (words.pack === undefined) return { spec, bin: undefined, args: rest };
  return BIN.test(word) ? { spec, bin: word, args: rest } : undefined;
}

/**
 * Splits the words of a command into the package that an option names, and the words after the options. `npm exec` reads options up to
 * `--`, npx up to the first other word.
 */
function readWords(
  words: readonly string[],
  isNpx: boolean,
): { readonly pack: string | undefined; readonly rest: readonly string[] } | undefined {
  const before: string[] = [];
  let pack: string | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') return { pack, rest: [...before, ...words.slice(index + 1)] };
    if (!word.startsWith('-')) {
      if (isNpx) return { pack, rest: words.slice(index) };
      before.push(word);
      continue;
    }
    if (SWITCHES.has(word)) continue;
    const [, option, joined] = /^(-p|--package)(?:=(.+))?$/s.exec(word) ?? [];
    // For npm, -p is another option; several packages are no business of one file.
    if (option === undefined || pack !== undefined || (option === '-p' && !isNpx)) return undefined;
    pack = joined ?? words[++index];
    if (pack === undefined) return undefined;
  }
  return { pack, rest: before };
}

/** Reads the name and version of a package; `undefined` for addresses, folders, aliases and the like. */
function parseSpec(text: string): PackageSpec | undefined {
  const at = text.indexOf('@', 1);
  const name = at === -1 ? text : text.slice(0, at);
  if (!NAME.test(name)) return undefined;
  if (at === -1) return { name, text, wanted: { type: 'any' } };
  const wanted = parseWanted(text.slice(at + 1));
  return wanted && { name, text, wanted };
}

function parseWanted(text: string): WantedVersion | undefined {
  if (text.trim() === '') return undefined;
  if (isVersion(text)) return { type: 'exact', version: text };
  const range = parseRange(text);
  if (range !== undefined) return { type: 'range', range };
  return TAG.test(text) ? { type: 'tag' } : undefined;
}

/** Returns true when a version is one that the entry accepts. A tag may stand for any. */
export function accepts({ wanted }: PackageSpec, version: string): boolean {
  switch (wanted.type) {
    case 'any':
    case 'tag':
      return true;
    case 'exact':
      return wanted.version === version;
    case 'range':
      return satisfies(version, wanted.range);
    default:
      return wanted satisfies never;
  }
}
