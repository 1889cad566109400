import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { SealedStore, SealedTransaction } from '../store/sealed-space.ts';
import type { HeldLease } from './hold-lease.ts';
import { hasEnded, type JobChange, type JobEnd, type JobKind, type JobRecord, type JobMessage } from './job-record.ts';
import { JobTables } from './job-tables.ts';

/** The state of a job when this process claims it. */
interface JobParts<Info, Entry> {
  readonly store: SealedStore;
  readonly kind: JobKind;
  readonly held: HeldLease;
  readonly record: JobRecord<Info>;
  readonly entries: readonly Entry[];
  readonly isNew: boolean;
}

/** A job that only this process works on. Its writes fail once another process takes it over. */
export class Job<Info, Entry, Result> {
  /** The log at the time when this process claimed the job. */
  readonly entries: readonly Entry[];
  /** True when this process created the job. */
  readonly isNew: boolean;
  readonly #parts: JobParts<Info, Entry>;
  readonly #controller = new AbortController();
  readonly #stopWatching: () => void;
  #listener: ((message: JobMessage) => void) | undefined;
  #undelivered: JobMessage[] = [];
  #record: JobRecord<Info>;
  #count: number;
  #unwritten: Entry[] = [];
  #changes: JobChange<Info>[] = [];
  #writing: Promise<void> = Promise.resolve();
  #interruption: string | undefined;
  #isCancelled = false;

  constructor(parts: JobParts<Info, Entry>) {
    this.#parts = parts;
    this.#record = parts.record;
    this.#count = parts.entries.length;
    this.entries = parts.entries;
    this.isNew = parts.isNew;
    parts.held.lost.addEventListener('abort', () =>
      this.#interrupt('Another process took it over, because this one did not respond in time.'),
    );
    const { store, kind } = parts;
    this.#stopWatching = this.isOver ? () => {} : store.watch(kind.name, () => void this.#readMessages());
    if (!this.isOver && !parts.isNew) void this.#readMessages();
  }

  get record(): JobRecord<Info> {
    return this.#record;
  }

  /** True when the job has ended, before or after this process claimed it. */
  get isOver(): boolean {
    return hasEnded(this.#record);
  }

  /** Aborts when the job must stop in this process: it was cancelled, taken over, or could not be written. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The reason why the job cannot continue in this process, though it may elsewhere or later. */
  get interruption(): string | undefined {
    return this.#interruption;
  }

  /** True when a caller cancelled the job. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Calls `listener` with each message, including earlier ones. */
  onMessage(listener: (message: JobMessage) => void): void {
    this.#listener = listener;
    for (const message of this.#undelivered.splice(0)) listener(message);
  }

  /**
   * Writes entries in call order, together with a change of the record. Resolves when both are on disk; rejects when they cannot be
   * written.
   */
  append(entries: readonly Entry[], change?: JobChange<Info>): Promise<void> {
    this.#unwritten.push(...entries);
    if (change !== undefined) this.#changes.push(change);
    return this.#inTurn(async () => {
      const [added, changes] = [this.#unwritten, this.#changes];
      // An earlier call has written them.
      if (added.length === 0 && changes.length === 0) return;
      [this.#unwritten, this.#changes] = [[], []];
      try {
        this.#record = await this.#transaction((inside, tables) => this.#write(inside, tables, { added, changes }));
        this.#count += added.length;
      } catch (error) {
        if (this.#parts.kind.retriesWrites === true) {
          this.#unwritten.unshift(...added);
          this.#changes.unshift(...changes);
        }
        throw error;
      }
    });
  }

  /** Ends the job and deletes its log. The record and the result stay for as long as the kind says. */
  end(
    state: JobEnd,
    { info, result }: { readonly info?: Partial<Info>; readonly result?: Result } = {},
  ): Promise<void> {
    return this.#inTurn(async () => {
      const now = Date.now();
      const { pieces, ...before } = this.#record;
      const record = { ...before, info: { ...before.info, ...info }, state, changedAt: now, endedAt: now };
      const { id } = record;
      await this.#transaction(async (inside, tables) => {
        await tables.setRecord(record);
        if (result !== undefined) await tables.setResult(record, result);
        await tables.deleteEntries(id, this.#count);
        if (pieces !== undefined) await tables.setAttachment(record, new Uint8Array());
        await tables.deleteCancellation(id);
        await inside.signal(this.#parts.kind.name);
      });
      this.#record = record;
    });
  }

  attachment(): Promise<Buffer | undefined> {
    return this.#tables.attachment(this.#record);
  }

  /** Returns the result of an ended job, if it has one. */
  result(): Promise<Result | undefined> {
    return this.#tables.result(this.#record.id);
  }

  /** Lets other processes claim the job. */
  async release(): Promise<void> {
    this.#stopWatching();
    await this.#writing;
    await this.#parts.held.release();
  }

  async #write(
    inside: SealedTransaction,
    tables: JobTables<Info, Entry, Result>,
    { added, changes }: { readonly added: readonly Entry[]; readonly changes: readonly JobChange<Info>[] },
  ): Promise<JobRecord<Info>> {
    const before = this.#record;
    for (const [index, entry] of added.entries()) await tables.setEntry(before, { number: this.#count + index, entry });
    if (changes.length === 0) return before;
    const attachment = changes.findLast((change) => change.attachment !== undefined)?.attachment;
    const record: JobRecord<Info> = {
      ...before,
      state: changes.findLast((change) => change.state !== undefined)?.state ?? before.state,
      info: Object.assign({}, before.info, ...changes.map(({ info }) => info)),
      changedAt: Date.now(),
      pieces: attachment === undefined ? before.pieces : await tables.setAttachment(before, attachment),
    };
    await tables.setRecord(record);
    await inside.signal(this.#parts.kind.name);
    return record;
  }

  /** Runs a write after all earlier ones. */
  #inTurn(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(() => {
      if (this.#interruption !== undefined) throw new Error(this.#interruption);
      return write();
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #transaction<T>(
    work: (inside: SealedTransaction, tables: JobTables<Info, Entry, Result>) => Promise<T>,
  ): Promise<T> {
    const { store, kind, held } = this.#parts;
    try {
      return await store.transaction(async (inside) => {
        await inside.fence(held.lease);
        return work(inside, new JobTables(kind, inside));
      });
    } catch (error) {
      const isLost = error instanceof ToolError && error.code === 'outcome_unknown';
      if (isLost || kind.retriesWrites !== true) this.#interrupt(messageOf(error));
      throw error;
    }
  }

  #interrupt(reason: string): void {
    this.#interruption ??= reason;
    this.#controller.abort(new Error(reason));
  }

  get #tables(): JobTables<Info, Entry, Result> {
    return new JobTables(this.#parts.kind, this.#parts.store);
  }

  async #readMessages(): Promise<void> {
    // The store may be unreachable for a moment: the next signal reads again.
    const messages = await this.#tables.takeMessages(this.#record.id).catch(() => []);
    for (const message of this.isOver ? [] : messages) {
      if (message.type === 'cancel') {
        if (this.#isCancelled) continue;
        this.#isCancelled = true;
        this.#controller.abort(new Error('It was cancelled.'));
      }
      if (this.#listener === undefined) this.#undelivered.push(message);
      else this.#listener(message);
    }
  }
}
