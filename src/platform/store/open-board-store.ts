import { join } from 'node:path';
import { PostgresDatabase } from './postgres/postgres-database.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqlStore } from './sql-store.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import type { BoardStore } from './board-store.ts';

/** Where a store is, and what tells it the time. */
export interface BoardStoreOptions {
  /** The board's data folder, made when needed: SQLite keeps `board.db` there. */
  readonly folder: string;
  /** An address of PostgreSQL, in place of SQLite. */
  readonly url?: string | undefined;
  readonly clock?: { now(): number } | undefined;
}

/** Opens a board's store. Nothing is read or made before it is first used. */
export function openBoardStore({ folder, url, clock }: BoardStoreOptions): BoardStore {
  return new SqlStore(openDatabase(url ?? folder, clock));
}

/** Opens a store in memory, for a board that has no place to keep things. */
export function openTemporaryStore(): BoardStore {
  return new SqlStore(new SqliteDatabase({ file: undefined }));
}

/** Opens the database of a store: an address of PostgreSQL, or a data folder. */
export function openDatabase(place: string, clock?: BoardStoreOptions['clock']): SqlDatabase {
  if (/^postgres(ql)?:\/\//.test(place)) return new PostgresDatabase({ url: place });
  return new SqliteDatabase({ file: join(place, 'board.db'), clock });
}
