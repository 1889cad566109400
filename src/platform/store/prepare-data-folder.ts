import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Creates a board's data folder, private and ignored by git. */
export function prepareDataFolder(folder: string): void {
  makeFolder(folder, 0o700);
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // It exists already, or nothing can be written here: the next write reports it.
  }
}
