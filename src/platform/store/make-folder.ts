import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
