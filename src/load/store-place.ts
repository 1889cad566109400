import { dataFolder } from './data-folder.ts';
import { ToolError } from '../tool/tool-error.ts';
import { NOT_TRUSTED } from './board-mode.ts';
import type { LoadedFile } from './loaded-file.ts';

/** Where a board keeps things. */
export interface StorePlace {
  /** The data folder: the store's file is there unless `url` names a database. */
  readonly folder: string;
  /** An address of PostgreSQL. */
  readonly url: string | undefined;
  /** The reason why it must not be opened; `undefined` where it may. */
  readonly refusal?: string;
}

interface StorePlaceOptions {
  readonly data: string | undefined;
  /** The caller's address; wins over the others. */
  readonly store?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Throws `permission_denied` for a store that must not be opened. */
export function admitStore({ refusal }: StorePlace): void {
  if (refusal !== undefined) throw new ToolError({ code: 'permission_denied', message: refusal });
}

/** The place of a board's store: the caller's, `PEGBOARD_STORE`, `store` of the last file that has one, the data folder. */
export function findStorePlace(files: readonly LoadedFile[], options: StorePlaceOptions): StorePlace {
  const { store, env } = options;
  const given = store ?? (env['PEGBOARD_STORE'] || undefined);
  const file = given === undefined ? files.findLast((one) => one.store !== undefined) : undefined;
  const place = { folder: dataFolder(files, options), url: given ?? file?.store };
  if (file?.isUnresolved(['store']) !== true) return place;
  const refusal = `${file.file}: the address under store is made of variables or secrets, which are not filled in: ${NOT_TRUSTED}.`;
  return { ...place, refusal };
}
