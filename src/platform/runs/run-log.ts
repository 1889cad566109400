import type { StoreLease } from '../store/board-store.ts';
import type { SealedStore, SealedTransaction } from '../store/sealed-space.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { RunEntry, RunHeader } from './run-entry.ts';
import { decodeState, encodeState } from '../jobs/state-codec.ts';

/** Where headers, logs and wishes are kept. */
export const RUNS = 'agent-runs';
const RUN_LOGS = 'agent-run-logs';
export const RUN_WISHES = 'agent-run-wishes';
/** The channel on which processes hear of runs. */
export const RUNS_CHANNEL = 'agent-runs';
/** How long a process counts as working on a run without a sign of life, and how often it gives one. */
export const RUN_LEASE = 30_000;
const RENEWAL = 10_000;
/** Milliseconds that the header of a run stays after its end. */
const KEPT = 7 * 24 * 60 * 60_000;
/** Characters of a record; a longer one is kept in pieces of bytes. */
const MOST_IN_RECORD = 100_000;
const PIECE = 256 * 1024;

/** What a run is started with. */
export interface RunStart {
  readonly agent: string;
  readonly input: unknown;
  readonly history: readonly unknown[];
  readonly caller: string;
  readonly session?: string | undefined;
  readonly parent?: string | undefined;
}

/** What a log is opened with. */
interface RunLogParts {
  readonly store: SealedStore;
  readonly lease: StoreLease;
  readonly header: RunHeader;
  readonly entries: readonly RunEntry[];
  /** Ends the runs that its calls began and that are not over. */
  readonly endChildren: (id: string) => Promise<void>;
}

/**
 * A run that this process works on, and no other: what it writes fails as soon as another process has taken the run over.
 */
export class RunLog {
  /** What was written before this process took the run up. */
  readonly entries: readonly RunEntry[];
  readonly #parts: RunLogParts;
  readonly #controller = new AbortController();
  readonly #renewal: NodeJS.Timeout;
  readonly #stopWatching: () => void;
  #header: RunHeader;
  #count: number;
  #writing: Promise<void> = Promise.resolve();
  #interruption: string | undefined;
  #isCancelled = false;

  constructor(parts: RunLogParts) {
    this.#parts = parts;
    this.entries = parts.entries;
    this.#header = parts.header;
    this.#count = parts.entries.length;
    this.#renewal = setInterval(() => void this.#renew(), RENEWAL).unref();
    this.#stopWatching = this.isOver ? () => {} : parts.store.watch(RUNS_CHANNEL, () => void this.#readWish());
    if (!this.isOver) void this.#readWish();
  }

  get header(): RunHeader {
    return this.#header;
  }

  /** Whether the run had ended before this process took it up, or has now. */
  get isOver(): boolean {
    return this.#header.endedAt !== undefined;
  }

  /** Aborts when the run must not go on in this process: it was cancelled, taken over, or cannot be kept. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the run cannot go on in this process, though it could elsewhere or later. */
  get interruption(): string | undefined {
    return this.#interruption;
  }

  /** Whether the run is to end for good. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Keeps entries, in the order of the calls; they are on disk when this resolves. Rejects when they cannot be kept. */
  append(entries: readonly RunEntry[], change: Partial<RunHeader> = {}): Promise<void> {
    return this.#write(async (inside) => {
      for (const [index, entry] of entries.entries())
        await writeEntry(inside, this.#header.id, { number: this.#count + index, entry });
      if (Object.keys(change).length > 0) await this.#setHeader(inside, change);
      return () => (this.#count += entries.length);
    }, change);
  }

