import { randomBytes } from 'node:crypto';
import { clientOf } from '../../tool/call-owner.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { BegunCall, CallRecorder, CallStage, CallTrail } from '../../pipeline/call-recorder.ts';
import { thisProcess } from '../../platform/process/process-mark.ts';
import type { BoardStore, JournalLine } from '../../platform/store/board-store.ts';
import type { RecordLevel, RecordSettings } from './record-settings.ts';

/** The channel on which processes hear of new lines. */
export const CALLS_CHANNEL = 'calls';
/** Milliseconds that lines wait for others, so that many are written at once. */
const BATCH = 50;
/** Lines that wait for a store that is away; with more, the oldest are lost, and that is told. */
const MOST_WAITING = 20_000;
/** Milliseconds between two times at which old lines are deleted. */
const CLEANING = 60 * 60_000;
/** Characters of arguments and of a result that a full record has. */
const MOST_SHOWN = 20_000;

/** What a journal of calls needs of its board. */
export interface CallJournalOptions {
  /** Opened with the first call that is recorded. */
  readonly store: () => BoardStore;
  readonly settings: () => RecordSettings;
  /** Takes out of a value what must not be kept. */
  readonly redact: (value: unknown, tool: BegunCall['tool']) => unknown;
  /** Who made a call, in words. */
  readonly describeCaller: (context: ToolContext) => string;
}

/**
 * Writes what happens to calls into the board's journal.
 *
 * A call that ends soon is one line. One that runs for longer has a line at its start, so that other processes see it. Lines are
 * written in batches behind the calls: none waits for a disk.
 */
export class CallJournal implements CallRecorder {
  readonly #options: CallJournalOptions;
  /** Calls that began since lines were last written; most of them have ended by the next time. */
  #begun: Trail[] = [];
  /** Calls of which a line said that they run. */
  readonly #running = new Set<Trail>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #lost = 0;
  #cleanedAt = -Infinity;

  constructor(options: CallJournalOptions) {
    this.#options = options;
  }

  begin(call: BegunCall): CallTrail | undefined {
    const { level, tools } = this.#options.settings();
    const own = tools.size === 0 ? level : (tools.get(nameOf(call.tool)) ?? level);
    if (own === 'off') return undefined;
    const trail = new Trail(own, call, this);
    this.#begun.push(trail);
    this.#timer ??= setTimeout(() => this.#flushSoon(), BATCH).unref();
    return trail;
  }

  /** Notes that a call has ended of which a line said that it runs. */
  wake(): void {
    this.#timer ??= setTimeout(() => this.#flushSoon(), BATCH).unref();
  }

  /** Arguments or a result as a full record has them. */
  show(value: unknown, tool: BegunCall['tool']): string {
    let text: string;
    try {
      text = JSON.stringify(this.#options.redact(value, tool)) ?? 'null';
    } catch {
      // What came is no JSON, and is refused for that.
      return '"[not JSON]"';
    }
    if (text.length <= MOST_SHOWN) return text;
    return JSON.stringify(`${text.slice(0, MOST_SHOWN)}… (${text.length} characters)`);
  }

  /** Writes a line at once; resolves when it would outlive a power cut, and rejects when it could not be written. */
  async writeNow(line: JournalLine): Promise<void> {
    await this.#options.store().journal.append([line], { durable: true, signal: CALLS_CHANNEL });
  }

  describeCaller(context: ToolContext): string {
    return this.#options.describeCaller(context);
  }

  /** Writes what waits. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const begun = this.#begun;
    this.#begun = [];
    const ended = [...this.#running].filter((trail) => trail.isOver);
    for (const trail of ended) this.#running.delete(trail);
    const started: Trail[] = [];
    for (const trail of begun) (trail.isOver ? ended : started).push(trail);
    for (const trail of started) this.#running.add(trail);
    if (started.length === 0 && ended.length === 0) return this.#writing;
    const before = this.#writing;
    const write = async (): Promise<void> => {
      await before;
      await this.#write(started, ended);
    };
    return (this.#writing = write());
  }

  async close(): Promise<void> {
    await this.flush();
  }

  /** Deletes what is older than the board wants to keep, now and then. */
  async #removeOld(): Promise<void> {
    const time = performance.now();
    if (time - this.#cleanedAt < CLEANING) return;
    this.#cleanedAt = time;
    const { keep } = this.#options.settings();
    await this.#options.store().journal.remove({ before: Date.now() - keep });
  }

  #flushSoon(): void {
    this.#timer = undefined;
    void this.flush();
  }

