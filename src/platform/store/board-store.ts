/**
 * The storage of a board: records in spaces, a journal, bytes, leases and signals.
 *
 * All processes of a board share it: an SQLite file on one machine, or a PostgreSQL database for several machines. Both give the same
 * guarantees.
 */
export interface BoardStore extends StoreAccess {
  /** The location, without a password. */
  readonly address: string;
  /** True when the data is lost at the end of this process, because nothing can be written. Default: false. */
  readonly isTemporary?: boolean | undefined;
  /**
   * Reads and writes atomically: nothing comes in between, and an error undoes everything.
   *
   * `work` must use only the store it receives. It may run again after a conflict with another process.
   */
  transaction<T>(work: (inside: StoreTransaction) => Promise<T>, options?: StoreTransactionOptions): Promise<T>;
  /** Takes a lease; `undefined` while another holder has it. */
  takeLease(name: string, options: LeaseOptions): Promise<StoreLease | undefined>;
  /** Returns the current holder of a lease; `undefined` when it is free. */
  leaseHolder(name: string): Promise<string | undefined>;
  /**
   * Calls `listener` after each signal on a channel by any process, and when one may have been missed. Returns a function that stops it.
   *
   * A signal is a hint to read again: several may arrive as one.
   */
  watch(channel: string, listener: () => void): () => void;
  status(): Promise<StoreStatus>;
  /** Deletes expired data and frees space. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

/** Options of a transaction. */
export interface StoreTransactionOptions {
  /** True when it must survive a power cut; otherwise it survives only the end of this process. Default: true. */
  readonly durable?: boolean | undefined;
}

/** Operations available alone or inside a transaction. */
export interface StoreAccess {
  space(name: string): StoreSpace;
  readonly journal: StoreJournal;
  readonly bytes: StoreBytes;
  /** Notifies every process that watches this channel, after the data is written. */
  signal(channel: string): Promise<void>;
}

/** A transaction of a store. */
export interface StoreTransaction extends StoreAccess {
  /** Fails with `outcome_unknown` unless the lease is still held, which undoes the transaction. */
  fence(lease: StoreLease): Promise<void>;
}

/** Records of one kind. */
export interface StoreSpace {
  /** Returns the record; `undefined` when it does not exist or has expired. */
  get(key: string): Promise<unknown>;
  /** Stores a record, which is on disk when this resolves. */
  set(key: string, value: unknown, options?: OwnedRecordOptions): Promise<void>;
  /** Stores a record unless one exists. Returns true when stored. */
  add(key: string, value: unknown, options?: OwnedRecordOptions): Promise<boolean>;
  /** Returns true when the record existed. */
  delete(key: string): Promise<boolean>;
  /** Lists records, the longest unchanged first. */
  entries(options?: EntriesOptions): Promise<StoredRecord[]>;
  /** Lists the keys of the same records in the same order without reading their values. */
  keys(options?: EntriesOptions): Promise<RecordKey[]>;
  /** Counts the records of one owner, or of all owners together, without reading them. */
  count(options?: CountOptions): Promise<RecordCount>;
  clear(): Promise<void>;
}

/** Options of a record. */
export interface RecordOptions {
  /** Milliseconds until it expires. Default: never. */
  readonly ttl?: number | undefined;
}

/** Options of a record with an owner. */
export interface OwnedRecordOptions extends RecordOptions {
  /** The caller that owns the record. An index lists and counts records by owner. Default: none. */
  readonly owner?: string | undefined;
}

/** Options for counting records. */
export interface CountOptions {
  /** Default: all records with an owner. */
  readonly owner?: string | undefined;
}

/** A number of records, and the bytes of their stored values. */
export interface RecordCount {
  readonly records: number;
  readonly bytes: number;
}

/** Options for listing the entries of a space. */
export interface EntriesOptions {
  /** Only keys with this prefix. */
  readonly prefix?: string | undefined;
  /** Only records of this owner; `true` for records with any owner. */
  readonly owner?: string | true | undefined;
  /** Maximum number. Default: all. */
  readonly limit?: number | undefined;
}

/** The key of a record in a space. */
export interface RecordKey {
  readonly key: string;
  /** The time of the last write, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** A record with its key and time. */
export interface StoredRecord extends RecordKey {
  readonly value: unknown;
}

/** An append-only list of lines. */
export interface StoreJournal {
  /** Appends lines in this order. */
  append(lines: readonly JournalLine[], options?: AppendOptions): Promise<void>;
  /** Reads matching lines, the newest first by default. */
  read(query: JournalQuery): Promise<StoredLine[]>;
  /** Deletes matching lines and returns their number. */
  remove(which: JournalRemoval): Promise<number>;
}

/** Options for appending a line to a journal. */
export interface AppendOptions {
  /** Resolves only once the lines would survive a power cut. Default: they survive the end of this process. */
  readonly durable?: boolean | undefined;
  /** A channel to notify after the write. */
  readonly signal?: string | undefined;
}

/** A line to append to a journal. */
export interface JournalLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The type of event. */
  readonly type: string;
  /** The id of the call, or another id that lines share. */
  readonly call: string;
  readonly parent?: string | undefined;
  readonly tool?: string | undefined;
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  /** The remaining data as JSON text. */
  readonly body: string;
  /** The chain that seals the line, its position there, and the seal. */
  readonly chain?: string | undefined;
  readonly place?: number | undefined;
  readonly seal?: string | undefined;
}

/** A line of a journal with its place. */
export interface StoredLine extends JournalLine {
  /** Increases with each line. Lines written concurrently may arrive out of order. */
  readonly number: number;
  /** The stored number, time and position, if another program wrote them in another form: those above are rounded. */
  readonly written?: { readonly number: string; readonly at: string; readonly place: string } | undefined;
}

/** Selects lines that match all given conditions. */
export interface JournalQuery {
  readonly types?: readonly string[] | undefined;
  readonly calls?: readonly string[] | undefined;
  readonly parent?: string | undefined;
  readonly tool?: string | undefined;
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  readonly chain?: string | undefined;
  /** From this time on, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only greater numbers. */
  readonly after?: number | undefined;
  /** Only smaller numbers. */
  readonly before?: number | undefined;
  /** Selects only lines with numbers that no board assigns: below 1, or above 2⁵³ − 1. Another program wrote them. */
  readonly strange?: boolean | undefined;
  /** A text that the body contains. */
  readonly text?: string | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
  /** Default: 100. */
  readonly limit?: number | undefined;
}

/** Selects the lines to delete. */
export interface JournalRemoval {
  /** Before this time, in milliseconds since 1970. */
  readonly before?: number | undefined;
  /** Up to this number. */
  readonly upTo?: number | undefined;
  readonly caller?: string | undefined;
}

/** Large values, stored in pieces. */
export interface StoreBytes {
  /** Stores a piece, replacing one with the same number. */
  write(piece: StoredPiece): Promise<void>;
  /** Reads one piece, or returns `undefined`. */
  read(id: string, piece: number): Promise<Uint8Array | undefined>;
  delete(id: string): Promise<void>;
}

/** A stored piece of bytes. */
export interface StoredPiece extends RecordOptions {
  readonly id: string;
  /** Its number, from 0. */
  readonly piece: number;
  readonly bytes: Uint8Array;
}

/** Options of a lease. */
export interface LeaseOptions {
  /** The holder: any text, shown to others. */
  readonly holder: string;
  /** Milliseconds until it expires without renewal. */
  readonly ttl: number;
}

/** An exclusive lock with an expiry time. A holder loses it when its process is known to have ended. */
export interface StoreLease {
  readonly name: string;
  /** Higher than that of every earlier holder. */
  readonly token: number;
  /** Extends the lease by another `ttl`. Returns false when it was lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/** The state of a store. */
export interface StoreStatus {
  readonly address: string;
  readonly driver: 'sqlite' | 'postgres' | 'memory';
  /** The version of its tables. */
  readonly version: number;
  /** Total bytes. */
  readonly size: number;
  /** Number of records per space. */
  readonly spaces: Readonly<Record<string, number>>;
  readonly lines: number;
  readonly pieces: number;
}
