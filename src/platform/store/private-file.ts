import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Readable and writable only by this user. */
const PRIVATE = 0o600;
/** Files that SQLite creates next to a database; new ones get the mode of the database. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Restricts a database to this user, for every mode of its folder and every umask. Call it before opening.
 *
 * A file that cannot be changed, on a read-only disk or of another user, stays as it is.
 */
export function keepDatabasePrivate(file: string): void {
  try {
    // Opens only a new file: closing one that SQLite has open would release the locks of this process.
    closeSync(openSync(file, 'wx', PRIVATE));
  } catch {
    // It exists, or cannot be created: opening it reports more.
  }
  for (const one of [file, ...COMPANIONS.map((end) => file + end)]) tighten(one);
}

function tighten(file: string): void {
  try {
    if ((statSync(file).mode & 0o777) !== PRIVATE) chmodSync(file, PRIVATE);
  } catch {
    // It does not exist, or belongs to another user.
  }
}

/** Writes a file atomically that only this user can read, replacing an existing one. */
export function writePrivateFile(file: string, text: string): void {
  const draft = writeDraft(file, text);
  try {
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Creates a file atomically that only this user can read, unless it exists. One of several processes succeeds. */
export function createPrivateFile(file: string, text: string): boolean {
  const draft = writeDraft(file, text);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    // The file system has no links: the name is taken before the content is written.
    if (!isCode(error, 'EPERM') && !isCode(error, 'ENOTSUP') && !isCode(error, 'ENOSYS')) throw error;
    writeFileSync(file, text, { flag: 'wx', mode: PRIVATE });
    return true;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Reads a file with a secret; `undefined` when there is none.
 *
 * Throws `permission_denied` for a file that others can read or own, or that has a hard link in another folder: its secret may be known.
 */
export function readPrivateFile(file: string): string | undefined {
  let descriptor: number;
  try {
    // A link could lead to a file of another user's choice.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    const reason = messageOf(error);
    throw refuse(file, `cannot be read: ${reason}.`, error);
  }
  try {
    const { mode, uid } = fstatSync(descriptor);
    const user = process.getuid?.();
    if (user !== undefined && uid !== user) throw refuse(file, 'belongs to another user, so it is not used.');
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8);
      throw refuse(file, `may be read by others (mode ${octal}), so it is not used. Delete it to get a new one.`);
    }
    if (hasNameElsewhere(file, descriptor)) {
      const find = `find / -xdev -samefile ${JSON.stringify(file)}`;
      throw refuse(
        file,
        `has another name (a hard link) in another folder, so it is not used. Delete that name: ${find}`,
      );
    }
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Returns true when an open file has a hard link outside its folder. */
function hasNameElsewhere(file: string, descriptor: number): boolean {
  const { nlink, dev, ino } = fstatSync(descriptor);
  if (nlink === 1) return false;
  // The draft of a process that is creating the file, or ended meanwhile, is a second link. Links are counted before the file is checked
  // again: a draft that disappears in between must not look like a link elsewhere.
  const folder = dirname(file);
  const here = readdirSync(folder).filter((name) => {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return stats?.dev === dev && stats.ino === ino;
  });
  return fstatSync(descriptor).nlink > here.length;
}

function writeDraft(file: string, text: string): string {
  const draft = `${file}.${randomUUID()}.new`;
  writeFileSync(draft, text, { flag: 'wx', mode: PRIVATE });
  return draft;
}

function refuse(file: string, why: string, cause?: unknown): ToolError {
  return new ToolError({ code: 'permission_denied', message: `The file ${file} ${why}`, cause });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Creates a folder and its parents. Returns the first folder created; `undefined` when the folder existed. Throws the system's error.
 *
 * Node's `recursive` option loops forever where a folder exists but none can be created in it, as in /proc.
 */
export function makeFolder(folder: string, mode?: number): string | undefined {
  const path = resolve(folder);
  if (isFolder(path)) return undefined;
  const above = dirname(path);
  const first = above === path ? undefined : makeFolder(above, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error;
    return first;
  }
  return first ?? path;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Creates a board's data folder, private and ignored by git. */
export function prepareDataFolder(folder: string): void {
  makeFolder(folder, 0o700);
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // It exists already, or nothing can be written here: the next write reports it.
  }
}
