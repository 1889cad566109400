import { isGone } from '../../../platform/process/trees/process-table.ts';
import type { RecordCount, StoreSpace } from '../../../platform/store/board-store.ts';
import type { KeyedStore } from '../../../platform/store/sealed-space.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { type ApprovalRow, type ApprovalStatus, closeRow, type GivenAnswer, parseRow } from './approval-record.ts';
import { risksFrom } from '../../../tool/tool-metadata.ts';

/** Waiting questions, and those whose approval no call has used yet. */
const OPEN = 'approvals';
const OVER = 'approvals-over';
const GRANTS = 'approval-grants';
/** The channel that notifies processes of new and changed questions. */
const CHANNEL = 'approvals';
/** Milliseconds that a closed question stays readable. */
const KEEP_OVER = 7 * 24 * 60 * 60_000;
/** The same for questions whose call ended before a person answered: a client can create any number of them. */
const KEEP_ENDED = 60 * 60_000;
/** Milliseconds that an expired question may stay unchanged if no process has closed it. */
const KEEP_EXPIRED = 60 * 60_000;
/** Maximum used approvals that a process remembers. */
const MOST_SPENT = 10_000;
/** Maximum closed questions of one caller that stay readable; beyond that, unanswered ones are deleted. */
const MOST_OVER = 1_000;
/** Milliseconds that an approval for a session is valid: the end of a session is not always reported. */
const KEEP_GRANT = 24 * 60 * 60_000;

/** An answer with the arguments as the person changed them. */
export interface RowAnswer extends GivenAnswer {
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** The questions of a board in its store: sealed, shared by its processes, and each answered only once. */
export class ApprovalRows {
  readonly #store: () => KeyedStore;
  readonly #now: () => number;
  /** The newest questions whose approval was used by a call of this process. */
  readonly #spent = new Set<string>();
  /** Rows that were read for a list: only changed ones are read again. */
  readonly #read = new Map<string, Map<string, ReadRow>>();
  /** Calls that wait for an answer, by question. */
  readonly #waiters = new Map<string, Waiter>();
  #stopWaiters: (() => void) | undefined;
  #waking: 'no' | 'yes' | 'again' = 'no';

  constructor(store: () => KeyedStore, now: () => number = () => Date.now()) {
    this.#store = store;
    this.#now = now;
  }

  /** Returns the identity of a call, a keyed hash: nobody can compute it or derive the call from it without the board's key. */
  identify(digested: string): Promise<string> {
    return this.#store().keyedName('approval', digested);
  }

  /** Stores a new question, or returns the valid one with its id. Resolves once it is on disk. */
  async open(row: ApprovalRow): Promise<{ readonly row: ApprovalRow; readonly isNew: boolean }> {
    return this.#store().transaction(async (inside) => {
      const known = await this.#find(inside, row.id);
      if (known !== undefined && known.identity !== row.identity) throw collision(row.id);
      // The earlier call ended without an answer: ask again.
      if (known !== undefined && known.status !== 'ended') return { row: known, isNew: false };
      await inside.space(OVER).delete(row.id);
      await inside.space(OPEN).set(row.id, row, { ttl: this.#timeLeft(row), owner: row.caller });
      await inside.signal(CHANNEL);
      return { row, isNew: true };
    });
  }

  async get(id: string): Promise<ApprovalRow | undefined> {
    return this.#find(this.#store(), id);
  }

  /**
   * Counts the waiting questions of one caller, or of all callers, by an index. The count may include some that have expired but are not
   * closed yet.
   */
  count(caller?: string): Promise<RecordCount> {
    return this.#store().space(OPEN).count({ owner: caller });
  }

  /** Lists questions, the oldest first. Without `over`, only waiting ones and those whose approval is unused. */
  async list(options: { readonly over: boolean }): Promise<ApprovalRow[]> {
    const open: ApprovalRow[] = [];
    const over: ApprovalRow[] = options.over ? await this.#readAll(OVER) : [];
    for (const stored of await this.#readAll(OPEN)) {
      const row = this.#withCurrentStatus(stored);
      const isOver = row.status === 'expired' || row.status === 'ended';
      (isOver ? over : open).push(row);
      // The first process that notices it closes the row, which removes the arguments.
      if (isOver) await this.#closeLate(row);
    }
    const wanted = options.over ? [...open, ...over] : open;
    return wanted.toSorted((one, other) => one.createdAt - other.createdAt);
  }

