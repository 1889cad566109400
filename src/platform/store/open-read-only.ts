import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** A database that this process can only read. */
export interface ReadOnlyDatabase {
  readonly database: DatabaseSync;
  /** Returns false when the file has changed since it was opened. */
  isCurrent(): boolean;
  close(): void;
}

/** Returns true when this process cannot write a file, or files next to it, as SQLite must. For a missing file, its folder counts. */
export function isReadOnly(file: string): boolean {
  let folder = dirname(file);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return !isWritable(folder) || (existsSync(file) && !isWritable(file));
}

/**
 * Opens a database that cannot be written.
 *
 * Changes by a process that currently writes it are visible. Otherwise SQLite cannot create its shared file: the database is treated as
 * immutable, and `isCurrent` reports changes. A log left by a process that ended early counts, so such a pair is read from a copy.
 */
export function openReadOnly(file: string): ReadOnlyDatabase {
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
  const shared = attempt(() => new Database(file, { readOnly: true }));
  if (shared !== undefined) return { database: shared, isCurrent: () => true, close: () => shared.close() };
  const stamp = stampOf(file);
  const isCurrent = (): boolean => stampOf(file) === stamp;
  if (sizeOf(`${file}-wal`) === 0) {
    const address = pathToFileURL(file);
    address.search = '?immutable=1';
    const database = new Database(address, { readOnly: true });
    return { database, isCurrent, close: () => database.close() };
  }
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-copy-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    const database = new Database(copy);
    // Applies the log next to the file.
    database.prepare('select count(*) from sqlite_master').get();
    return {
      database,
      isCurrent,
      close: () => {
        database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function attempt(open: () => DatabaseSync): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = open();
    database.prepare('select count(*) from sqlite_master').get();
    return database;
  } catch {
    database?.close();
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function stampOf(file: string): string {
  return [file, `${file}-wal`]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .map((stats) => `${stats?.ino} ${stats?.size} ${stats?.mtimeMs}`)
    .join(' ');
}
