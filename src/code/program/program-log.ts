import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import type { SandboxAnswer, SandboxSnapshot } from '../sandbox/sandbox-messages.ts';
import type { ProgramCall, ProgramOutcome } from './program-outcome.ts';
import {
  fromKept,
  type HeldCall,
  type KeptOutcome,
  type LogEntry,
  programOwner,
  type ProgramRecord,
  toKept,
} from './program-record.ts';

const DAY = 24 * 60 * 60_000;
/** Milliseconds after which answers are written, unless a call requires it earlier. */
const LAZY = 50;
/** A program with more memory is replayed from its log, which is smaller. */
const MAX_SNAPSHOT = 32 * 1024 * 1024;

/** A stored program that this process runs. */
type ProgramJob = Job<ProgramRecord, LogEntry, KeptOutcome>;

/** Returns the programs in a board's sealed store. */
export function programJobs(store: SealedStore): Jobs<ProgramRecord, LogEntry, KeptOutcome> {
  return new Jobs(() => store, { name: 'programs', keepOpen: 30 * DAY, keepEnded: DAY, retriesWrites: true });
}

/** Finds a program of this caller, ended or not; `undefined` if there is none. */
export async function findProgram(
  store: SealedStore,
  id: string,
  context: ToolContext,
): Promise<ProgramRecord | undefined> {
  const program = (await programJobs(store).get(id))?.info;
  const { user, bounds } = programOwner(context);
  return program?.owner.user === user && program.owner.bounds === bounds ? program : undefined;
}

/**
 * The calls and answers of a program, stored as a job from which it can be resumed after a crash.
 *
 * Nothing is written for a program that only reads and ends at once. Before a call that must not be repeated, everything that led
 * to it is on disk.
 */
export class ProgramLog {
  readonly #store: SealedStore;
  readonly #program: ProgramRecord;
  #job: ProgramJob | undefined;
  #unwritten: LogEntry[] = [];
  #answered: number;
  #lazy: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #onStop: ((why: 'lost' | 'cancelled') => void) | undefined;
  /** The answers from before this process claimed the program, in order. */
  readonly answers: readonly { readonly answer: SandboxAnswer; readonly call?: ProgramCall | undefined }[];
  /** Calls that had started and must not be repeated. */
  readonly begun: ReadonlySet<number>;

  /** Creates the log of a new program, or of one that this process has claimed. */
  constructor(store: SealedStore, given: ProgramRecord | ProgramJob) {
    this.#store = store;
    const job = 'record' in given ? given : undefined;
    this.#program = 'record' in given ? given.record.info : given;
    const entries = job?.entries ?? [];
    this.answers = entries.flatMap((entry) => (entry.type === 'answer' ? [entry] : []));
    this.#answered = this.answers.length;
    this.begun = readBegun(entries);
    if (job !== undefined) this.#hold(job);
  }

  /** Claims a program; returns its outcome if it has ended. Throws `busy` while another process runs it. */
  static async reopen(store: SealedStore, id: string): Promise<ProgramLog | ProgramOutcome> {
    const job = await programJobs(store).open(id);
    if (job === 'held') throw busy(id);
    if (job === 'missing') throw gone(id);
    if (!job.isOver) return new ProgramLog(store, job);
    await job.release();
    const outcome = await job.result();
    if (outcome === undefined) throw gone(id);
    return fromKept(outcome, id);
  }

  get program(): ProgramRecord {
    return this.#job?.record.info ?? this.#program;
  }

  /** Calls `listener` when the program must stop here: another process has taken it over, or a caller cancels it. */
  onStop(listener: (why: 'lost' | 'cancelled') => void): void {
    this.#onStop = listener;
    if (this.#job?.signal.aborted === true) listener(this.#job.isCancelled ? 'cancelled' : 'lost');
  }

  /** Records a call that must not be repeated; it may start when this resolves. */
  begin(number: number): Promise<void> {
    this.#unwritten.push({ type: 'begun', number });
    return this.flush();
  }

  /** Records that a call which may have started has not, and will be made again. */
  retract(number: number): void {
    this.#unwritten.push({ type: 'retracted', number });
  }

  /** Records an answer to the program. */
  answered(answer: SandboxAnswer, call: ProgramCall | undefined): void {
    this.#answered++;
    this.#unwritten.push({ type: 'answer', answer, call });
    if (this.#job === undefined) return;
    // Lost answers are requested again: all calls not written at once may be repeated.
    this.#lazy ??= setTimeout(() => void this.flush().catch(() => {}), LAZY).unref();
  }

  /** Writes everything recorded so far, and the program itself. */
  flush(): Promise<void> {
    clearTimeout(this.#lazy);
    this.#lazy = undefined;
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Stores a program that waits for people, and releases it. */
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
    const { now, logs, engine } = state;
    const isSmall = memory.length <= MAX_SNAPSHOT;
    const attachment = isSmall ? await promisify(gzip)(memory, { level: 1 }) : Buffer.alloc(0);
    const snapshot = isSmall ? { ...rest, engine, now, logs, answered: this.#answered } : undefined;
    await this.flush();
    await this.#job?.append([], { state: 'waiting', info: { held, snapshot }, attachment });
    await this.close();
  }

  /** Returns the memory of a waiting program if this engine can continue it. */
  async snapshot(engine: string): Promise<SandboxSnapshot | undefined> {
    const { snapshot } = this.program;
    if (snapshot === undefined || snapshot.engine !== engine) return undefined;
    const packed = await this.#job?.attachment();
    if (packed === undefined) return undefined;
    const { count, waiting, logsLeft, computeLeft } = snapshot;
    return { memory: await promisify(gunzip)(packed), count, waiting, logsLeft, computeLeft };
  }

  /** Stores the outcome for later requests, and deletes the rest. */
  async end(outcome: ProgramOutcome): Promise<void> {
    await this.#writing;
    const state = outcome.ok ? 'done' : outcome.error.code === 'cancelled' ? 'cancelled' : 'failed';
    await this.#job?.end(state, { info: { held: undefined, snapshot: undefined }, result: toKept(outcome) });
    await this.close();
  }

  /** Releases the program; another process may claim it. */
  async close(): Promise<void> {
    clearTimeout(this.#lazy);
    await this.#job?.release();
  }

  async #write(): Promise<void> {
    const entries = this.#unwritten.splice(0);
    if (this.#job !== undefined) return this.#job.append(entries);
    try {
      const { id, owner } = this.#program;
      const job = await programJobs(this.#store).open(id, { owner: owner.user, info: this.#program, entries });
      // A program sent twice under the same key runs once.
      if (typeof job === 'string') throw busy(id);
      if (job.isNew) return this.#hold(job);
      await job.release();
      throw busy(id);
    } catch (error) {
      this.#unwritten.unshift(...entries);
      throw error;
    }
  }

  #hold(job: ProgramJob): void {
    this.#job = job;
    job.signal.addEventListener('abort', () => this.#onStop?.(job.isCancelled ? 'cancelled' : 'lost'));
  }
}

function readBegun(entries: readonly LogEntry[]): ReadonlySet<number> {
  const begun = new Set<number>();
  for (const entry of entries) {
    if (entry.type === 'begun') begun.add(entry.number);
    else if (entry.type === 'retracted') begun.delete(entry.number);
  }
  return begun;
}

function busy(id: string): ToolError {
  const message = `The program "${id}" is being run by another call. Ask again when it has ended.`;
  return new ToolError({ code: 'busy', message });
}

function gone(id: string): ToolError {
  return new ToolError({
    code: 'not_found',
    message: `There is no program "${id}" of yours to resume. Ended programs are kept for a day.`,
  });
}