  /** Answers a waiting question. Throws for a closed one: the first answer counts. */
  async answer(id: string, { args, ...answer }: RowAnswer): Promise<ApprovalRow> {
    // The parts of its key do not change, and keys must be computed before a transaction.
    const asked = answer.scope === 'session' ? await this.get(id) : undefined;
    const grant = asked === undefined ? undefined : await this.#grantName(asked);
    return this.#store().transaction(async (inside) => {
      const row = await this.#findFirst(inside, id);
      if (row?.status !== 'waiting') throw explainOver(id, row);
      const status = answer.allow ? 'allowed' : 'denied';
      const answered: ApprovalRow = { ...row, status, answer, ...(args === undefined ? {} : { edited: args }) };
      if (answer.allow) {
        const { exact: _, ...rest } = answered;
        // An approval is valid for as long as its question was.
        const kept: ApprovalRow = { ...rest, expiresAt: answer.at + row.expiresAt - row.createdAt };
        await inside.space(OPEN).set(id, kept, { ttl: this.#timeLeft(kept) });
        if (grant !== undefined) await inside.space(GRANTS).set(grant, answer, { ttl: KEEP_GRANT });
      } else await this.#close(inside, answered, 'denied');
      await inside.signal(CHANNEL);
      return answered;
    });
  }

