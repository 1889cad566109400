/**
 * Everything that a board keeps: records in spaces, a journal, bytes, leases and signals.
 *
 * All processes of a board share it. On one machine that is a file of SQLite, on many a PostgreSQL database; what is
 * kept and promised is the same.
 */
export interface BoardStore extends StoreAccess {
  /** Where it is, without a password. */
  readonly address: string;
  /** Whether what it keeps is gone when this process ends, as where nothing can be written. Default: false. */
  readonly isTemporary?: boolean | undefined;
  /**
   * Reads and writes as one: nothing comes in between, and an error undoes everything.
   *
   * `work` uses what it is given, and nothing but the store. It may run more than once, where another process was in the way.
   */
  transaction<T>(work: (inside: StoreTransaction) => Promise<T>, options?: StoreTransactionOptions): Promise<T>;
  /** Takes a lease that no other holder has; `undefined` while there is one. */
  takeLease(name: string, options: LeaseOptions): Promise<StoreLease | undefined>;
  /** Who holds a lease now; `undefined` when it is free. */
  leaseHolder(name: string): Promise<string | undefined>;
  /**
   * Calls `listener` after each signal of a channel by any process, and when one may have been missed. Gives a function
   * that stops it.
   *
   * A signal is a hint to look again: several may arrive as one.
   */
  watch(channel: string, listener: () => void): () => void;
  status(): Promise<StoreStatus>;
  /** Deletes what is over its time, and gives back space. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

/** How a transaction is kept. */
export interface StoreTransactionOptions {
  /** Whether it must outlive a power cut. Without that it outlives this process. Default: yes. */
  readonly durable?: boolean | undefined;
}

/** What can be done alone or inside a transaction. */
export interface StoreAccess {
  space(name: string): StoreSpace;
  readonly journal: StoreJournal;
  readonly bytes: StoreBytes;
  /** Tells every process that watches this channel, once what was written is there. */
  signal(channel: string): Promise<void>;
}

/** A store inside a transaction. */
export interface StoreTransaction extends StoreAccess {
  /** Fails with `outcome_unknown` unless this lease is still held: then nothing of the transaction happens. */
  fence(lease: StoreLease): Promise<void>;
}

/** Records of one kind. */
export interface StoreSpace {
  /** The record, or `undefined` when there is none (any more). */
  get(key: string): Promise<unknown>;
  /** Keeps a record; it is on disk when this resolves. */
  set(key: string, value: unknown, options?: OwnedRecordOptions): Promise<void>;
  /** Keeps a record unless there is one; whether it did. */
  add(key: string, value: unknown, options?: OwnedRecordOptions): Promise<boolean>;
  /** Whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Records, the longest unchanged first. */
  entries(options?: EntriesOptions): Promise<StoredRecord[]>;
  /** The keys of the same records in the same order, without reading their values. */
  keys(options?: EntriesOptions): Promise<RecordKey[]>;
  /** Counts the records of one owner, or those of all owners together, without reading them. */
  count(options?: CountOptions): Promise<RecordCount>;
  clear(): Promise<void>;
}

/** How a record is kept. */
export interface RecordOptions {
  /** Milliseconds until it is forgotten. Default: it stays. */
  readonly ttl?: number | undefined;
}

/** The options under which a record of a space is kept. */
export interface OwnedRecordOptions extends RecordOptions {
  /** The caller that it is kept for: its records are listed and counted by an index. Default: none. */
  readonly owner?: string | undefined;
}

/** The records that are counted. */
export interface CountOptions {
  /** Default: all that have an owner. */
  readonly owner?: string | undefined;
}

/** The number of records, and the bytes of their values as they are stored. */
export interface RecordCount {
  readonly records: number;
  readonly bytes: number;
}

/** Which records are wanted. */
export interface EntriesOptions {
  /** Only those whose key begins so. */
  readonly prefix?: string | undefined;
  /** Only those of this owner; `true` for those that have one. */
  readonly owner?: string | true | undefined;
  /** Only so many. Default: all. */
  readonly limit?: number | undefined;
}

/** The key of a record. */
export interface RecordKey {
  readonly key: string;
  /** When the record was last set, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** A record with its key. */
export interface StoredRecord extends RecordKey {
  readonly value: unknown;
}

/** Lines that are added and never changed. */
export interface StoreJournal {
  /** Adds lines in this order. */
  append(lines: readonly JournalLine[], options?: AppendOptions): Promise<void>;
  /** Lines that fit, the newest first unless asked otherwise. */
  read(query: JournalQuery): Promise<StoredLine[]>;
  /** Deletes lines: those before a time, those of one caller, or the oldest until so many are left. Gives how many. */
  remove(which: JournalRemoval): Promise<number>;
}

/** How lines are added. */
export interface AppendOptions {
  /** Resolve only once they would outlive a power cut. Default: they outlive this process. */
  readonly durable?: boolean | undefined;
  /** A channel that is told once they are there. */
  readonly signal?: string | undefined;
}

/** One line of a journal. */
export interface JournalLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What happened. */
  readonly type: string;
  /** The call it belongs to, or another id that lines share. */
  readonly call: string;
  readonly parent?: string | undefined;
  readonly tool?: string | undefined;
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  /** The rest, as JSON text. */
  readonly body: string;
  /** The chain that seals it, its place there, and the seal. */
  readonly chain?: string | undefined;
  readonly place?: number | undefined;
  readonly seal?: string | undefined;
}

/** A line as it was added. */
export interface StoredLine extends JournalLine {
  /** Grows with each line; lines of processes that wrote at once may arrive out of order. */
  readonly number: number;
}

/** Which lines are wanted: all that is said must fit. */
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
  /** Numbers above this one. */
  readonly after?: number | undefined;
  /** Numbers below this one. */
  readonly before?: number | undefined;
  /** Instead of the lines of boards those whose numbers no board gives: below 1, or above 2⁵³ − 1. Another program put them there. */
  readonly strange?: boolean | undefined;
  /** A text that stands in the body as it is. */
  readonly text?: string | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
  /** Default: 100. */
  readonly limit?: number | undefined;
}

