import { dirname, join, resolve } from 'node:path';
import { expandHome } from './variables/expand-home.ts';
import type { LoadedFile } from './loaded-file.ts';

/** What decides where a board keeps things. */
interface DataFolderOptions {
  readonly data: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** What tells where a file stands. */
type PlacedFile = Pick<LoadedFile, 'file' | 'dialect' | 'isInline'>;

/** The folder for what a board keeps: the caller's, `PEGBOARD_DATA`, `data` of the last file that has one, `.pegboard`. */
export function dataFolder(files: readonly LoadedFile[], { data, env, cwd }: DataFolderOptions): string {
  const wanted = data ?? (env['PEGBOARD_DATA'] || undefined);
  if (wanted !== undefined) return resolve(cwd, wanted);
  const named = files.findLast((file) => file.data !== undefined);
  if (named?.data !== undefined) return resolve(folderOf(named, cwd), expandHome(named.data, env));
  return join(homeFolder(files, cwd), '.pegboard');
}

/** The folder of the file that wins over the others: what belongs to the board stands there. */
export function homeFolder(files: readonly PlacedFile[], cwd: string): string {
  const last = files.findLast(({ isInline }) => !isInline);
  return last === undefined ? cwd : folderOf(last, cwd);
}

function folderOf(file: PlacedFile, cwd: string): string {
  return file.dialect === 'pegboard' || file.dialect === 'ctx' ? dirname(resolve(cwd, file.file)) : cwd;
}
