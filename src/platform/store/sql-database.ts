export type SqlValue = string | number | bigint | Uint8Array | null;

export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement; `$1` is the first value. */
export type Sql = (statement: string, values?: readonly SqlValue[]) => Promise<SqlRow[]>;

export interface SqlColumn {
  readonly name: string;
  readonly type: 'text' | 'bigint';
}

export interface SqlStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The differences between databases. */
export interface SqlDialect {
  readonly driver: 'sqlite' | 'postgres' | 'memory';
  /** The prefix of each table name. */
  readonly schema: string;
  /** The time in milliseconds since 1970, from the clock that all processes share. */
  readonly now: string;
  /** The type of an automatically increasing key. */
  readonly serial: string;
  readonly bytes: string;
  /** The end of a `select` whose rows must not change until the transaction ends. */
  readonly forUpdate: string;
  /** Follows the name of a column to compare it bytewise; empty where that is the default. */
  readonly byBytes: string;
  /** The end of a `create table` whose rows are stored in key order. */
  readonly clustered: string;
  /** Returns statements that insert rows in this order most cheaply: the costs of round trips and long statements differ. */
  insert(table: string, columns: readonly SqlColumn[], rows: readonly SqlRow[]): Iterable<SqlStatement>;
  /** Returns an expression that tests if one text contains another. */
  contains(text: string, part: string): string;
}

export interface TransactionOptions {
  /** True when it must survive a power cut. Default: true. */
  readonly durable?: boolean | undefined;
  /** True when it only inserts rows and reads none, so that it never has to be repeated. Default: false. */
  readonly isAppend?: boolean | undefined;
}

/** A database for a store. Its first statement opens it. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** The location, without a password. */
  readonly address: string;
  readonly run: Sql;
  transaction<T>(work: (run: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs a transaction that changes tables: one process at a time, each seeing all earlier changes. */
  change<T>(work: (run: Sql) => Promise<T>): Promise<T>;
  /** Calls `listener` for signals of other processes. Returns a function that stops it. */
  listen(listener: SignalListener): () => void;
  /** Sends a signal to other processes within a transaction. They receive it after the commit. */
  announce(run: Sql, channel: string): Promise<void>;
  /** Called after a transaction with a signal is committed. */
  announced?(channel: string): void;
  size(): Promise<number>;
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

/** Receives signals: a channel, or `undefined` when any may have changed. */
export type SignalListener = (channel: string | undefined) => void;

/** Reports the channels whose version has changed between two checks. */
export class SignalReader {
  readonly #listener: SignalListener;
  readonly #seen = new Map<string, number>();
  /** True once earlier signals are known, so that only new ones are reported. */
  #isKnown = false;
  #hasFailed = false;

  constructor(listener: SignalListener) {
    this.#listener = listener;
  }

  /** Takes the rows of `signals`. */
  read(rows: readonly SqlRow[]): void {
    for (const { channel, version } of rows) {
      const [name, at] = [String(channel), Number(version)];
      if (this.#seen.get(name) === at) continue;
      this.#seen.set(name, at);
      if (this.#isKnown) this.#listener(name);
    }
    if (!this.#isKnown && this.#hasFailed) this.#listener(undefined);
    this.#isKnown = true;
  }

  /** Notes that the rows cannot be read now: the next check finds all signals since. */
  fail(): void {
    this.#hasFailed = true;
  }
}
