import { dataFolder } from './data-folder.ts';
import { ToolError } from '../tool/tool-error.ts';
import { NOT_TRUSTED } from './board-mode.ts';
import type { LoadedFile } from './loaded-file.ts';

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
