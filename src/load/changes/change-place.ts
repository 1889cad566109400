import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { stateFolder, toFolderName } from '../data-folder.ts';

/** The board whose changes wait. */
export interface ChangeOwner {
  /** The files, folders and globs that make the board. */
  readonly given: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The files with the waiting change of a board. */
export interface ChangePlace {
  readonly folder: string;
  /** Written by the process of the board. */
  readonly waiting: string;
  /** Written by the processes in which a person answers. */
  readonly answer: string;
  /** The parts of files that Pegboard wrote with the consent of a person. */
  readonly consents: string;
}

/**
 * Returns the place of a board's waiting change. The user's state folder has it, whatever `data` and `store` in the files say: a file that
 * could move it would lose the change that waits.
 */
export function changePlace({ given, cwd, env }: ChangeOwner): ChangePlace {
  const folder = join(stateFolder(env), 'changes');
  const id = toFolderName(given.map((name) => realPath(resolve(cwd, name))).join('\n'));
  const file = (part: string): string => join(folder, `${id}.${part}`);
  return { folder, waiting: file('waiting'), answer: file('answer'), consents: file('consents') };
}

/** Resolves links in the folder of a path, but not the path itself: who replaces the file by a link must not lose its change. */
function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