  /** Ends the run: its log is deleted, its header stays for a week. */
  async end(change: Partial<RunHeader> & Pick<RunHeader, 'state'>): Promise<void> {
    const { id } = this.#header;
    // The reason of an earlier stop is none of the end.
    const ended = { reason: undefined, ...change, waitingFor: [], endedAt: Date.now() };
    await this.#writing;
    const log = await listLog(this.#parts.store, id);
    await this.#write(async (inside) => {
      await this.#setHeader(inside, ended, KEPT);
      for (const { key, isLarge } of log) {
        await inside.space(RUN_LOGS).delete(key);
        if (isLarge) await inside.bytes.delete(toBytesId(key));
      }
      await inside.space(RUN_WISHES).delete(id);
      return () => undefined;
    }, ended);
    await this.#parts.endChildren(id);
    // A hint for those who wait for the end; not in each write, as all runs would meet there.
    await this.#parts.store.signal(RUNS_CHANNEL).catch(() => undefined);
  }

  /** Lets other processes take the run up. */
  async release(): Promise<void> {
    clearInterval(this.#renewal);
    this.#stopWatching();
    await this.#writing;
    // A store that is away: the lease ends by itself.
    await this.#parts.lease.release().catch(() => undefined);
  }

  #write(work: (inside: SealedTransaction) => Promise<() => unknown>, change: Partial<RunHeader>): Promise<void> {
    const before = this.#writing;
    const write = async (): Promise<void> => {
      await before;
      if (this.#interruption !== undefined) throw new Error(this.#interruption);
      try {
        const note = await this.#parts.store.transaction(async (inside) => {
          await inside.fence(this.#parts.lease);
          return work(inside);
        });
        note();
        this.#header = { ...this.#header, ...change };
      } catch (error) {
        this.#interrupt(messageOf(error));
        throw error;
      }
    };
    const writing = write();
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  async #setHeader(inside: SealedTransaction, change: Partial<RunHeader>, ttl?: number): Promise<void> {
    const header = { ...this.#header, ...change, changedAt: Date.now() };
    await inside.space(RUNS).set(header.id, encodeState(header), { ttl });
  }

  #interrupt(reason: string): void {
    this.#interruption ??= reason;
    this.#controller.abort(new Error(reason));
  }

  async #renew(): Promise<void> {
    // A store that is away for a moment: the next write tells whether the lease is still held.
    const isHeld = await this.#parts.lease.renew().catch(() => true);
    if (!isHeld) this.#interrupt('Another process took this run over, because this one did not answer in time.');
  }

  async #readWish(): Promise<void> {
    const wish = await this.#parts.store
      .space(RUN_WISHES)
      .get(this.#header.id)
      .catch(() => undefined);
    if (wish === undefined || this.isOver) return;
    this.#isCancelled = true;
    this.#controller.abort(new Error('The run was cancelled.'));
  }
}

/** Where an entry stands: sorted by key, they are in order. */
function entryKey(id: string, number: number): string {
  return `${id} ${String(number).padStart(8, '0')}`;
}

/** Keeps an entry of a log, in pieces where it is large. */
export async function writeEntry(
  inside: SealedTransaction,
  id: string,
  { number, entry }: { readonly number: number; readonly entry: RunEntry },
): Promise<void> {
  const key = entryKey(id, number);
  const text = encodeState(entry);
  if (text.length <= MOST_IN_RECORD) return inside.space(RUN_LOGS).set(key, text);
  const bytes = Buffer.from(text);
  const pieces = Math.ceil(bytes.length / PIECE);
  for (let piece = 0; piece < pieces; piece++)
    await inside.bytes.write({ id: toBytesId(key), piece, bytes: bytes.subarray(piece * PIECE, (piece + 1) * PIECE) });
  await inside.space(RUN_LOGS).set(key, { pieces });
}

/** The entries of a run, in order. */
export async function readLog(store: Pick<SealedStore, 'space' | 'bytes'>, id: string): Promise<RunEntry[]> {
  const records = (await store.space(RUN_LOGS).entries({ prefix: `${id} ` })).toSorted((one, other) =>
    one.key < other.key ? -1 : 1,
  );
  const entries: RunEntry[] = [];
  for (const { key, value } of records) {
    const text = typeof value === 'string' ? value : await readPieces(store, key, Number(Object(value).pieces));
    // Only `writeEntry` writes here.
    entries.push(decodeState(text) as RunEntry);
  }
  return entries;
}

async function readPieces(store: Pick<SealedStore, 'bytes'>, key: string, count: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let piece = 0; piece < count; piece++)
    pieces.push((await store.bytes.read(toBytesId(key), piece)) ?? new Uint8Array());
  return Buffer.concat(pieces).toString('utf8');
}

/** The keys of a log; whether each has pieces. Read before the transaction that deletes them: only the holder adds some. */
async function listLog(
  store: SealedStore,
  id: string,
): Promise<readonly { readonly key: string; readonly isLarge: boolean }[]> {
  const records = await store.space(RUN_LOGS).entries({ prefix: `${id} ` });
  return records.map(({ key, value }) => ({ key, isLarge: typeof value !== 'string' }));
}

function toBytesId(key: string): string {
  return `agent-run ${key}`;
}
