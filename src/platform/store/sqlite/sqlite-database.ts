import { AsyncLocalStorage } from 'node:async_hooks';
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { ToolError } from '../../../tool/tool-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { keepDatabasePrivate, prepareDataFolder } from '../private-file.ts';
import { isReadOnly, openReadOnly } from '../open-read-only.ts';
import {
  type SignalListener,
  SignalReader,
  type Sql,
  type SqlColumn,
  type SqlDatabase,
  type SqlDialect,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
  type TransactionOptions,
} from '../sql-database.ts';

/** Milliseconds for which another process may hold the file before a statement fails. */
const PATIENCE = 10_000;
/** Milliseconds between two checks for signals when the system does not report file changes. */
const POLL = 1_000;
/** SQLite's name for a database without a file. */
const IN_MEMORY = ':memory:';
/** SQLite's error codes for a conflict with another connection. */
const BUSY = new Set([5, 6, 261, 262, 517]);

/** The transaction that contains the running code. */
const inside = new AsyncLocalStorage<SqliteDatabase>();

interface SqliteOptions {
  /** The file; `undefined` for a database that lives as long as its process. */
  readonly file: string | undefined;
  readonly clock?: { now(): number } | undefined;
}

/**
 * An SQLite file that several processes use.
 *
 * Statements wait in a queue for transactions of this process, and for those of other processes without blocking the event loop.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly address: string;
  readonly #clock: { now(): number };
  readonly #statements = new Map<string, StatementSync>();
  readonly #isKept: boolean;
  #database: DatabaseSync | undefined;
  #isClosed = false;
  #isDurable = true;
  /** Settles after all transactions requested so far. */
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor({ file, clock = Date }: SqliteOptions) {
    this.address = file ?? IN_MEMORY;
    this.#clock = clock;
    this.#isKept = file !== undefined && !isReadOnly(file);
  }

  get dialect(): SqlDialect {
    return this.#isKept ? DIALECT : { ...DIALECT, driver: 'memory' };
  }

  readonly run: Sql = async (statement, values) => {
    if (this.#waiting > 0) {
      this.#refuseInside();
      await this.#queue;
    }
    return this.#patiently(() => this.#execute(statement, values));
  };

  async transaction<T>(work: (run: Sql) => Promise<T>, { durable = true }: TransactionOptions = {}): Promise<T> {
    this.#refuseInside();
    const before = this.#queue;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue = promise;
    this.#waiting++;
    try {
      await before;
      const database = await this.#patiently(() => this.#begin(durable));
      try {
        const result = await inside.run(this, () =>
          work(async (statement, values) => this.#execute(statement, values)),
        );
        database.exec('commit');
        return result;
      } catch (error) {
        if (database.isOpen && database.isTransaction) database.exec('rollback');
        throw error;
      }
    } finally {
      this.#waiting--;
      resolve();
    }
  }

  // A write transaction is exclusive and sees all earlier ones.
  change<T>(work: (run: Sql) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  listen(listener: SignalListener): () => void {
    if (!this.#isKept) return () => {};
    const signals = new SignalReader(listener);
    let version: unknown;
    const look = (): void => {
      try {
        const now = this.#execute('pragma data_version')[0]?.['data_version'];
        // A change by this process does not change the number and was already reported.
        if (now === version) return;
        signals.read(this.#execute('select channel, version from main.signals'));
        version = now;
      } catch {
        // The file is being written or has no tables yet.
        signals.fail();
      }
    };
    look();
    const timer = setInterval(look, POLL).unref();
    const watcher = watchFile(this.address, look);
    return () => {
      clearInterval(timer);
      watcher?.close();
    };
  }

  // Other processes only read the row in `signals`.
  async announce(run: Sql, channel: string): Promise<void> {
    await run(
      `insert into main.signals as old (channel, version) values ($1, 1)
        on conflict (channel) do update set version = old.version + 1`,
      [channel],
    );
  }

  async size(): Promise<number> {
    const bytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return this.#isKept ? bytes(this.address) + bytes(`${this.address}-wal`) : 0;
  }

  async vacuum(): Promise<void> {
    await this.run('vacuum');
    await this.run('pragma wal_checkpoint(truncate)');
  }

  async close(): Promise<void> {
    if (this.#waiting > 0 && inside.getStore() !== this) await this.#queue;
    this.#isClosed = true;
    this.#statements.clear();
    if (this.#database?.isOpen === true) this.#database.close();
  }

  #begin(durable: boolean): DatabaseSync {
    const database = this.#open();
    if (durable !== this.#isDurable) {
      // Such a commit survives the end of this process but not a power cut; the next durable one covers it.
      database.exec(`pragma synchronous = ${durable ? 'full' : 'normal'}`);
      this.#isDurable = durable;
    }
    database.exec('begin immediate');
    return database;
  }

  #execute(text: string, values: readonly SqlValue[] = []): SqlRow[] {
    const database = this.#open();
    if (!this.#isDurable && !database.isTransaction) {
      database.exec('pragma synchronous = full');
      this.#isDurable = true;
    }
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = database.prepare(toPlaces(text));
      this.#statements.set(text, statement);
    }
    return statement.all(...values);
  }

  #open(): DatabaseSync {
    if (this.#isClosed)
      throw new ToolError({ code: 'execution_failed', message: `The board's store ${this.address} is closed.` });
    if (this.#database !== undefined) return this.#database;
    const database = this.#isKept
      ? openFile(this.address)
      : this.address === IN_MEMORY
        ? new DatabaseSync(IN_MEMORY)
        : openInMemory(this.address);
    database.function('pegboard_now', () => Math.trunc(this.#clock.now()));
    return (this.#database = database);
  }

  /** Retries while another process holds the file. */
  async #patiently<T>(work: () => T): Promise<T> {
    const until = performance.now() + PATIENCE;
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() >= until) {
          const message = `The board's store ${this.address} has been locked by another process for more than ${PATIENCE / 1_000} s. Try again; if this persists, check which process has the file open.`;
          throw new ToolError({ code: 'upstream_unavailable', message, cause: error });
        }
        await wait(pause);
      }
    }
  }

  #refuseInside(): void {
    if (inside.getStore() === this)
      throw new TypeError(
        'Inside a transaction use the store that the function was given: the outer one would wait for it.',
      );
  }
}

const DIALECT: SqlDialect = {
  driver: 'sqlite',
  schema: 'main',
  now: 'pegboard_now()',
  serial: 'integer primary key autoincrement',
  bytes: 'blob',
  forUpdate: '',
  byBytes: '',
  clustered: ' without rowid',
  insert: insertRows,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
};

/** Converts a statement to the form that SQLite binds fastest: numbered parameters are looked up one by one. */
function toPlaces(text: string): string {
  const places = [...text.matchAll(/\$(\d+)/g)];
  const isInOrder = places.every(([, number], index) => Number(number) === index + 1);
  return text.replaceAll(/\$(\d+)/g, isInOrder ? '?' : '?$1');
}

/** Rows per statement, largest first. Few sizes, so that each statement is prepared once. */
const ROWS = [32, 8, 1] as const;

function* insertRows(
  table: string,
  columns: readonly SqlColumn[],
  rows: readonly SqlRow[],
): Generator<SqlStatement, void> {
  const names = columns.map(({ name }) => name);
  let at = 0;
  for (const size of ROWS) {
    const tuples = Array.from({ length: size }, () => `(${names.map(() => '?').join(', ')})`);
    const text = `insert into ${table} (${names.join(', ')}) values ${tuples.join(', ')}`;
    for (; rows.length - at >= size; at += size) {
      // A row has a storable value, or none, for each column.
      const values = rows.slice(at, at + size).flatMap((row) => names.map((name) => (row[name] ?? null) as SqlValue));
      yield { text, values };
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && BUSY.has(Number(error.errcode));
}

/** Reports changes to a database by any process, where the system can. */
function watchFile(file: string, notify: () => void): FSWatcher | undefined {
  try {
    const name = basename(file);
    let isScheduled = false;
    const watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed !== null && !changed.startsWith(name)) return;
      if (isScheduled) return;
      isScheduled = true;
      // Many writes cause one check.
      setTimeout(() => {
        isScheduled = false;
        notify();
      }, 2).unref();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}

function openFile(file: string): DatabaseSync {
  try {
    prepareDataFolder(dirname(file));
    keepDatabasePrivate(file);
    // A statement that would wait returns at once and is retried without blocking the event loop.
    const database = new DatabaseSync(file, { timeout: 0 });
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
    return database;
  } catch (cause) {
    if (isBusy(cause)) throw cause;
    const message = `The board's store ${file} cannot be opened: ${messageOf(cause)}. Set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written.`;
    throw new ToolError({ code: 'execution_failed', message, cause });
  }
}

/** Files with a warning that they cannot be written. */
const warned = new Set<string>();

/** Opens a database in memory when nothing can be written, with the records that the file contains. */
function openInMemory(file: string): DatabaseSync {
  const message = `Nothing can be stored in ${dirname(file)}, which is not writable: the board's data is lost when it ends. Set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written.`;
  if (!warned.has(file)) process.emitWarning(message, 'PegboardStoreWarning');
  warned.add(file);
  const database = new DatabaseSync(':memory:');
  try {
    const kept = openReadOnly(file);
    const rows = kept.database.prepare('select space, key, value, changed, expires from records').all();
    database.exec(
      'create table records (space text, key text, value text, changed integer, expires integer, primary key (space, key)) without rowid',
    );
    const insert = database.prepare('insert into records values (?, ?, ?, ?, ?)');
    for (const { space, key, value, changed, expires } of rows)
      insert.run(space ?? null, key ?? null, value ?? null, changed ?? null, expires ?? null);
    kept.close();
  } catch {
    // There is no readable file, so there are no records.
  }
  return database;
}
