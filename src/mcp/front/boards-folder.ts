import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Sockets have short paths: macOS allows 103 bytes, and a board's own part takes 18. */
const MAX_FOLDER = 80;

/** Creates the folder of `boardsFolder`. Throws if another user could enter it, or if it is too long for sockets. */
export function openBoardsFolder(env: Environment): string {
  const folder = boardsFolder(env);
  if (Buffer.byteLength(folder) > MAX_FOLDER)
    throw new Error(`PEGBOARD_RUNTIME is longer than ${MAX_FOLDER} bytes, too long for a socket: ${folder}.`);
  makePrivate(folder);
  return folder;
}

/** Creates the folder where it is missing. Throws if another user could enter it. */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { mode: 0o700, recursive: true });
  checkOwner(folder);
}

/**
 * Returns the folder in which the boards of this user on this machine are found.
 *
 * Does not depend on the variables of a session, which differ between a desktop and a terminal. `PEGBOARD_RUNTIME` names another folder.
 */
export function boardsFolder(env: Environment): string {
  const named = env['PEGBOARD_RUNTIME'];
  if (named !== undefined && named !== '') return resolve(named);
  const user = process.geteuid?.();
  // Windows has named pipes for sockets, and only the user can write below this folder.
  if (user === undefined) return join(env['LOCALAPPDATA'] ?? '', 'pegboard', 'run');
  const runtime = `/run/user/${user}`;
  return isOwn(runtime) ? join(runtime, 'pegboard') : `/tmp/pegboard-boards-${user}`;
}

function isOwn(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && stats.uid === process.geteuid?.();
}

/** Throws unless a folder belongs to this user, who alone can enter it. */
function checkOwner(folder: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const stats = lstatSync(folder);
  const fault = stats.isDirectory()
    ? stats.uid !== user
      ? `belongs to another user (${stats.uid})`
      : (stats.mode & 0o077) === 0
        ? undefined
        : 'can be entered by other users'
    : 'is not a folder';
  if (fault !== undefined)
    throw new Error(`${folder} ${fault}. Remove it, or name another folder in PEGBOARD_RUNTIME.`);
}

/** A board that may be shared: equal for fronts of the same files and version. */
export interface BoardIdentity {
  /** The real paths of the files, in their order. */
  readonly files: readonly string[];
  readonly version: string;
  /** The home folder: data of boards, approvals and logins are below it. */
  readonly home: string;
}

/**
 * Returns the first part of the names of a board's folders; boards of other files may have the same.
 *
 * FNV-1a: a front that loads `node:crypto` starts 5 ms later.
 */
export function idOf({ files, version, home }: BoardIdentity): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(JSON.stringify([version, home, ...files]))) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
