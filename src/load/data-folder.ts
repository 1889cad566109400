import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expandHome } from './variables/interpolate.ts';
import type { LoadedFile } from './loaded-file.ts';
import { ToolError } from '../tool/tool-error.ts';
import { NOT_TRUSTED } from './board-mode.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface DataFolderOptions {
  readonly data: string | undefined;
  readonly env: Environment;
  readonly cwd: string;
}

type PlacedFile = Pick<LoadedFile, 'file' | 'dialect' | 'isInline'>;

/**
 * Returns a board's data folder: the caller's, `PEGBOARD_DATA`, `data` of the last file with one, or a folder in the user's state folder,
 * where tools that walk the board's own folder do not find it.
 */
export function dataFolder(files: readonly LoadedFile[], options: DataFolderOptions): string {
  return findDataFolder(files, options).folder;
}

/** The data folder of a board, and the setting that names it: code, `PEGBOARD_DATA`, a file, or none. */
export function findDataFolder(
  files: readonly LoadedFile[],
  { data, env, cwd }: DataFolderOptions,
): { readonly folder: string; readonly namedBy: 'code' | 'environment' | LoadedFile | undefined } {
  if (data !== undefined) return { folder: resolve(cwd, data), namedBy: 'code' };
  const wanted = env['PEGBOARD_DATA'];
  if (wanted) return { folder: resolve(cwd, wanted), namedBy: 'environment' };
  const named = files.findLast((file) => file.data !== undefined);
  if (named?.data !== undefined)
    return { folder: resolve(folderOf(named, cwd), expandHome(named.data, env)), namedBy: named };
  return { folder: usualDataFolder(files, { env, cwd }), namedBy: undefined };
}

/** The data folder of a board that sets none. */
export function usualDataFolder(files: readonly LoadedFile[], { env, cwd }: Omit<DataFolderOptions, 'data'>): string {
  return join(stateFolder(env), toFolderName(realFolder(homeFolder(files, cwd))));
}

/** Returns the folder that contains the data folders of this user's boards. */
export function stateFolder(env: Environment): string {
  const local = process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  // If `env` names no home folder, that of the process is used.
  const state = env['XDG_STATE_HOME'] || (env['HOME'] ? undefined : process.env['XDG_STATE_HOME']);
  return join(state || local || join(env['HOME'] || homedir(), '.local/state'), 'pegboard');
}

/** Returns the folder of the file that overrides the others, which contains the board's own files. */
export function homeFolder(files: readonly PlacedFile[], cwd: string): string {
  const last = files.findLast(({ isInline }) => !isInline);
  return last === undefined ? cwd : folderOf(last, cwd);
}

/**
 * Returns the default folder for commands and servers of a board: `working_dir` of the last file with one, or the folder of the board. It
 * does not depend on the folder that the process was started in, which an MCP client chooses.
 */
export function workingFolder(
  files: readonly (PlacedFile & Pick<LoadedFile, 'workingDir'>)[],
  { env, cwd }: Omit<DataFolderOptions, 'data'>,
): string {
  const named = files.findLast((file) => file.workingDir !== undefined);
  if (named?.workingDir === undefined) return homeFolder(files, cwd);
  return resolve(folderOf(named, cwd), expandHome(named.workingDir, env));
}

/** Returns a name that identifies a board: the paths of its files. */
export function boardName(files: readonly PlacedFile[], cwd: string): string {
  return JSON.stringify(files.filter(({ isInline }) => !isInline).map(({ file }) => resolve(cwd, file)));
}

/** Lists the absolute paths of a file and of the files it includes. */
export function watchedFiles(
  { file, isInline, contentFiles }: Pick<LoadedFile, 'file' | 'isInline' | 'contentFiles'>,
  cwd: string,
): string[] {
  return isInline ? [] : [resolve(cwd, file), ...contentFiles];
}

/** Longest name without a hash: file systems allow 255 bytes. */
const MAX_NAME = 150;

/** Converts a path to a unique folder name: `home+ada+tools`. */
export function toFolderName(path: string): string {
  const name = path
    .replace(/^[\\/]/, '')
    .replaceAll(/[^\w.-]/gu, (sign) => (/[\\/]/.test(sign) ? '+' : `%${sign.codePointAt(0)?.toString(16) ?? ''}%`));
  if (name.length <= MAX_NAME) return name === '' ? '+' : name;
  // Loaded here, because shorter names do not need it.
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

/** The location of a board's store. */
export interface StorePlace {
  /** The data folder, which contains the store unless `url` names a database. */
  readonly folder: string;
  /** A PostgreSQL address. */
  readonly url: string | undefined;
  /** The reason why it must not be opened, if any. */
  readonly refusal?: string;
}

interface StorePlaceOptions {
  readonly data: string | undefined;
  /** The caller's address, which takes precedence. */
  readonly store?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Throws `permission_denied` for a store that must not be opened. */
export function admitStore({ refusal }: StorePlace): void {
  if (refusal !== undefined) throw new ToolError({ code: 'permission_denied', message: refusal });
}

/** Finds the location of a board's store: the caller's, `PEGBOARD_STORE`, `store` of the last file with one, or the data folder. */
export function findStorePlace(files: readonly LoadedFile[], options: StorePlaceOptions): StorePlace {
  const { store, env } = options;
  const given = store ?? (env['PEGBOARD_STORE'] || undefined);
  const file = given === undefined ? files.findLast((one) => one.store !== undefined) : undefined;
  const place = { folder: dataFolder(files, options), url: given ?? file?.store };
  if (file?.isUnresolved(['store']) !== true) return place;
  const refusal = `${file.file}: the address under store is made of variables or secrets, which are not filled in: ${NOT_TRUSTED}.`;
  return { ...place, refusal };
}