  /** Ends a waiting question and returns it; one that was answered meanwhile stays unchanged. */
  end(id: string, status: 'expired' | 'ended'): Promise<ApprovalRow | undefined> {
    return this.#store().transaction(async (inside) => {
      const stored = parseRow(await inside.space(OPEN).get(id));
      if (stored?.status !== 'waiting') return stored ?? this.#find(inside, id);
      const closed = await this.#close(inside, stored, status);
      await inside.signal(CHANNEL);
      return closed;
    });
  }

  /** Consumes an approval, once across all processes. Returns false when it was already used. */
  async spend(id: string): Promise<boolean> {
    // Read before the transaction, to keep it short for others.
    if (this.#spent.has(id) || (await this.#findOver(this.#store(), id)) !== undefined) return false;
    const isSpent = await this.#store().transaction(async (inside) => {
      const row = parseRow(await inside.space(OPEN).get(id));
      if (row?.status !== 'allowed') return false;
      await this.#close(inside, row, 'spent');
      await inside.signal(CHANNEL);
      return true;
    });
    if (isSpent) this.#remember(id);
    return isSpent;
  }

  /** Remembers a used approval in this process, because someone with write access to the database could restore the row. */
  #remember(id: string): void {
    this.#spent.add(id);
    const [oldest] = this.#spent;
    if (oldest !== undefined && this.#spent.size > MOST_SPENT) this.#spent.delete(oldest);
  }

  /** Finds the approval for this tool in this session, if any. */
  async findGrant(call: GrantedCall): Promise<GivenAnswer | undefined> {
    // An approval of a riskier call covers this call too, but not the other way round.
    for (const risk of risksFrom(call.risk)) {
      // Only `answer` writes there, and rows are sealed.
      const grant = (await this.#store()
        .space(GRANTS)
        .get(await this.#grantName({ ...call, risk }))) as GivenAnswer | undefined;
      // The expiry of a row is not sealed: someone with write access to the database could extend it.
      if (grant !== undefined && this.#now() < grant.at + KEEP_GRANT) return grant;
    }
    return undefined;
  }

  #grantName(call: GrantedCall): Promise<string> {
    return this.#store().keyedName('approval grant', grantKey(call));
  }

  /** Calls `listener` when a question is added or changed, in any process. */
  watch(listener: () => void): () => void {
    return this.#store().watch(CHANNEL, listener);
  }

  /** Calls `listener` when a waiting question may have changed, in any process. */
  watchRow(id: string, listener: () => void): () => void {
    const waiter = this.#waiters.get(id) ?? { listeners: new Set(), seen: undefined };
    this.#waiters.set(id, waiter);
    waiter.listeners.add(listener);
    this.#stopWaiters ??= this.watch(() => void this.#wake());
    return () => {
      waiter.listeners.delete(listener);
      if (waiter.listeners.size === 0 && this.#waiters.get(id) === waiter) this.#waiters.delete(id);
      if (this.#waiters.size > 0) return;
      this.#stopWaiters?.();
      this.#stopWaiters = undefined;
    };
  }

  /** Notifies the calls whose question changed. Reads the keys once for all of them, instead of a row for each. */
  async #wake(): Promise<void> {
    if (this.#waking !== 'no') return void (this.#waking = 'again');
    do {
      this.#waking = 'yes';
      // The store may be temporarily unavailable: the next signal tries again.
      const keys = await this.#store()
        .space(OPEN)
        .keys({ owner: true })
        .catch(() => undefined);
      const changedAt = new Map(keys?.map((one) => [one.key, one.changedAt]));
      for (const [id, waiter] of keys === undefined ? [] : this.#waiters) {
        const now = changedAt.get(id);
        if (now !== undefined && now === waiter.seen) continue;
        waiter.seen = now;
        for (const listener of waiter.listeners) listener();
      }
      // Set by a signal that arrived meanwhile.
    } while ((this.#waking as string) === 'again');
    this.#waking = 'no';
  }

  /** Reads all rows of a space; unchanged ones are not read again. */
  async #readAll(name: string): Promise<ApprovalRow[]> {
    const space = this.#store().space(name);
    const before = this.#read.get(name);
    const now = new Map<string, ReadRow>();
    this.#read.set(name, now);
    if (before === undefined) {
      for (const { key, value, changedAt } of await space.entries())
        now.set(key, { row: parseRow(value), changedAt, readAt: this.#now() });
    } else {
      for (const { key, changedAt } of await space.keys()) {
        const known = before.get(key);
        // A row written while it was being read may have changed again.
        const isSame = known?.changedAt === changedAt && changedAt < known.readAt - SAME_MOMENT;
        now.set(key, isSame ? known : { row: parseRow(await space.get(key)), changedAt, readAt: this.#now() });
      }
    }
    return Array.from(now.values(), ({ row }) => row).filter((row) => row !== undefined);
  }

  /** Closes an expired question, unless another process has. */
  async #closeLate({ id }: ApprovalRow): Promise<void> {
    await this.#store().transaction(async (inside) => {
      const stored = parseRow(await inside.space(OPEN).get(id));
      const now = stored === undefined ? undefined : this.#withCurrentStatus(stored);
      if (now?.status === 'expired' || now?.status === 'ended') await this.#close(inside, now, now.status);
    });
  }

  async #find(inside: Spaces, id: string): Promise<ApprovalRow | undefined> {
    return (await this.#findOver(inside, id)) ?? this.#findFirst(inside, id);
  }

  /** Finds an open question, or else a closed one. A person can answer a row that someone restored. */
  async #findFirst(inside: Spaces, id: string): Promise<ApprovalRow | undefined> {
    const row = parseRow(await inside.space(OPEN).get(id)) ?? parseRow(await inside.space(OVER).get(id));
    return row === undefined ? undefined : this.#withCurrentStatus(row);
  }

  /**
   * Finds a closed question that cannot be asked again. If an open row exists too, someone with write access to the database restored it,
   * so it does not count.
   */
  async #findOver(inside: Spaces, id: string): Promise<ApprovalRow | undefined> {
    const over = parseRow(await inside.space(OVER).get(id));
    return over?.status === 'ended' ? undefined : over;
  }

  async #close(inside: Spaces, row: ApprovalRow, status: ApprovalStatus): Promise<ApprovalRow> {
    const closed = closeRow(row, status, this.#now());
    await inside.space(OPEN).delete(row.id);
    const over = inside.space(OVER);
    const owner = row.caller;
    if (status === 'ended' && (await over.count({ owner })).records >= MOST_OVER) return closed;
    await over.set(row.id, closed, { ttl: status === 'ended' ? KEEP_ENDED : KEEP_OVER, owner });
    return closed;
  }

  /** Closes a question in memory that has expired, or whose process has ended, even if the store does not say so yet. */
  #withCurrentStatus(row: ApprovalRow): ApprovalRow {
    if (row.status !== 'waiting' && row.status !== 'allowed') return row;
    if (row.expiresAt <= this.#now()) return closeRow(row, 'expired', row.expiresAt);
    return row.key === undefined && isGone(row.process) ? closeRow(row, 'ended', this.#now()) : row;
  }

  #timeLeft({ expiresAt }: ApprovalRow): number {
    return Math.max(0, expiresAt - this.#now()) + KEEP_EXPIRED;
  }
}

/** Milliseconds that the clocks of this process and the store may differ unnoticed. */
const SAME_MOMENT = 1_000;

interface ReadRow {
  readonly row: ApprovalRow | undefined;
  readonly changedAt: number;
  readonly readAt: number;
}

interface Waiter {
  readonly listeners: Set<() => void>;
  /** Time of the last known change of the question. */
  seen: number | undefined;
}

interface Spaces {
  space(name: string): StoreSpace;
}

/** The calls that an approval for a session covers: those of the unchanged tool, with at most the risk that the person approved. */
type GrantedCall = Pick<ApprovalRow, 'caller' | 'session' | 'tool' | 'definition' | 'risk'>;

function grantKey({ caller, session, tool, definition, risk }: GrantedCall): string {
  return JSON.stringify([caller, session, tool, definition, risk]);
}

/** Creates the error for two questions with the same id, which does not happen by chance. */
function collision(id: string): ToolError {
  return new ToolError({ code: 'execution_failed', message: `The approval "${id}" belongs to another call.` });
}

/** Explains why a question cannot be answered. */
function explainOver(id: string, row: ApprovalRow | undefined): ToolError {
  if (row === undefined) {
    const message = `There is no approval "${id}". See what waits with: pegboard approvals list`;
    return new ToolError({ code: 'not_found', message });
  }
  const { status, tool, answer, endedAt = row.expiresAt } = row;
  const when = (at: number): string => new Date(at).toISOString();
  const how =
    answer !== undefined && status !== 'expired'
      ? `was answered already: ${answer.by} ${answer.allow ? 'allowed' : 'denied'} it at ${when(answer.at)}`
      : status === 'expired'
        ? `expired at ${when(endedAt)}`
        : 'is closed: the call ended before it was answered';
  const message = `The approval "${id}" (a call of "${tool}") ${how}. The first answer counts.`;
  return new ToolError({ code: 'invalid_arguments', message, toolName: tool, field: 'id' });
}
