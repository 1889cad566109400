import { basename, extname, join, relative, resolve } from 'node:path';
import { type LockReading, readLock } from './lock-file.ts';

/** The lock of a board: where it is written, what it is made from, and what it says. */
export interface LockPlace {
  /** The lock's file. */
  readonly file: string;
  /** The file it was read from; an old lock that does not name its files is not where a new one is written. */
  readonly source: string;
  /** The files, folders and globs that make the board, from the lock's folder, in order. */
  readonly files: readonly string[];
  /** The command with which a person writes it. */
  readonly command: string;
  readonly reading: LockReading;
}

const USUAL = 'pegboard.lock';
const MAX_NAME = 100;

/** Finds the lock in a folder that belongs to the board of these files. One that is made from others is not it. */
export function findLock(folder: string, given: readonly string[], cwd: string): LockPlace {
  const files = given.map((name) => relative(folder, resolve(cwd, name)).replaceAll('\\', '/') || '.').toSorted();
  const file = findLockFile(folder, given, cwd);
  const words = given.map((name) => (/^[\w./+-]+$/.test(name) ? name : JSON.stringify(name)));
  const command = ['pegboard lock', ...(basename(file) === USUAL ? [] : words)].join(' ');
  const place = { file, files, command };
  const own = readLock(file);
  if (own.type === 'broken' || isOf(own, files)) return { ...place, source: file, reading: own };
  if (own.type === 'read') {
    const others = (own.files ?? []).map((name) => JSON.stringify(name)).join(', ');
    const message = `is of other files (${others}), not of ${files.join(', ')}. Look at the tools and run ${command}`;
    return { ...place, source: file, reading: { type: 'broken', message } };
  }
  // Locks had one name for all, and did not say what they are of.
  const usual = join(folder, USUAL);
  const old = readLock(usual);
  if (isOf(old, files)) return { ...place, source: usual, reading: old };
  return { ...place, source: file, reading: { type: 'absent' } };
}

/** Returns the path of the lock that belongs to the board of these files, also where there is none yet. */
export function findLockFile(folder: string, given: readonly string[], cwd: string): string {
  return join(folder, nameOf(given, cwd));
}

function isOf(reading: LockReading, files: readonly string[]): boolean {
  if (reading.type !== 'read') return false;
  return reading.files === undefined || JSON.stringify(reading.files) === JSON.stringify(files);
}

/** `other.pegboard.lock` for other.yaml: no board takes the place of another's lock, nor of a lock of another program. */
function nameOf(given: readonly string[], cwd: string): string {
  const stems = given.map((name) => {
    const base = basename(resolve(cwd, name));
    return base.slice(0, base.length - extname(base).length).replaceAll(/[^\p{L}\p{N}._-]+/gu, '_');
  });
  const name = stems.join('+');
  if (name === '' || name === 'pegboard') return USUAL;
  return `${name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}+${stems.length}` : name}.${USUAL}`;
}
