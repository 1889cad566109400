import { join } from 'node:path';
import { SqlStore } from './sql-store.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import type { BoardStore } from './board-store.ts';

/** Where a store is, and what tells it the time. */
export interface BoardStoreOptions {
  /** The board's data folder, made when needed: SQLite keeps `board.db` there. */
  readonly folder: string;
  readonly clock?: { now(): number } | undefined;
}

/** Opens the store in a board's data folder. Nothing is read or made before it is first used. */
export function openBoardStore({ folder, clock }: BoardStoreOptions): BoardStore {
  return new SqlStore(new SqliteDatabase({ file: join(folder, 'board.db'), clock }));
}
