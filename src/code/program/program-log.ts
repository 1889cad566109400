import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { thisProcess } from '../../platform/process/process-mark.ts';
import type { StoreLease } from '../../platform/store/board-store.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import type { SandboxAnswer, SandboxSnapshot } from '../sandbox/sandbox-messages.ts';
import type { ProgramCall, ProgramOutcome } from './program-outcome.ts';
import {
  type HeldCall,
  type KeptSnapshot,
  type LogEntry,
  programOwner,
  type ProgramRecord,
  toKept,
} from './program-record.ts';

/** The spaces of a board's sealed store for programs and for their logs. */
const PROGRAMS = 'programs';
const LOGS = 'program-logs';
/** Wishes to cancel programs that another process runs. */
const CANCELS = 'program-cancels';
/** The channel on which processes hear that a program has gone on, or is to be cancelled. */
const CHANNEL = 'programs';
/** Milliseconds for which such a wish waits. */
const KEEP_CANCEL = 10 * 60_000;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Milliseconds for which a program that is not over can go on. */
const KEEP_OPEN = 30 * DAY;
/** Milliseconds for which the outcome of a program can be asked for. */
const KEEP_ENDED = DAY;
const LEASE = { ttl: MINUTE, renew: 15_000 };
/** Milliseconds after which answers are written, where no call makes that more urgent. */
const LAZY = 50;
const PIECE = 4 * 1024 * 1024;
/** A program with more memory is replayed from its log, which is smaller. */
const MAX_SNAPSHOT = 32 * 1024 * 1024;

/**
 * What a program asked for and was answered, in the board's store: the truth from which it goes on after its process was killed.
 *
 * Nothing is written for a program that only reads and ends at once. Before a call that must not be made twice, all that led to it
 * is on disk.
 */
export class ProgramLog {
  readonly #store: SealedStore;
  #record: ProgramRecord;
  #length: number;
  #unwritten: LogEntry[] = [];
  #isKept: boolean;
  #answered: number;
  #lease: StoreLease | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #lazy: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Hears that another process has taken the program over. */
  onLost: (() => void) | undefined;
  /** Hears that the program is to be cancelled. */
  onCancel: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;
  /** What was answered before, in this order. */
  readonly answers: readonly { readonly answer: SandboxAnswer; readonly call?: ProgramCall | undefined }[];
  /** Calls that must not be made twice and had begun. */
  readonly begun: ReadonlySet<number>;

  private constructor(
    store: SealedStore,
    record: ProgramRecord,
    kept?: { readonly entries: readonly LogEntry[]; readonly lease: StoreLease },
  ) {
    this.#store = store;
    this.#record = record;
    const entries = kept?.entries ?? [];
    this.#length = entries.length;
    this.#isKept = kept !== undefined;
    this.answers = entries.flatMap((entry) => (entry.type === 'answer' ? [entry] : []));
    this.#answered = this.answers.length;
    this.begun = readBegun(entries);
    if (kept !== undefined) this.#hold(kept.lease);
  }

  /** The log of a new program. */
  static create(store: SealedStore, record: ProgramRecord): ProgramLog {
    return new ProgramLog(store, record);
  }

  /** A program of this caller, whatever became of it; `undefined` where there is none. */
  static async find(store: SealedStore, id: string, context: ToolContext): Promise<ProgramRecord | undefined> {
    const record = await readRecord(store, id);
    const { user, bounds } = programOwner(context);
    return record?.owner.user === user && record.owner.bounds === bounds ? record : undefined;
  }