  async #write(started: readonly Trail[], ended: readonly Trail[]): Promise<void> {
    const lines = [...started.map((trail) => trail.toStart()), ...ended.map((trail) => trail.toEnd())];
    if (this.#lost > 0) lines.push(toLossLine(this.#lost));
    try {
      await this.#options.store().journal.append(lines, { signal: CALLS_CHANNEL });
      this.#lost = 0;
      await this.#removeOld();
    } catch {
      // The store is away: all of them are tried again with the next batch.
      for (const trail of started) this.#running.delete(trail);
      this.#begun = [...ended, ...started, ...this.#begun];
      const over = this.#begun.length - MOST_WAITING;
      if (over > 0) this.#lost += this.#begun.splice(0, over).length;
      this.#timer ??= setTimeout(() => this.#flushSoon(), 20 * BATCH).unref();
    }
  }
}

let ownId: string | undefined;
let count = 0;

/** Tells the records of this process from those of others. */
function processId(): string {
  return (ownId ??= randomBytes(5).toString('hex'));
}

/** What is known of one call. Texts are made when its line is written: most of the work is not on the call's own way. */
class Trail implements CallTrail {
  isOver = false;
  readonly #number: number;
  readonly #level: RecordLevel;
  readonly #call: BegunCall;
  readonly #journal: CallJournal;
  readonly #startedAt = Date.now();
  readonly #args: string | undefined;
  /** Stages in the order they began, each with its time. */
  readonly #marks: (CallStage | number)[];
  #result: ToolResult | undefined;

  constructor(level: RecordLevel, call: BegunCall, journal: CallJournal) {
    this.#number = ++count;
    this.#level = level;
    this.#call = call;
    this.#journal = journal;
    this.#marks = ['check', performance.now()];
    // A tool may change what it gets: a full record shows what came.
    if (level === 'full') this.#args = journal.show(call.args, call.tool);
  }

  get id(): string {
    return `${processId()}-${this.#number.toString(36)}`;
  }

  enter(stage: CallStage): void {
    this.#marks.push(stage, performance.now());
  }

  /** A summary has no values: the question is left out. */
  async note(type: 'waiting' | 'answered', { question, ...facts }: Readonly<Record<string, unknown>>): Promise<void> {
    const { tool } = this.#call;
    const asked = this.#level === 'full' && question !== undefined ? { question } : {};
    const body = this.#journal.show({ ...facts, ...asked }, tool);
    await this.#journal.writeNow({ ...this.#common(), type, at: Date.now(), body });
  }

  end(result: ToolResult): void {
    this.#marks.push('shape', performance.now());
    this.#result = result;
    this.isOver = true;
    this.#journal.wake();
  }

  /** The line of a call that still runs. */
  toStart(): JournalLine {
    return { ...this.#common(), type: 'started', at: this.#startedAt, body: this.#body({ process: thisProcess() }) };
  }

  toEnd(): JournalLine {
    const result = this.#result;
    const { durationMs = 0, attempts = 0 } = result?.meta ?? {};
    const error = result?.ok === false ? result.error : undefined;
    const shown =
      this.#level === 'full'
        ? { result: result === undefined ? undefined : this.#journal.show(result.toJSON(), this.#call.tool) }
        : {};
    return {
      ...this.#common(),
      type: 'ended',
      at: Date.now(),
      outcome: error === undefined ? 'ok' : error.code,
      body: this.#body({
        durationMs: round(durationMs),
        attempts,
        stages: this.#stages(),
        outputChars: result?.text.length ?? 0,
        ...shown,
      }),
    };
  }

  #stages(): Partial<Record<CallStage, number>> {
    const stages: Partial<Record<CallStage, number>> = {};
    for (let at = 0; at + 3 < this.#marks.length; at += 2) {
      // Stages and times take turns.
      const [stage, from, to] = [
        this.#marks[at] as CallStage,
        Number(this.#marks[at + 1]),
        Number(this.#marks[at + 3]),
      ];
      stages[stage] = round((stages[stage] ?? 0) + to - from);
    }
    return stages;
  }

  #common(): Pick<JournalLine, 'call' | 'parent' | 'tool' | 'caller'> {
    const { context } = this.#call;
    const { user } = clientOf(context);
    return {
      call: this.id,
      ...(context.recordId === undefined ? {} : { parent: context.recordId }),
      tool: nameOf(this.#call.tool),
      caller: user,
    };
  }

  #body(facts: Readonly<Record<string, unknown>>): string {
    const { tool, callId, context } = this.#call;
    const { session } = clientOf(context);
    const { source, kind } = typeof tool === 'string' ? {} : tool.metadata;
    return JSON.stringify({
      startedAt: this.#startedAt,
      by: this.#journal.describeCaller(context),
      ...(session === '' ? {} : { session }),
      callId,
      source,
      kind,
      level: this.#level,
      ...(this.#args === undefined ? {} : { args: this.#args }),
      ...facts,
    });
  }
}

function nameOf(tool: BegunCall['tool']): string {
  return typeof tool === 'string' ? tool : tool.metadata.name;
}

function toLossLine(lost: number): JournalLine {
  return { at: Date.now(), type: 'lost', call: processId(), body: JSON.stringify({ lines: lost }) };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}
