import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';

/** Sections of commands: for users, for administrators, games. */
const SECTIONS = ['1', '8', '6'];
const MAX_BYTES = 20_000_000;

/**
 * Returns the folders with manual pages: those of `MANPATH`, those beside the program and the file it links to, and the usual
 * ones.
 */
export function manFolders(env: Readonly<Record<string, string | undefined>>, program = ''): string[] {
  const split = (text: string | undefined): string[] => (text ?? '').split(delimiter).filter((part) => part !== '');
  const places = program.includes('/') ? [program] : split(env['PATH']).map((folder) => join(folder, program));
  const beside = split(env['PATH']).flatMap((folder) => [
    join(dirname(folder), 'share', 'man'),
    join(dirname(folder), 'man'),
  ]);
  return [
    ...new Set([
      ...split(env['MANPATH']),
      ...(program === '' ? [] : ownFolders(places)),
      ...beside,
      '/usr/local/share/man',
      '/usr/share/man',
      '/opt/homebrew/share/man',
    ]),
  ];
}

/** npm and others are links into a package with its own manual pages. */
function ownFolders(places: readonly string[]): string[] {
  for (const place of places) {
    try {
      const root = dirname(dirname(realpathSync(place)));
      return [join(root, 'man'), join(root, 'share', 'man')];
    } catch {
      // Not in this folder.
    }
  }
  return [];
}

/** Returns the source of a command's manual page; `undefined` if there is none. */
export async function findManPage(command: readonly string[], folders: readonly string[]): Promise<string | undefined> {
  const words = command.map((word) => word.split('/').at(-1) ?? '');
  if (!words.every((word) => /^[\w.+@-]+$/.test(word) && !/^\.+$/.test(word))) return undefined;
  for (const folder of folders) {
    // `git-commit`; Google's tools write `gcloud_app`.
    for (const name of new Set([words.join('-'), words.join('_')])) {
      for (const section of SECTIONS) {
        // `openssl-x509.1ssl`: packages with many pages add their name to the section.
        for (const suffix of [section, `${section}${(words[0] ?? '').slice(-3)}`]) {
          const source = await readManFile(join(folder, `man${section}`, `${name}.${suffix}`));
          if (source !== undefined) return followAlias(source, folder);
        }
      }
    }
  }
  return undefined;
}

/** A page can consist of a line that names another: `.so man1/other.1`. */
async function followAlias(source: string, folder: string): Promise<string | undefined> {
  const target = /^(?:[.']\\".*\n|\s)*\.so\s+(\S+)\s*$/.exec(source)?.[1];
  if (target === undefined) return source;
  if (!/^man\d\w*\/[\w.+@-]+$/.test(target)) return undefined;
  return readManFile(join(folder, target));
}

async function readManFile(file: string): Promise<string | undefined> {
  const plain = await readBytes(file);
  if (plain !== undefined) return plain.toString('utf8');
  const zipped = await readBytes(`${file}.gz`);
  const unpack = { maxOutputLength: MAX_BYTES };
  try {
    if (zipped !== undefined) return (await promisify(gunzip)(zipped, unpack)).toString('utf8');
    const packed = await readBytes(`${file}.zst`);
    return packed === undefined ? undefined : (await promisify(zstdDecompress)(packed, unpack)).toString('utf8');
  } catch {
    // A damaged or oversized page counts as missing.
    return undefined;
  }
}

async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readFile(file);
    return bytes.length > MAX_BYTES ? undefined : bytes;
  } catch {
    return undefined;
  }
}
