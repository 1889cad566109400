import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keepDatabasePrivate, makeFolder } from '../../platform/store/private-file.ts';
import { createMemoryCache, type VectorCache } from './with-cache.ts';

/** The location and size of a vector cache. */
interface SqliteCacheOptions {
  /** Created if it does not exist. */
  readonly folder: string;
  /** The number of vectors to keep; the least recently used are deleted first. Default: 100,000. */
  readonly most?: number | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

const DAY = 86_400_000;
/** Variables in one statement. */
const AT_ONCE = 500;
const SCHEMA = `
  create table if not exists vectors (key text primary key, vector blob not null, used integer not null);
  create index if not exists vectors_used on vectors (used)`;

/**
 * Opens a cache in a file that several processes may share. The file is opened on first use.
 *
 * If the file cannot be used, vectors stay in memory: losing them costs only the time to compute them again.
 */
export function openSqliteCache({ folder, most = 100_000, now = Date.now }: SqliteCacheOptions): VectorCache {
  let opened: VectorCache | undefined;
  const cache = (): VectorCache => (opened ??= open(folder, { most, now }));
  /** A full disk or a damaged file must not end a search. */
  const orMemory = <T>(work: (cache: VectorCache) => T): T => {
    try {
      return work(cache());
    } catch {
      opened?.close();
      opened = createMemoryCache();
      return work(opened);
    }
  };
  return {
    get: (keys) => orMemory((known) => known.get(keys)),
    set: (entries) => orMemory((known) => known.set(entries)),
    close: () => opened?.close(),
  };
}

function open(folder: string, { most, now }: { most: number; now: () => number }): VectorCache {
  const database = openDatabase(folder);
  const insert = database.prepare('insert or replace into vectors values (?, ?, ?)');
  const touch = database.prepare('update vectors set used = ? where key = ? and used < ?');
  return {
    get: (keys) => {
      const found = new Map<string, Float32Array>();
      const time = now();
      for (let from = 0; from < keys.length; from += AT_ONCE) {
        const some = keys.slice(from, from + AT_ONCE);
        const marks = some.map(() => '?').join();
        const rows = database.prepare(`select key, vector, used from vectors where key in (${marks})`).all(...some);
        for (const { key, vector, used } of rows) {
          if (vector instanceof Uint8Array) found.set(String(key), new Float32Array(new Uint8Array(vector).buffer));
          // One update a day is enough to order vectors by their last use, and saves most reads a write.
          if (Number(used) < time - DAY) touch.run(time, String(key), time - DAY);
        }
      }
      return keys.map((key) => found.get(key));
    },
    set: (entries) => {
      database.exec('begin immediate');
      try {
        for (const [key, vector] of entries) {
          insert.run(key, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), now());
        }
        database.exec('commit');
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
      evict(database, most);
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Deletes down to 90 % of the limit, so that the next vector does not reach it again. */
function evict(database: DatabaseSync, most: number): void {
  const count = Number(database.prepare('select count(*) as count from vectors').get()?.['count']);
  if (count <= most) return;
  const extra = count - Math.floor(most * 0.9);
  database.prepare('delete from vectors where key in (select key from vectors order by used, key limit ?)').run(extra);
}

function openDatabase(folder: string): DatabaseSync {
  makeFolder(folder, 0o700);
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // The file exists already.
  }
  const file = join(folder, 'vectors.db');
  keepDatabasePrivate(file);
  const database = new DatabaseSync(file, { timeout: 5_000 });
  // Vectors lost in a crash are computed again.
  database.exec('pragma journal_mode = wal; pragma synchronous = normal');
  database.exec(SCHEMA);
  return database;
}
