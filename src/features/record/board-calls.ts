import type { ClientApp } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { CallStage } from '../../pipeline/call-recorder.ts';
import { isGone } from '../../platform/process/trees/process-table.ts';
import type { BoardStore, JournalQuery, StoredLine } from '../../platform/store/board-store.ts';
import { CALLS_CHANNEL } from './call-journal.ts';
import { ATTEMPT } from './call-trail.ts';
import { STEP_ENDED, STEP_STARTED } from './run-trail.ts';

/** A request that a call made to a server. */
export interface CallRequest {
  readonly to: string;
  /** Milliseconds after the call began. */
  readonly at: number;
  readonly ms: number;
  readonly outcome: string;
}

/** A recorded call. */
export interface RecordedCall {
  readonly id: string;
  /** The call, or the step of an agent run, that made it. */
  readonly parent?: string;
  /** Set for records that are not tool calls: a run of an agent, or a step of one. */
  readonly part?: 'run' | 'step';
  /** The tool; for a run and its steps, the agent. */
  readonly tool: string;
  /** The user it was made for; empty for the user of the board. */
  readonly caller: string;
  /** Describes the caller: `code`, `MCP client`, `agent helper`. */
  readonly by: string;
  /** The name and version that the client program reports: `{ name: 'claude-code', version: '2.1' }`. */
  readonly client?: ClientApp;
  readonly session?: string;
  readonly source?: string;
  readonly kind?: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** `running`, `ok`, an error code (for a run, the way it ended, such as `max_steps`), or `lost` when its process ended first. */
  readonly outcome: string;
  readonly durationMs?: number;
  /** Number of times the tool ran. */
  readonly attempts?: number;
  /** Failed attempts that were retried; only `get` returns them. */
  readonly failedAttempts?: readonly FailedAttempt[];
  /** Number of steps of a run. */
  readonly steps?: number;
  /** Tokens and cost of a run or a step. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Requests that it made to servers: receiver, start, duration and outcome. */
  readonly stages?: Readonly<Partial<Record<CallStage, number>>>;
  /** Requests that it made to servers: to where, after how many milliseconds, for how long, and how they ended. */
  readonly requests?: readonly CallRequest[];
  /** Characters of the arguments as JSON. */
  readonly inputChars?: number;
  /** Characters of the result's text. */
  readonly outputChars?: number;
  /** The arguments as JSON without secrets, if they are recorded. */
  readonly args?: string;
  /** True when these are the complete arguments, without removed secrets or omissions. */
  readonly isArgsWhole?: boolean;
  /** The result as JSON without secrets, if it is recorded. */
  readonly result?: string;
  /** Questions to people about the call and their answers; only `get` returns them. */
  readonly approvals?: readonly RecordedQuestion[];
}

/** A failed attempt of a call that was retried. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  /** The time of its end, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  /** The code of its error. */
  readonly outcome: string;
  /** The error's message without secrets, if values are recorded. */
  readonly message?: string;
}

