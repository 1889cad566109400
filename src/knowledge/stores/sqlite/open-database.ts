import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ToolError } from '../../../tool/tool-error.ts';
import { keepDatabasePrivate, makeFolder } from '../../../platform/store/private-file.ts';
import { isReadOnly, openReadOnly, type ReadOnlyDatabase } from '../../../platform/store/open-read-only.ts';
import { type PathMatcher, readPathFilter } from '../match-path.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** The name of a store that is lost when the process ends. */
export const IN_MEMORY = ':memory:';
/** The version of the file. A file of a later version is rejected and never changed. */
const SHAPE = 1;
/** The time to wait for processes that are opening or repairing the file. */
const OPEN_TIMEOUT = 10_000;
/** The time a statement waits while another process repairs the file, the only case in which readers wait. */
export const STATEMENT_TIMEOUT = 5_000;

const SCHEMA = `
  create table if not exists facts (name text primary key, value integer not null) without rowid;
  insert or ignore into facts values ('next', 1);
  create table if not exists collections (
    key integer primary key autoincrement, name text not null unique, embedder text, dimension integer, distance text,
    documents integer not null default 0, chunks integer not null default 0, words integer not null default 0,
    changed integer not null default 0, version integer not null default 0, terms integer not null
  );
  create table if not exists documents (
    key integer primary key, collection integer not null, id text not null, hash text not null, type text not null,
    tags text not null, path text, stamp text, first integer not null, count integer not null
  );
  create unique index if not exists documents_by_id on documents (collection, id);
  create unique index if not exists documents_by_number on documents (collection, first);
  create index if not exists documents_by_path on documents (collection, path);
  create index if not exists documents_by_type on documents (collection, type);
  create table if not exists tags (
    collection integer not null, tag text not null, document integer not null,
    primary key (collection, tag, document)
  ) without rowid;
  create table if not exists chunks (
    number integer primary key, headings text not null, line_from integer, line_to integer, text text not null
  );
  create table if not exists postings (
    collection integer not null, term text not null, first integer not null, last integer not null,
    count integer not null, block blob not null, primary key (collection, term, first)
  ) without rowid;
  create table if not exists packed (
    collection integer not null, number integer not null, vector blob not null, primary key (collection, number)
  ) without rowid;
  create table if not exists vectors (number integer primary key, vector blob not null);
  create table if not exists removed (
    collection integer not null, version integer not null, first integer not null, count integer not null,
    primary key (collection, version, first)
  ) without rowid;`;

function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (file !== IN_MEMORY) {
      prepareFolder(dirname(file));
      keepDatabasePrivate(file);
    }
    // Loaded on first use: before Node 24, Node prints a warning when it is loaded.
    database = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(file);
    // Node 22.13 does not support this as an option.
    database.exec(`pragma busy_timeout = ${OPEN_TIMEOUT}`);
    const shape = Number(database.prepare('pragma user_version').get()?.['user_version']);
    if (shape > SHAPE)
      throw new Error(`it was made by a later version of Pegboard (${shape}, this one knows ${SHAPE})`);
    // FULL: acknowledged writes survive a power cut.
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32000');
    if (shape < SHAPE) {
      database.exec('begin immediate');
      database.exec(SCHEMA);
      database.exec(`pragma user_version = ${SHAPE}; commit`);
    }
    database.exec(`pragma busy_timeout = ${STATEMENT_TIMEOUT}`);
    addPathFunction(database);
    return database;
  } catch (cause) {
    database?.close();
    throw cannotOpen(file, cause);
  }
}

function cannotOpen(file: string, cause: unknown): ToolError {
  const reason = messageOf(cause);
  const advice = 'Name another file, or set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written';
  const message = `The knowledge store ${file} cannot be opened: ${reason}. ${advice}.`;
  return new ToolError({ code: 'execution_failed', message, cause });
}

/** Opens the file for searching, even if it is read-only. */
export function openReader(file: string): ReadOnlyDatabase {
  if (file === IN_MEMORY || !existsSync(file) || !isReadOnly(file)) {
    const database = openDatabase(file);
    return { database, isCurrent: () => true, close: () => database.close() };
  }
  let reader: ReadOnlyDatabase | undefined;
  try {
    reader = openReadOnly(file);
    const shape = Number(reader.database.prepare('pragma user_version').get()?.['user_version']);
    if (shape !== SHAPE) throw new Error(`it has another shape (${shape}, this version knows ${SHAPE})`);
    addPathFunction(reader.database);
    return reader;
  } catch (cause) {
    reader?.close();
    throw cannotOpen(file, cause);
  }
}

export function openWriter(file: string): DatabaseSync {
  if (!isReadOnly(file)) return openDatabase(file);
  const advice =
    'It can be searched. To store something, name another file, or set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written';
  const message = `The knowledge store ${file} cannot be written. ${advice}.`;
  throw new ToolError({ code: 'execution_failed', message });
}

/** Adds `path_matches(pattern, path)`, which parses a pattern once for all rows of a statement. */
function addPathFunction(database: DatabaseSync): void {
  let last = '';
  let matches: PathMatcher = readPathFilter(last);
  database.function('path_matches', { deterministic: true }, (pattern, path) => {
    if (pattern !== last) matches = readPathFilter((last = String(pattern)));
    return matches(typeof path === 'string' ? path : undefined) ? 1 : 0;
  });
}

/** Creates the folder with private access, ignored by version control. */
function prepareFolder(folder: string): void {
  const made = makeFolder(folder, 0o700);
  if (made !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n');
}
