import type { BegunCall, BegunRun, CallRecorder, CallTrail, RunTrail } from '../../pipeline/call-recorder.ts';
import { shedLines } from './shed-lines.ts';
import type { BoardStore, JournalLine } from '../../platform/store/board-store.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { AuditChain, CLOSED, OPENED, type SealedLine } from './audit/audit-chain.ts';
import { type AuditSettings, isStrict, type RecordLevel, type RecordSettings } from './record-settings.ts';
import type { AuditSink } from './audit/audit-sink.ts';
import { nameOf, type RecordedPart, RecordedTrail, recordingProcess, type ShownValue } from './call-trail.ts';
import { removeOldLines } from './remove-lines.ts';
import { RecordedRun } from './run-trail.ts';

/** The channel that notifies processes of new lines. */
export const CALLS_CHANNEL = 'calls';
/** Milliseconds that lines wait, so that many are written together. */
const BATCH = 50;
/** Milliseconds until a failed store is tried again. */
const RETRY = 1_000;
/** Maximum lines that wait for an unavailable store; beyond that, the oldest are dropped and a warning is printed. */
const MOST_WAITING = 20_000;
/** Ended calls whose lines are created at once. */
const FEW = 32;
/** Lines that are written at once. */
const MOST_AT_ONCE = 5_000;
/** The interval for deleting old lines, in milliseconds and in lines. */
const CLEANING = 60 * 60_000;
const CLEANING_LINES = 100_000;
/** Maximum lines of a store in memory. */
const MOST_IN_MEMORY = 10_000;
/** Maximum characters of arguments and of a result in a full record. */
const MOST_SHOWN = 20_000;
/** Number of newest lines to search for the newest sealed one. */
const NEWEST = 200;

/** The parts of a board that a journal of calls uses. */
export interface CallJournalOptions {
  /** Opened when the first call is recorded. */
  readonly store: () => BoardStore;
  readonly settings: () => RecordSettings;
  readonly audit: () => AuditSettings;
  /** The key that seals audit lines. */
  readonly auditKey: () => Promise<Buffer>;
  /** Returns an additional destination for audit lines. */
  readonly sink: () => Promise<AuditSink | undefined>;
  /** Removes values that must not be stored. */
  readonly redact: (value: unknown, tool: BegunCall['tool']) => unknown;
  /** Warns the operator once that nothing can be recorded. */
  readonly warn: (message: string) => void;
}

/**
 * Writes calls to the board's journal.
 *
 * A short call has one line. A longer one also has a line at its start, so that other processes see it. Lines are written in batches in the
 * background: only calls with a strict audit wait for the disk.
 */
export class CallJournal implements CallRecorder {
  readonly #options: CallJournalOptions;
  /**
   * Running calls without a line, and some that have ended since. Not a set: memory that a large set held before it grew or shrank is only
   * freed by the next full garbage collection.
   */
  #begun: RecordedPart[] = [];
  /** The number of ended ones among them. */
  #endedSince = 0;
  /** Ended calls without a line. */
  #ended: RecordedPart[] = [];
  /** Calls with a line that says they are running. */
  readonly #running = new Set<RecordedPart>();
  /** Lines that wait for the store. */
  #waiting: JournalLine[] = [];
  /** True when a call waits until the pending lines are on disk. */
  #isDurableWanted = false;
  /** True once a line must be sealed, even if the files configure no audit. */
  #isSealing = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #lost = 0;
  #cleanedAt = -Infinity;
  #writtenSince = 0;
  #bytesSince = 0;
  #chain: AuditChain | undefined;
  /** Sealed lines that the store may or may not have. */
  #unsure: readonly SealedLine[] | undefined;
  #hasWarned = false;
  #closing: Promise<void> | undefined;

  constructor(options: CallJournalOptions) {
    this.#options = options;
  }

  begin(call: BegunCall): CallTrail | undefined {
    const own = this.#levelOf(nameOf(call.tool));
    if (own === 'off') return undefined;
    const audit = this.#options.audit();
    const isOnDiskFirst = audit.isOn && typeof call.tool !== 'string' && isStrict(audit, call.tool);
    const trail = new RecordedTrail(call, { level: own, isStrict: isOnDiskFirst }, this);
    this.track(trail);
    return trail;
  }