/** Which lines go. */
export interface JournalRemoval {
  /** Those before this time, in milliseconds since 1970. */
  readonly before?: number | undefined;
  /** Those up to this number. */
  readonly upTo?: number | undefined;
  readonly caller?: string | undefined;
}

/** Large values, in pieces. */
export interface StoreBytes {
  /** Keeps a piece, in place of the one with its number. */
  write(piece: StoredPiece): Promise<void>;
  /** One piece, or `undefined`. */
  read(id: string, piece: number): Promise<Uint8Array | undefined>;
  delete(id: string): Promise<void>;
}

/** Part of a large value. */
export interface StoredPiece extends RecordOptions {
  readonly id: string;
  /** Its number, from 0. */
  readonly piece: number;
  readonly bytes: Uint8Array;
}

/** How a lease is taken. */
export interface LeaseOptions {
  /** Who takes it: any text, shown to others. */
  readonly holder: string;
  /** Milliseconds until it is free again unless it is kept longer. */
  readonly ttl: number;
}

/** Something that one holder has at a time. A holder whose process is known to have ended has it no longer. */
export interface StoreLease {
  readonly name: string;
  /** Higher than that of every holder before. */
  readonly token: number;
  /** Keeps it for another `ttl`; false when it was lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/** A store at a glance. */
export interface StoreStatus {
  readonly address: string;
  readonly driver: 'sqlite' | 'postgres' | 'memory';
  /** The version of its tables. */
  readonly version: number;
  /** Bytes, all told. */
  readonly size: number;
  /** Records in each space. */
  readonly spaces: Readonly<Record<string, number>>;
  readonly lines: number;
  readonly pieces: number;
}
