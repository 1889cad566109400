/** A value that a statement is given, or gives. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** A row, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement; `$1` is the first value. */
export type Sql = (statement: string, values?: readonly SqlValue[]) => Promise<SqlRow[]>;

/** A column that rows are inserted into. */
export interface SqlColumn {
  readonly name: string;
  readonly type: 'text' | 'bigint';
}

/** A statement with its values. */
export interface SqlStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What differs between databases. */
export interface SqlDialect {
  readonly driver: 'sqlite' | 'postgres' | 'memory';
  /** Stands before the name of each table. */
  readonly schema: string;
  /** The time in milliseconds since 1970, by the one clock that all processes share. */
  readonly now: string;
  /** The type of a key that counts up by itself. */
  readonly serial: string;
  readonly bytes: string;
  /** Ends a `select` whose rows must not change until the transaction ends. */
  readonly forUpdate: string;
  /** Follows a name of a column that is compared by its bytes; empty where all are. */
  readonly byBytes: string;
  /** Ends a `create table` whose rows lie in the order of their key. */
  readonly clustered: string;
  /** The statements that insert rows, in this order, at the least cost: what a round trip costs differs, and what reading a long statement does. */
  insert(table: string, columns: readonly SqlColumn[], rows: readonly SqlRow[]): Iterable<SqlStatement>;
  /** Finds a text inside another: both as expressions. */
  contains(text: string, part: string): string;
}

/** How a transaction runs. */
export interface TransactionOptions {
  /** Whether it must outlive a power cut. Default: yes. */
  readonly durable?: boolean | undefined;
  /** Whether it only adds rows, and reads none: it then never has to be run again. Default: no. */
  readonly isAppend?: boolean | undefined;
}

/** A database as the store needs it. It is opened by its first statement. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Where it is, without a password. */
  readonly address: string;
  readonly run: Sql;
  transaction<T>(work: (run: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** A transaction that changes tables: one process at a time, each seeing what the one before it did. */
  change<T>(work: (run: Sql) => Promise<T>): Promise<T>;
  /** Begins to tell of signals by other processes. Gives a function that stops it. */
  listen(listener: SignalListener): () => void;
  /** Tells other processes of a signal, inside of the transaction that made it: they hear of it once that is committed. */
  announce(run: Sql, channel: string): Promise<void>;
  /** Hears that a transaction with a signal was committed. */
  announced?(channel: string): void;
  size(): Promise<number>;
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

/** Hears of signals. */
export interface SignalListener {
  /** One channel, or each when it is not known which. */
  (channel: string | undefined): void;
}
