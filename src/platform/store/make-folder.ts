import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, and gives the first that it made; `undefined` when the folder was there. Throws what
 * the system says.
 *
 * Node's own `recursive` tries for ever where a folder is there and none can be made in it, as in /proc.
 */
export function makeFolder(folder: string, mode?: number): string | undefined {
  const path = resolve(folder);
  if (isFolder(path)) return undefined;
  const above = dirname(path);
  const first = above === path ? undefined : makeFolder(above, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error;
    return first;
  }
  return first ?? path;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
