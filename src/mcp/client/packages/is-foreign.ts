import { lstatSync, statSync } from 'node:fs';

/**
 * Returns true for a file or folder of another user than this one, root and the owner of the working directory. Anyone may write into some of
 * the folders above a working directory, such as `/tmp`.
 */
export function isForeign(path: string, cwd: string): boolean {
  // Windows has no user ids.
  const user = process.geteuid?.();
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  if (user === undefined || owner === undefined) return false;
  return ![user, 0, statSync(cwd, { throwIfNoEntry: false })?.uid].includes(owner);
}
