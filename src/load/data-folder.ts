import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expandHome } from './variables/expand-home.ts';
import type { LoadedFile } from './loaded-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that decide where a board keeps things. */
interface DataFolderOptions {
  readonly data: string | undefined;
  readonly env: Environment;
  readonly cwd: string;
}

/** The parts of a file that tell where it stands. */
type PlacedFile = Pick<LoadedFile, 'file' | 'dialect' | 'isInline'>;

/**
 * The folder for what a board keeps: the caller's, `PEGBOARD_DATA`, `data` of the last file that has one, or a folder of the board
 * among the user's states, where tools that walk through the board's own folder do not come by.
 */
export function dataFolder(files: readonly LoadedFile[], { data, env, cwd }: DataFolderOptions): string {
  const wanted = data ?? (env['PEGBOARD_DATA'] || undefined);
  if (wanted !== undefined) return resolve(cwd, wanted);
  const named = files.findLast((file) => file.data !== undefined);
  if (named?.data !== undefined) return resolve(folderOf(named, cwd), expandHome(named.data, env));
  return join(stateFolder(env), toFolderName(realFolder(homeFolder(files, cwd))));
}

/** The folder in which the boards of this user keep things, each in a folder of its own. */
export function stateFolder(env: Environment): string {
  const local = process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  // The home folder is that of the process too where `env` names none.
  const state = env['XDG_STATE_HOME'] || (env['HOME'] ? undefined : process.env['XDG_STATE_HOME']);
  return join(state || local || join(env['HOME'] || homedir(), '.local/state'), 'pegboard');
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

/** A name that tells a board from others: the paths of its files. */
export function boardName(files: readonly PlacedFile[], cwd: string): string {
  return JSON.stringify(files.filter(({ isInline }) => !isInline).map(({ file }) => resolve(cwd, file)));
}

/** Absolute paths of a file and of those whose content is part of it. */
export function watchedFiles(
  { file, isInline, contentFiles }: Pick<LoadedFile, 'file' | 'isInline' | 'contentFiles'>,
  cwd: string,
): string[] {
  return isInline ? [] : [resolve(cwd, file), ...contentFiles];
}

/** The longest name that is written out: file systems take 255 bytes. */
const MAX_NAME = 150;

/** A path as the name of one folder: `home+ada+tools`. No two paths have the same name. */
function toFolderName(path: string): string {
  const name = path
    .replace(/^[\\/]/, '')
    .replaceAll(/[^\w.-]/gu, (sign) => (/[\\/]/.test(sign) ? '+' : `%${sign.codePointAt(0)?.toString(16) ?? ''}%`));
  if (name.length <= MAX_NAME) return name === '' ? '+' : name;
  // Loaded here: starts with shorter names do without it.
  const digest = process.getBuiltinModule('node:crypto').createHash('sha256').update(path).digest('hex').slice(0, 16);
  return `${name.slice(-100)}=${digest}`;
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function folderOf(file: PlacedFile, cwd: string): string {
  return file.dialect === 'pegboard' || file.dialect === 'ctx' ? dirname(resolve(cwd, file.file)) : cwd;
}