  /** Takes up a program that is not over. Throws `busy` while another process has it. */
  static async reopen(store: SealedStore, { id }: ProgramRecord): Promise<ProgramLog> {
    const lease = await takeLease(store, id);
    try {
      // As it is now that no one else changes it.
      const record = await readRecord(store, id);
      if (record === undefined) throw gone(id);
      return new ProgramLog(store, record, { entries: await readEntries(store, id), lease });
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  /** A program with its log, as they are now; `undefined` where there is none. */
  static async read(
    store: SealedStore,
    id: string,
  ): Promise<
    { readonly record: ProgramRecord; readonly entries: readonly LogEntry[]; readonly isHeld: boolean } | undefined
  > {
    const record = await readRecord(store, id);
    if (record === undefined) return undefined;
    const isHeld = record.state !== 'ended' && (await store.leaseHolder(`program/${id}`)) !== undefined;
    return { record, entries: await readEntries(store, id), isHeld };
  }

  /** The ids of all programs that are kept. */
  static async ids(store: SealedStore): Promise<string[]> {
    return (await store.space(PROGRAMS).keys()).map(({ key }) => key);
  }

  /** Calls back when a program has gone on, in any process. */
  static watch(store: SealedStore, listener: () => void): () => void {
    return store.watch(CHANNEL, listener);
  }

  /** Has the process that runs a program cancel it. */
  static async wishCancel(store: SealedStore, id: string): Promise<void> {
    await store.space(CANCELS).set(id, true, { ttl: KEEP_CANCEL });
    await store.signal(CHANNEL);
  }

  get program(): ProgramRecord {
    return this.#record;
  }

  /** Notes a call that must not be made twice; it may begin when this resolves. */
  begin(number: number): Promise<void> {
    this.#unwritten.push({ type: 'begun', number });
    return this.flush();
  }

  /** Notes that a call which may have begun has not, and will be made again. */
  retract(number: number): void {
    this.#unwritten.push({ type: 'retracted', number });
  }

  /** Notes an answer that the program gets. */
  answered(answer: SandboxAnswer, call: ProgramCall | undefined): void {
    this.#answered++;
    this.#unwritten.push({ type: 'answer', answer, call });
    if (!this.#isKept) return;
    // What is lost is asked for again: only calls that may be made again are not written at once.
    this.#lazy ??= setTimeout(() => void this.flush().catch(() => {}), LAZY).unref();
  }

  /** Writes all that was noted, and the program itself. */
  flush(): Promise<void> {
    clearTimeout(this.#lazy);
    this.#lazy = undefined;
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Keeps a program that waits for people, and lets it go. */
  async pause(
    held: readonly HeldCall[],
    state: {
      readonly snapshot: SandboxSnapshot;
      readonly now: number;
      readonly logs: readonly string[];
      readonly engine: string;
    },
  ): Promise<void> {
    const { memory, ...rest } = state.snapshot;
    const isSmall = memory.length <= MAX_SNAPSHOT;
    const packed = isSmall ? await promisify(gzip)(memory, { level: 1 }) : Buffer.alloc(0);
    const pieces = Math.ceil(packed.length / PIECE);
    const { now, logs, engine } = state;
    const snapshot: KeptSnapshot | undefined = isSmall
      ? { ...rest, engine, pieces, now, logs, answered: this.#answered }
      : undefined;
    this.#record = { ...this.#record, state: 'waiting', held, snapshot };
    await this.flush();
    await this.#store.transaction(async (inside) => {
      if (this.#lease !== undefined) await inside.fence(this.#lease);
      for (let piece = 0; piece < pieces; piece++)
        await inside.bytes.write({
          id: `program/${this.#record.id}`,
          piece,
          bytes: packed.subarray(piece * PIECE, (piece + 1) * PIECE),
          ttl: KEEP_OPEN,
        });
      await inside.space(PROGRAMS).set(this.#record.id, this.#record, { ttl: KEEP_OPEN });
      await inside.signal(CHANNEL);
    });
    await this.close();
  }

  /** The memory of a program that waits, where this engine can go on with it. */
  async snapshot(engine: string): Promise<SandboxSnapshot | undefined> {
    const { snapshot, id } = this.#record;
    if (snapshot === undefined || snapshot.engine !== engine) return undefined;
    const parts: Uint8Array[] = [];
    for (let piece = 0; piece < snapshot.pieces; piece++) {
      const part = await this.#store.bytes.read(`program/${id}`, piece);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    const { count, waiting, logsLeft, computeLeft } = snapshot;
    return { memory: await promisify(gunzip)(Buffer.concat(parts)), count, waiting, logsLeft, computeLeft };
  }

  /** Keeps the outcome for those who ask for it again, and forgets the rest. */
  async end(outcome: ProgramOutcome): Promise<void> {
    if (!this.#isKept) return this.close();
    await this.#writing;
    const { id } = this.#record;
    this.#record = { ...this.#record, state: 'ended', held: undefined, snapshot: undefined, outcome: toKept(outcome) };
    await this.#store.transaction(async (inside) => {
      if (this.#lease !== undefined) await inside.fence(this.#lease);
      await inside.space(PROGRAMS).set(id, this.#record, { ttl: KEEP_ENDED });
      const logs = inside.space(LOGS);
      for (const { key } of await logs.keys({ prefix: `${id}/` })) await logs.delete(key);
      await inside.bytes.delete(`program/${id}`);
      await inside.space(CANCELS).delete(id);
      await inside.signal(CHANNEL);
    });
    await this.close();
  }

  /** Lets the program go; another process may take it up. */
  async close(): Promise<void> {
    clearTimeout(this.#lazy);
    clearInterval(this.#renewal);
    this.#stopWatching?.();
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.release().catch(() => {});
  }

  async #write(): Promise<void> {
    const entries = this.#unwritten;
    this.#unwritten = [];
    const { id } = this.#record;
    try {
      if (this.#lease === undefined) this.#hold(await takeLease(this.#store, id));
      await this.#store.transaction(async (inside) => {
        if (this.#lease !== undefined) await inside.fence(this.#lease);
        // One that was sent twice at once, under the same key, runs once.
        const isFirst = this.#isKept || (await inside.space(PROGRAMS).add(id, this.#record, { ttl: KEEP_OPEN }));
        if (!isFirst) throw busy(id);
        const logs = inside.space(LOGS);
        for (const [place, entry] of entries.entries())
          await logs.set(`${id}/${String(this.#length + place).padStart(8, '0')}`, entry, { ttl: KEEP_OPEN });
        await inside.signal(CHANNEL);
      });
      this.#isKept = true;
      this.#length += entries.length;
    } catch (error) {
      this.#unwritten = [...entries, ...this.#unwritten];
      throw error;
    }
  }

  #hold(lease: StoreLease): void {
    this.#lease = lease;
    const { id } = this.#record;
    const look = async (): Promise<void> => {
      if ((await this.#store.space(CANCELS).get(id)) !== undefined) this.onCancel?.();
    };
    this.#stopWatching = this.#store.watch(CHANNEL, () => void look().catch(() => undefined));
    this.#renewal = setInterval(() => {
      void lease.renew().then(
        (isHeld) => (isHeld ? undefined : this.onLost?.()),
        () => undefined,
      );
    }, LEASE.renew).unref();
  }
}

async function readEntries(store: SealedStore, id: string): Promise<LogEntry[]> {
  const stored = await store.space(LOGS).entries({ prefix: `${id}/` });
  // Sealed: only this package wrote them.
  return stored.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ value }) => value as LogEntry);
}

function readBegun(entries: readonly LogEntry[]): ReadonlySet<number> {
  const begun = new Set<number>();
  for (const entry of entries) {
    if (entry.type === 'begun') begun.add(entry.number);
    else if (entry.type === 'retracted') begun.delete(entry.number);
  }
  return begun;
}

async function readRecord(store: SealedStore, id: string): Promise<ProgramRecord | undefined> {
  // Sealed: only this package wrote it.
  return (await store.space(PROGRAMS).get(id)) as ProgramRecord | undefined;
}

async function takeLease(store: SealedStore, id: string): Promise<StoreLease> {
  const lease = await store.takeLease(`program/${id}`, { holder: `process ${thisProcess()}`, ttl: LEASE.ttl });
  if (lease !== undefined) return lease;
  throw busy(id);
}

function busy(id: string): ToolError {
  const message = `The program "${id}" is being run by another call. Ask again when it has ended.`;
  return new ToolError({ code: 'busy', message });
}

function gone(id: string): ToolError {
  return new ToolError({
    code: 'not_found',
    message: `There is no program "${id}" of yours that could go on. Programs that have ended are kept for a day.`,
  });
}
