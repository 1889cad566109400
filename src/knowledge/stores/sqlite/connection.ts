import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { ToolError } from '../../../tool/tool-error.ts';
import { runAtOnce, runInTurns } from '../../../tool/run-in-turns.ts';
import type { ReadOnlyDatabase } from '../../../platform/store/open-read-only.ts';
import { IN_MEMORY, openReader, openWriter, STATEMENT_TIMEOUT } from './open-database.ts';
import type { CollectionInfo, Distance, EmbeddingSettings } from '../../vector-store.ts';
import { unknownCollection } from '../check-input.ts';

/** The time a writer waits for other processes. */
const WRITE_TIMEOUT = 30_000;
const LONGEST_PAUSE = 40;
const BUSY = 5;

export type Row = Record<string, SQLOutputValue>;

/** Runs statements and caches the prepared ones. */
export interface Statements {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number;
}

class Handle implements Statements {
  readonly #source: ReadOnlyDatabase;
  readonly #statements = new Map<string, StatementSync>();

  constructor(source: ReadOnlyDatabase) {
    this.#source = source;
  }

  get database(): DatabaseSync {
    return this.#source.database;
  }

  /** True if it shows the current file; a read-only handle may be outdated. */
  get isCurrent(): boolean {
    return this.#source.isCurrent();
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  close(): void {
    this.#statements.clear();
    this.#source.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }
}

/**
 * One open file: consistent reads, and one write at a time.
 *
 * Writes have their own handle, so that reads continue during a long write and see the state before it.
 */
export class Connection implements Statements {
  readonly #file: string;
  #reader: Handle | undefined;
  /** Opened by the first write. */
  #writer: Handle | undefined;
  #isReading = false;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
    this.#reader = new Handle(openReader(file));
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#open().all(sql, ...values);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#open().get(sql, ...values);
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#open().run(sql, ...values);
  }

  /** Runs reads that all see the same state of the file. */
  read<T>(work: () => T): T {
    const { database } = this.#open();
    if (this.#isReading) return work();
    database.exec('begin');
    this.#isReading = true;
    try {
      return work();
    } finally {
      this.#isReading = false;
      database.exec('commit');
    }
  }

  /**
   * Runs writes as one transaction: no other process writes meanwhile, an error rolls back everything, and the data is
   * on disk when this resolves.
   */
  async write<T>(work: (writer: Statements) => Generator<void, T>): Promise<T> {
    const turn = this.#writing.then(async () => {
      const writer = this.#openWriter();
      const { database } = writer;
      await this.#lock(database);
      try {
        // A database in memory has only one handle, whose reads must not see an unfinished write.
        const result = this.#isInMemory ? runAtOnce(work(writer)) : await runInTurns(work(writer));
        database.exec('commit');
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    });
    this.#writing = turn.catch(() => undefined);
    return turn;
  }

  /** Closes the file after the writes that have started. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#writer !== this.#reader) this.#writer?.close();
    this.#reader?.close();
    this.#reader = this.#writer = undefined;
  }

  /** Waits for other processes that hold the file, without blocking the event loop. */
  async #lock(database: DatabaseSync): Promise<void> {
    const deadline = performance.now() + WRITE_TIMEOUT;
    for (;;) {
      try {
        database.exec('pragma busy_timeout = 0; begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      } finally {
        database.exec(`pragma busy_timeout = ${STATEMENT_TIMEOUT}`);
      }
      await wait(Math.random() * LONGEST_PAUSE);
    }
  }

  get #isInMemory(): boolean {
    return this.#file === IN_MEMORY;
  }

  #openWriter(): Handle {
    const reader = this.#open();
    if (this.#writer !== undefined) return this.#writer;
    if (this.#isInMemory) return (this.#writer = reader);
    const database = openWriter(this.#file);
    return (this.#writer = new Handle({ database, isCurrent: () => true, close: () => database.close() }));
  }

  #open(): Handle {
    const reader = this.#reader;
    if (reader !== undefined && (this.#isReading || reader.isCurrent)) return reader;
    if (reader !== undefined) {
      reader.close();
      return (this.#reader = new Handle(openReader(this.#file)));
    }
    throw new ToolError({ code: 'execution_failed', message: `The knowledge store ${this.#file} is closed.` });
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
}

/** Rolls back. After some errors, such as a full disk, SQLite has already done so. */
function rollBack(database: DatabaseSync): void {
  try {
    database.exec('rollback');
  } catch {
    // There is nothing to undo.
  }
}

export interface CollectionRow {
  readonly key: number;
  readonly info: CollectionInfo;
  readonly documents: number;
  readonly chunks: number;
  readonly words: number;
  readonly changed: number;
  /** Rises with every write. */
  readonly version: number;
  /** The `TERMS_VERSION` its words were read with. */
  readonly terms: number;
}

/** Finds a collection, or throws an error that lists the existing ones. */
export function getCollection(connection: Statements, name: string): CollectionRow {
  const row = findCollection(connection, name);
  if (row !== undefined) return row;
  throw unknownCollection(name, listCollections(connection));
}

export function findCollection(connection: Statements, name: string): CollectionRow | undefined {
  const row = connection.get('select * from collections where name = ?', name);
  return row === undefined ? undefined : toCollection(row);
}

export function listCollections(connection: Statements): CollectionInfo[] {
  return connection.all('select * from collections order by name').map((row) => toCollection(row).info);
}

function toCollection(row: Row): CollectionRow {
  const count = (column: string): number => Number(row[column]);
  return {
    key: count('key'),
    info: { name: String(row['name']), embedding: toSettings(row) },
    documents: count('documents'),
    chunks: count('chunks'),
    words: count('words'),
    changed: count('changed'),
    version: count('version'),
    terms: count('terms'),
  };
}

function toSettings({ embedder, dimension, distance }: Row): EmbeddingSettings | undefined {
  if (embedder === null) return undefined;
  // Settings are checked before they are written.
  return { embedder: String(embedder), dimension: Number(dimension), distance: String(distance) as Distance };
}
