import { dataFolder } from './data-folder.ts';
import type { LoadedFile } from './loaded-file.ts';

/** Where a board keeps things. */
export interface StorePlace {
  /** The data folder: the store's file is there unless `url` names a database. */
  readonly folder: string;
  /** An address of PostgreSQL. */
  readonly url: string | undefined;
}

interface StorePlaceOptions {
  readonly data: string | undefined;
  /** The caller's address; wins over the others. */
  readonly store?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The place of a board's store: the caller's, `PEGBOARD_STORE`, `store` of the last file that has one, the data folder. */
export function findStorePlace(files: readonly LoadedFile[], options: StorePlaceOptions): StorePlace {
  const { store, env } = options;
  const url =
    store ?? (env['PEGBOARD_STORE'] || undefined) ?? files.findLast((file) => file.store !== undefined)?.store;
  return { folder: dataFolder(files, options), url };
}
