import { join } from 'node:path';
import { PostgresDatabase } from './postgres/postgres-database.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqlStore } from './sql-store.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import type { BoardStore } from './board-store.ts';

export interface BoardStoreOptions {
  /** The board's data folder, created when needed. SQLite stores `board.db` there. */
  readonly folder: string;
  /** A PostgreSQL address, instead of SQLite. */
  readonly url?: string | undefined;
  readonly clock?: { now(): number } | undefined;
}

/** Opens a board's store. Reads and creates nothing before its first use. */
export function openBoardStore({ folder, url, clock }: BoardStoreOptions): BoardStore {
  return new SqlStore(openDatabase(url ?? folder, clock));
}

/** Opens a store in memory, for a board without a place to store data. */
export function openTemporaryStore(): BoardStore {
  return new SqlStore(new SqliteDatabase({ file: undefined }));
}

/** Opens the database of a store: a PostgreSQL address, or a data folder. */
export function openDatabase(place: string, clock?: BoardStoreOptions['clock']): SqlDatabase {
  if (/^postgres(ql)?:\/\//.test(place)) return new PostgresDatabase({ url: place });
  return new SqliteDatabase({ file: join(place, 'board.db'), clock });
}
