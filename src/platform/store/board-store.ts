import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ToolError } from '../../tool/tool-error.ts';
import { isReadOnly, openReadOnly } from './open-read-only.ts';
import { prepareDataFolder } from './prepare-data-folder.ts';
import { keepDatabasePrivate } from './private-file.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Small records that a board keeps between runs, in spaces of their own; several processes may use one file. */
export interface BoardStore {
  space(name: string): StoreSpace;
  /** Reads and writes as one: no other process writes in between, and an error undoes everything. */
  transaction<T>(work: () => T): T;
  /** A number that is another one once another process has written. */
  version(): number;
  close(): void;
}

/** Records of one kind. */
export interface StoreSpace {
  /** The record, or `undefined` when there is none (any more). */
  get(key: string): unknown;
  /** Keeps a record; it is on disk when this returns. `ttl` is milliseconds until it is forgotten. */
  set(key: string, value: unknown, options?: { readonly ttl?: number }): void;
  /** Whether there was one. */
  delete(key: string): boolean;
  /** Every record, the longest unchanged first. */
  entries(): StoredRecord[];
  clear(): void;
}

/** A record with its key. */
export interface StoredRecord {
  readonly key: string;
  readonly value: unknown;
  /** When it was last set, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Where a store is, and what tells it the time. */
interface BoardStoreOptions {
  /** Made when needed. */
  readonly folder: string;
  readonly clock?: { now(): number };
}

/** Files of which was said that they cannot be written: once is enough. */
const warned = new Set<string>();

const SCHEMA = `
  create table if not exists records (
    space text not null, key text not null, value text not null, changed integer not null, expires integer,
    primary key (space, key)
  ) without rowid`;

/** Opens the store in a board's data folder. Throws `execution_failed` with what to do when the folder cannot be used. */
export function openBoardStore({ folder, clock = Date }: BoardStoreOptions): BoardStore {
  const database = open(join(folder, 'board.db'));
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };
  let depth = 0;

  return {
    space: (name) => openSpace(name, { prepare, now: () => clock.now() }),
    transaction(work) {
      if (depth > 0) return work();
      database.exec('begin immediate');
      depth++;
      try {
        const result = work();
        database.exec('commit');
        return result;
      } catch (error) {
        database.exec('rollback');
        throw error;
      } finally {
        depth--;
      }
    },
    version: () => Number(prepare('pragma data_version').get()?.['data_version']),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

interface SpaceOptions {
  readonly prepare: (sql: string) => StatementSync;
  readonly now: () => number;
}

function openSpace(space: string, { prepare, now }: SpaceOptions): StoreSpace {
  const alive = 'space = ? and (expires is null or expires > ?)';
  return {
    get(key) {
      const row = prepare(`select value from records where ${alive} and key = ?`).get(space, now(), key);
      return row === undefined ? undefined : JSON.parse(String(row['value']));
    },
    set(key, value, { ttl } = {}) {
      const changed = now();
      prepare('delete from records where space = ? and expires <= ?').run(space, changed);
      const expires = ttl === undefined ? null : changed + ttl;
      const text = JSON.stringify(value) ?? 'null';
      prepare('insert or replace into records values (?, ?, ?, ?, ?)').run(space, key, text, changed, expires);
    },
    delete: (key) => prepare('delete from records where space = ? and key = ?').run(space, key).changes > 0,
    entries: () =>
      prepare(`select key, value, changed from records where ${alive} order by changed, key`)
        .all(space, now())
        .map(({ key, value, changed }) => ({
          key: String(key),
          value: JSON.parse(String(value)),
          changedAt: Number(changed),
        })),
    clear: () => void prepare('delete from records where space = ?').run(space),
  };
}

function open(file: string): DatabaseSync {
  if (isReadOnly(file)) return openInMemory(file);
  try {
    prepareDataFolder(dirname(file));
    keepDatabasePrivate(file);
    const database = new DatabaseSync(file, { timeout: 5_000 });
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
    database.exec(SCHEMA);
    return database;
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The board's store ${file} cannot be opened: ${reason}. Set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written.`;
    throw new ToolError({ code: 'execution_failed', message, cause });
  }
}

/** Where nothing can be written, records live as long as the board: with those that can be read from the file. */
function openInMemory(file: string): DatabaseSync {
  const message = `Nothing can be kept in ${dirname(file)}, which cannot be written: what this board learns is forgotten when it ends. Set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written.`;
  if (!warned.has(file)) process.emitWarning(message, 'PegboardStoreWarning');
  warned.add(file);
  const database = new DatabaseSync(':memory:');
  database.exec(SCHEMA);
  try {
    const kept = openReadOnly(file);
    const insert = database.prepare('insert into records values (?, ?, ?, ?, ?)');
    const rows = kept.database.prepare('select space, key, value, changed, expires from records').all();
    for (const { space, key, value, changed, expires } of rows) {
      insert.run(space ?? null, key ?? null, value ?? null, changed ?? null, expires ?? null);
    }
    kept.close();
  } catch {
    // There is no file, or none that can be read: then there are no records.
  }
  return database;
}