/** A line about a question to a person: asked or answered. */
export interface RecordedQuestion {
  readonly type: 'waiting' | 'answered';
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The question, the people who may answer or who answered, the way, and the reason. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Selects calls that match every given field. */
export interface CallFilter {
  readonly tool?: string | undefined;
  readonly caller?: string | undefined;
  /** `running`, `ok`, or the code of an error. */
  readonly outcome?: string | undefined;
  /** Started or ended at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** A text in the recorded data. */
  readonly text?: string | undefined;
  /** The parent of the calls: a run for its steps, a step for its calls, a call for its inner calls and runs. */
  readonly parent?: string | undefined;
}

/** The calls to list. */
export interface CallListOptions extends CallFilter {
  /** Default: 50. */
  readonly limit?: number | undefined;
  /** Maximum lines to search for a text, starting with the newest. Default: 500,000. */
  readonly scan?: number | undefined;
  /** Called with the number of searched lines when a search for a text stops before the end of the record. */
  readonly onPartial?: ((lines: number) => void) | undefined;
}

/** The record of a board's calls, from all its processes. */
export interface BoardCalls {
  /** Lists calls, the newest first. */
  list(options?: CallListOptions): Promise<RecordedCall[]>;
  /** Returns a call by its id, or `undefined`. */
  get(id: string): Promise<RecordedCall | undefined>;
  /** Yields calls that take long, and all calls that end, until the signal aborts. */
  follow(filter?: CallFilter, signal?: AbortSignal): AsyncGenerator<RecordedCall, void>;
  /** Deletes the record of one caller's calls. Returns the number of lines. */
  forget(caller: string): Promise<number>;
}

/** Lines to read again: lines that processes write at the same time may arrive out of order. */
const OVERLAP = 500;
const PAGE = 500;
/** Lines that one query searches for a text, and all queries of one search together. */
const WINDOW = 20_000;
const MOST_SCANNED = 500_000;

/** Types of lines for calls and runs, and for steps. */
const STARTED: readonly string[] = ['started', STEP_STARTED];
const ENDED: readonly string[] = ['ended', STEP_ENDED];
const ASKED: readonly string[] = ['waiting', 'answered'];

/** The parts that read and change the record. */
interface CallsHost {
  /** Writes the pending lines of this process. */
  readonly flush: () => Promise<void>;
  readonly forget: (caller: string) => Promise<number>;
}

/** Opens the record in a board's store. */
export function openBoardCalls(store: () => BoardStore, { flush, forget }: CallsHost): BoardCalls {
  return {
    async list({ limit = 50, scan = MOST_SCANNED, onPartial, ...filter } = {}) {
      await flush();
      const calls = new Map<string, RecordedCall>();
      // A call has at most two lines.
      const page = Math.min(2 * limit + 10, PAGE);
      for await (const lines of readPages(store(), { ...toQuery(filter), limit: page }, { scan, onPartial })) {
        // The end comes before the start, because the newest lines come first.
        for (const line of lines) if (!calls.has(line.call)) calls.set(line.call, toCall(line));
        if (calls.size >= limit) break;
      }
      const found = [...calls.values()];
      const wanted = filter.outcome === 'running' ? await withoutEnded(found, store()) : found;
      return wanted.toSorted((one, other) => other.startedAt - one.startedAt).slice(0, limit);
    },
    async get(id) {
      await flush();
      // A stored run may have ended and been resumed: its newest line counts.
      const [line] = await store().journal.read({ calls: [id], types: [...STARTED, ...ENDED], limit: 1 });
      if (line === undefined) return undefined;
      const inside = await store().journal.read({
        calls: [id],
        types: [...ASKED, ATTEMPT],
        order: 'oldest',
        limit: PAGE,
      });
      const asked = inside.filter(({ type }) => ASKED.includes(type));
      const failed = inside.filter(({ type }) => type === ATTEMPT);
      return {
        ...toCall(line),
        ...(failed.length === 0 ? {} : { failedAttempts: failed.map(toAttempt) }),
        ...(asked.length === 0 ? {} : { approvals: withoutDuplicates(asked.map(toQuestion)) }),
      };
    },
    follow(filter = {}, signal) {
      // Starts at the time of this call, even if the first line is requested later.
      const newest = store().journal.read({ limit: 1 });
      newest.catch(() => undefined);
      return followLines({ store: store(), flush, signal, newest }, filter);
    },
    forget: async (caller) => {
      await flush();
      return forget(caller);
    },
  };
}

/** Yields matching lines in pages, the newest first. A search in texts stops after a maximum number of lines. */
async function* readPages(
  store: BoardStore,
  query: JournalQuery,
  { scan, onPartial }: { readonly scan: number } & Pick<CallListOptions, 'onPartial'>,
): AsyncGenerator<StoredLine[]> {
  if (query.text === undefined) {
    for (let before: number | undefined; ;) {
      const lines = await store.journal.read({ ...query, before });
      yield lines;
      if (lines.length < (query.limit ?? PAGE)) return;
      before = lines.at(-1)?.number;
    }
  }
  // A database that searches millions of texts at once cannot answer anything else meanwhile.
  const [newest] = await store.journal.read({ limit: 1 });
  const top = newest?.number ?? 0;
  for (let before = top + 1; before > 1;) {
    if (top - before + 1 >= scan) return onPartial?.(top - before + 1);
    const after = before - WINDOW - 1;
    const lines = await store.journal.read({ ...query, before, after });
    yield lines;
    before = lines.length < (query.limit ?? PAGE) ? after + 1 : (lines.at(-1)?.number ?? 0);
    const last = lines.at(-1);
    if (last !== undefined && query.since !== undefined && last.at < query.since) return;
  }
}

/** A source of lines, and the position to start from. */
interface LineSource {
  readonly store: BoardStore;
  readonly flush: () => Promise<void>;
  readonly signal: AbortSignal | undefined;
  readonly newest: Promise<readonly StoredLine[]>;
}

async function* followLines(source: LineSource, filter: CallFilter): AsyncGenerator<RecordedCall, void> {
  const { store, flush, signal, newest } = source;
  let changed = Promise.withResolvers<void>();
  const wake = (): void => changed.resolve();
  const stop = store.watch(CALLS_CHANNEL, wake);
  signal?.addEventListener('abort', wake, { once: true });
  try {
    const first = (await newest)[0]?.number ?? 0;
    const seen = new Set<number>();
    let last = first;
    for (;;) {
      if (signal?.aborted === true) return;
      await flush();
      const after = Math.max(first, last - OVERLAP);
      const lines = await store.journal.read({ ...toQuery(filter), after, order: 'oldest', limit: PAGE });
      const fresh = lines.filter(({ number }) => !seen.has(number));
      for (const line of fresh) {
        seen.add(line.number);
        last = Math.max(last, line.number);
        yield toCall(line);
      }
      for (const number of seen) if (number < last - OVERLAP) seen.delete(number);
      if (fresh.length > 0) continue;
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    stop();
  }
}

function toQuery({ tool, caller, outcome, since, text, parent }: CallFilter): JournalQuery {
  const isRunning = outcome === 'running';
  // A list of calls contains no steps, unless a parent is given.
  const most = parent === undefined ? 1 : undefined;
  const [started, ended] = [STARTED.slice(0, most), ENDED.slice(0, most)];
  const types = isRunning ? started : outcome === undefined ? [...started, ...ended] : ended;
  return { types, tool, caller, since, text, parent, outcome: isRunning ? undefined : outcome };
}

async function withoutEnded(calls: readonly RecordedCall[], store: BoardStore): Promise<RecordedCall[]> {
  if (calls.length === 0) return [];
  const ended = await store.journal.read({ calls: calls.map(({ id }) => id), types: [...ENDED], limit: calls.length });
  const over = new Set(ended.map(({ call }) => call));
  return calls.filter(({ id, outcome }) => !over.has(id) && outcome === 'running');
}

function toCall({ call, parent, tool = '', caller = '', outcome, type, at, body }: StoredLine): RecordedCall {
  const { process, startedAt, by, callId: _, level: __, ...facts } = parseBody(body);
  const isLost = STARTED.includes(type) && typeof process === 'string' && isGone(process);
  return {
    // `CallJournal` wrote the following fields.
    ...(facts as Partial<RecordedCall>),
    id: call,
    ...(parent === undefined ? {} : { parent }),
    tool,
    caller,
    by: typeof by === 'string' ? by : '',
    startedAt: typeof startedAt === 'number' ? startedAt : at,
    outcome: outcome ?? (isLost ? 'lost' : 'running'),
  };
}

function toQuestion({ type, at, body }: StoredLine): RecordedQuestion {
  return { type: type === 'waiting' ? type : 'answered', at, facts: parseBody(body) };
}

function toAttempt({ at, outcome = '', body }: StoredLine): FailedAttempt {
  const { attempt, ms, message } = parseBody(body);
  const why = typeof message === 'string' ? { message } : {};
  return { attempt: Number(attempt), at, ms: Number(ms), outcome, ...why };
}

/** Removes duplicate answers: the process that receives an answer and the call that resumes with it both record it. */
function withoutDuplicates(questions: readonly RecordedQuestion[]): RecordedQuestion[] {
  const seen = new Set<string>();
  return questions.filter(({ type, facts: { approval } }) => {
    const key = JSON.stringify([type, approval]);
    if (approval !== undefined && seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function parseBody(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return isPlainObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
