import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Makes a board's data folder, private and out of version control. */
export function prepareDataFolder(folder: string): void {
  makeFolder(folder, 0o700);
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // It is there already, or nothing can be written here: the next write says so.
  }
}
