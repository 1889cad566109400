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

/**
 * The folder in which commands and servers of a board run that name no other: `working_dir` of the last file that has one, or else the
 * folder of the board. It does not depend on where the process was started, which an MCP client decides.
 */
export function workingFolder(
  files: readonly (PlacedFile & Pick<LoadedFile, 'workingDir'>)[],
  { env, cwd }: Omit<DataFolderOptions, 'data'>,
): string {
  const named = files.findLast((file) => file.workingDir !== undefined);
  if (named?.workingDir === undefined) return homeFolder(files, cwd);
  return resolve(folderOf(named, cwd), expandHome(named.workingDir, env));
}

function folderOf(file: PlacedFile, cwd: string): string {
  return file.dialect === 'pegboard' || file.dialect === 'ctx' ? dirname(resolve(cwd, file.file)) : cwd;
}
