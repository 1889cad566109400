import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { ToolError } from '../../../core/tool-error.ts';
import { openDatabase, STATEMENT_TIMEOUT } from './open-database.ts';

/** How long a writer waits for other processes before it gives up. */
const WRITE_TIMEOUT = 30_000;
const LONGEST_PAUSE = 40;
const BUSY = 5;

/** A row as SQLite gives it. */
export type Row = Record<string, SQLOutputValue>;

/** One open file: statements prepared once, reads that see one state, writes one at a time. */
export class Connection {
  readonly #file: string;
  readonly #statements = new Map<string, StatementSync>();
  #database: DatabaseSync | undefined;
  #isInside = false;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
    this.#database = openDatabase(file);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  /** How many rows were changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Runs reads that all see the same state of the file. */
  read<T>(work: () => T): T {
    const database = this.#open();
    if (this.#isInside) return work();
    database.exec('begin');
    this.#isInside = true;
    try {
      return work();
    } finally {
      this.#isInside = false;
      database.exec('commit');
    }
  }

  /** Runs writes as one: nobody else writes meanwhile, an error undoes all, and they are on disk when this resolves. */
  async write<T>(work: () => T): Promise<T> {
    const turn = this.#writing.then(async () => {
      const database = this.#open();
      await this.#lock(database);
      this.#isInside = true;
      try {
        const result = work();
        database.exec('commit');
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      } finally {
        this.#isInside = false;
      }
    });
    this.#writing = turn.catch(() => undefined);
    return turn;
  }

  /** Ends the connection after the writes that were begun. */
  async close(): Promise<void> {
    await this.#writing;
    this.#statements.clear();
    this.#database?.close();
    this.#database = undefined;
  }

  /** Another process may hold the file: waits for it with the event loop free. */
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

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#open().prepare(sql)));
    return statement;
  }

  #open(): DatabaseSync {
    if (this.#database !== undefined) return this.#database;
    throw new ToolError({ code: 'execution_failed', message: `The knowledge store ${this.#file} is closed.` });
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
}

/** SQLite has already undone everything after some errors, such as a full disk. */
function rollBack(database: DatabaseSync): void {
  try {
    database.exec('rollback');
  } catch {
    // Nothing was left to undo.
  }
}