  beginRun(run: BegunRun): RunTrail | undefined {
    if (this.#levelOf(run.agent) === 'off') return undefined;
    return new RecordedRun(run, this);
  }

  /** Registers the start of a call or run; its lines are created later. */
  track(part: RecordedPart): void {
    this.#begun.push(part);
    this.#wake();
  }

  /**
   * Registers the end of a call or run. With many calls, lines are created for a few at a time, soon after these have ended: later, their
   * data would have to be loaded into the processor's cache again, and would burden the garbage collector until then.
   */
  ended(part: RecordedPart): void {
    if (this.#ended.push(part) === FEW) process.nextTick(() => this.#collectEnded());
    this.#wake();
  }

  #wake(): void {
    this.#timer ??= setTimeout(() => this.#flushSoon(), BATCH).unref();
  }

  show(value: unknown, tool: BegunCall['tool']): ShownValue {
    let [text, shown] = ['null', 'null'];
    try {
      text = JSON.stringify(value) ?? 'null';
      shown = JSON.stringify(this.#options.redact(value, tool)) ?? 'null';
    } catch {
      // The value is not JSON, so the call is refused anyway.
      return { text: '"[not JSON]"', isWhole: false };
    }
    if (shown.length <= MOST_SHOWN) return { text: shown, isWhole: shown === text };
    const cut = `${shown.slice(0, MOST_SHOWN)}… (${shown.length} characters)`;
    return { text: JSON.stringify(cut), isWhole: false };
  }

  /** Writes the start of a call to disk. On failure, throws the reason why the call must not run. */
  async commit(trail: RecordedTrail): Promise<void> {
    this.#collect();
    if (!this.#running.has(trail)) this.#waiting.push(trail.toStart(epoch()));
    this.#running.add(trail);
    this.#isDurableWanted = true;
    const failure = this.#options.store().isTemporary
      ? new Error('its store lives in memory, because its data folder cannot be written')
      : await this.#writeSoon();
    if (failure === undefined) return;
    const isAway = failure instanceof ToolError && ['upstream_unavailable', 'outcome_unknown'].includes(failure.code);
    const why = messageOf(failure).replace(/\.$/, '');
    const message = `The tool "${trail.toolName}" was not run: its call has to be on disk first (audit.strict), and could not be written: ${why}. Try again when the board's store works.`;
    const code = isAway ? 'upstream_unavailable' : 'execution_failed';
    throw new ToolError({ code, message, toolName: trail.toolName, cause: failure });
  }

  add(line: JournalLine): void {
    this.#waiting.push(line);
    this.#wake();
  }

  /**
   * Writes a line at once. Resolves when it would survive a power cut; rejects when it could not be written. A line about a call with
   * sealed lines is sealed too, whatever the files of this process say.
   */
  async writeNow(line: JournalLine): Promise<void> {
    const [known] = await this.#options.store().journal.read({ calls: [line.call], limit: 1 });
    if (known?.seal !== undefined) this.#isSealing = true;
    this.#collect();
    this.#waiting.push(line);
    this.#isDurableWanted = true;
    const failure = await this.#writeSoon();
    if (failure !== undefined) throw failure instanceof Error ? failure : new Error('The store failed.');
  }

  /** Writes pending lines. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#collect();
    await (this.#waiting.length === 0 && this.#unsure === undefined ? this.#writing : this.#writeSoon());
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    if (this.#chain !== undefined) {
      this.#waiting.push(toLine(CLOSED, {}));
      await this.#writeSoon();
      clearTimeout(this.#timer);
    }
    await (await this.#options.sink())?.close();
  }

  #flushSoon(): void {
    this.#timer = undefined;
    void this.flush();
  }

  #levelOf(name: string): RecordLevel {
    const { level, tools } = this.#options.settings();
    const wanted = tools.size === 0 ? level : (tools.get(name) ?? level);
    return wanted === 'off' && this.#options.audit().isOn ? 'summary' : wanted;
  }

  /** Creates the lines of ended calls. */
  #collectEnded(): void {
    const ended = this.#ended;
    if (ended.length === 0) return;
    this.#ended = [];
    const from = epoch();
    for (const part of ended) {
      this.#running.delete(part);
      this.#waiting.push(part.toEnd(from));
    }
    this.#endedSince += ended.length;
    if (this.#endedSince * 2 > this.#begun.length) {
      this.#begun = this.#begun.filter(({ isOver }) => !isOver);
      this.#endedSince = 0;
    }
  }

  /** Creates the lines of ended and running calls. */
  #collect(): void {
    this.#collectEnded();
    const begun = this.#begun;
    if (begun.length === 0) return;
    this.#begun = [];
    this.#endedSince = 0;
    const from = epoch();
    for (const part of begun) {
      if (part.isOver || this.#running.has(part)) continue;
      this.#running.add(part);
      this.#waiting.push(part.toStart(from));
    }
  }

  /** Writes pending lines after the current write. Returns the reason for a failure. */
  #writeSoon(): Promise<unknown> {
    const before = this.#writing;
    const write = async (): Promise<unknown> => {
      await before;
      try {
        await this.#write();
        return undefined;
      } catch (error) {
        this.#fail(error);
        return error ?? new Error('The store failed.');
      }
    };
    return (this.#writing = write());
  }

  async #write(): Promise<void> {
    const store = this.#options.store();
    while (this.#waiting.length > 0 || this.#unsure !== undefined) {
      if (this.#lost > 0) this.#waiting.unshift(toLine('lost', { lines: this.#lost }));
      this.#lost = 0;
      const durable = this.#isDurableWanted;
      if (this.#options.audit().isOn || this.#isSealing || this.#chain !== undefined)
        await this.#writeSealed(store, durable);
      else await this.#append(this.#waiting.slice(0, MOST_AT_ONCE), store, durable);
      if (this.#waiting.length === 0) this.#isDurableWanted = false;
    }
    await this.#removeOld(store);
  }

  async #append(lines: readonly JournalLine[], store: BoardStore, durable: boolean): Promise<void> {
    await store.journal.append(lines, { signal: CALLS_CHANNEL, durable });
    this.#waiting.splice(0, lines.length);
    this.#count(lines);
  }

  #count(lines: readonly JournalLine[]): void {
    this.#writtenSince += lines.length;
    for (const { body } of lines) this.#bytesSince += body.length;
  }

  async #writeSealed(store: BoardStore, durable: boolean): Promise<void> {
    const chain = (this.#chain ??= await this.#openChain(store));
    if (this.#unsure === undefined) {
      this.#unsure = chain.seal(this.#waiting.slice(0, MOST_AT_ONCE));
      this.#waiting.splice(0, this.#unsure.length);
    } else {
      // The answer to the last attempt was lost; the lines may have been written.
      const [last] = await store.journal.read({ chain: chain.id, limit: 1 });
      if ((last?.place ?? 0) > chain.place) return this.#accept(this.#unsure, chain);
    }
    const lines = this.#unsure;
    if (lines.length > 0) await store.journal.append(lines, { signal: CALLS_CHANNEL, durable });
    await this.#accept(lines, chain);
  }

  async #accept(lines: readonly SealedLine[], chain: AuditChain): Promise<void> {
    chain.accept(lines);
    this.#unsure = undefined;
    this.#count(lines);
    (await this.#options.sink())?.write(lines);
  }

  /** Starts the chain of this process with a reference to the newest line of another chain, so that removing that line is noticed. */
  async #openChain(store: BoardStore): Promise<AuditChain> {
    const chain = new AuditChain(await this.#options.auditKey());
    const newest = await store.journal.read({ limit: NEWEST });
    const sealed = newest.find((line) => line.seal !== undefined);
    const after =
      sealed === undefined ? {} : { after: { chain: sealed.chain, place: sealed.place, seal: sealed.seal } };
    this.#waiting.unshift(toLine(OPENED, { ...after, process: recordingProcess() }));
    return chain;
  }

  #fail(error: unknown): void {
    const before = this.#waiting.length;
    if (before > MOST_WAITING) this.#waiting = shedLines(this.#waiting, MOST_WAITING);
    this.#lost += before - this.#waiting.length;
    this.#timer ??= setTimeout(() => this.#flushSoon(), RETRY).unref();
    const isAway = error instanceof ToolError && error.code === 'upstream_unavailable';
    if (isAway || this.#hasWarned) return;
    this.#hasWarned = true;
    const why = messageOf(error).replace(/\.$/, '');
    this.#options.warn(`Calls are not recorded: ${why}. Calls continue; write record: off to record none.`);
  }

  /** Periodically deletes lines beyond the age and amount that the board keeps. */
  async #removeOld(store: BoardStore): Promise<void> {
    const time = performance.now();
    const { keep, maxLines, maxSize } = this.#options.settings();
    const most = store.isTemporary === true ? Math.min(maxLines, MOST_IN_MEMORY) : maxLines;
    const isMuch = this.#writtenSince >= Math.min(CLEANING_LINES, most / 10) || this.#bytesSince >= maxSize / 10;
    if (time - this.#cleanedAt < CLEANING && !isMuch) return;
    this.#cleanedAt = time;
    this.#writtenSince = 0;
    this.#bytesSince = 0;
    await removeOldLines(store, {
      before: Date.now() - keep,
      maxLines: most,
      maxSize,
      key: this.#options.auditKey,
    });
  }
}

function toLine(type: string, facts: Readonly<Record<string, unknown>>): JournalLine {
  // As an outcome it is indexed, so such lines are found among millions.
  return { at: Date.now(), type, outcome: type, call: recordingProcess(), body: JSON.stringify(facts) };
}

/** Returns the wall-clock time at which `performance.now()` was 0: it changes when the clock is set. */
function epoch(): number {
  return Date.now() - performance.now();
}
