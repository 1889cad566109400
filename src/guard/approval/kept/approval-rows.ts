import { isGone } from '../../../platform/process/process-mark.ts';
import type { RecordCount, StoreSpace } from '../../../platform/store/board-store.ts';
import type { KeyedStore } from '../../../platform/store/sealed-space.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { type ApprovalRow, type ApprovalStatus, closeRow, type GivenAnswer, parseRow } from './approval-record.ts';
import { risksFrom } from '../../../tool/tool-metadata.ts';

/** Questions that wait, and those whose approval no call has used yet. */
const OPEN = 'approvals';
const OVER = 'approvals-over';
const GRANTS = 'approval-grants';
/** The channel on which processes hear that a question came or changed. */
const CHANNEL = 'approvals';
/** Milliseconds for which a question that is over can be looked at. */
const KEEP_OVER = 7 * 24 * 60 * 60_000;
/** The same for one that no person answered, as its call ended first: a client can make any number of those. */
const KEEP_ENDED = 60 * 60_000;
/** Milliseconds for which a question whose time is up may stay as it was, where no process has closed it. */
const KEEP_EXPIRED = 60 * 60_000;
/** Maximum used approvals that a process remembers. */
const MOST_SPENT = 10_000;
/** Questions of one caller that are over and can be looked at; beyond that, those that no person answered are not kept. */
const MOST_OVER = 1_000;
/** Milliseconds for which an approval for a session holds: the end of a session is not always reported. */
const KEEP_GRANT = 24 * 60 * 60_000;

/** An answer with the arguments that the person made of those that came. */
export interface RowAnswer extends GivenAnswer {
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** The questions of a board in its store: sealed, shared by its processes, each answered once. */
export class ApprovalRows {
  readonly #store: () => KeyedStore;
  readonly #now: () => number;
  /** The newest questions whose approval a call of this process has used. */
  readonly #spent = new Set<string>();
  /** Rows that were read for a list: only those that changed since are read again. */
  readonly #read = new Map<string, Map<string, ReadRow>>();
  /** Calls that wait for an answer, by question. */
  readonly #waiters = new Map<string, Waiter>();
  #stopWaiters: (() => void) | undefined;
  #waking: 'no' | 'yes' | 'again' = 'no';

  constructor(store: () => KeyedStore, now: () => number = () => Date.now()) {
    this.#store = store;
    this.#now = now;
  }

  /** Returns the identity of a call: without the board's key, no one can make it or learn the call from it. */
  identify(digested: string): Promise<string> {
    return this.#store().keyedName('approval', digested);
  }

  /** Stores a new question, or returns the valid one with its id. On disk when this resolves. */
  async open(row: ApprovalRow): Promise<{ readonly row: ApprovalRow; readonly isNew: boolean }> {
    return this.#store().transaction(async (inside) => {
      const known = await this.#find(inside, row.id);
      if (known !== undefined && known.identity !== row.identity) throw collision(row.id);
      // No one answered, and that call has ended: the next one asks again.
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
   * Counts the questions of one caller that wait, or those of all callers, by an index. Some of them may be over already, where no
   * process has written that down.
   */
  count(caller?: string): Promise<RecordCount> {
    return this.#store().space(OPEN).count({ owner: caller });
  }

  /** All questions, the oldest first; without `over`, those that wait or whose approval no call has used. */
  async list(options: { readonly over: boolean }): Promise<ApprovalRow[]> {
    const open: ApprovalRow[] = [];
    const over: ApprovalRow[] = options.over ? await this.#readAll(OVER) : [];
    for (const stored of await this.#readAll(OPEN)) {
      const row = this.#asItIs(stored);
      const isOver = row.status === 'expired' || row.status === 'ended';
      (isOver ? over : open).push(row);
      // The first process that notices closes the row, which removes the arguments.
      if (isOver) await this.#closeLate(row);
    }
    const wanted = options.over ? [...open, ...over] : open;
    return wanted.toSorted((one, other) => one.createdAt - other.createdAt);
  }

  /** Answers a question that waits. Throws for one that is over: the first answer counts. */
  async answer(id: string, { args, ...answer }: RowAnswer): Promise<ApprovalRow> {
    // The parts of its key do not change, and keys are computed before a transaction.
    const asked = answer.scope === 'session' ? await this.get(id) : undefined;
    const grant = asked === undefined ? undefined : await this.#grantName(asked);
    return this.#store().transaction(async (inside) => {
      const row = await this.#findFirst(inside, id);
      if (row?.status !== 'waiting') throw explainOver(id, row);
      const status = answer.allow ? 'allowed' : 'denied';
      const answered: ApprovalRow = { ...row, status, answer, ...(args === undefined ? {} : { edited: args }) };
      if (answer.allow) {
        const { exact: _, ...rest } = answered;
        // An approval can be used for as long as the question could be answered.
        const kept: ApprovalRow = { ...rest, expiresAt: answer.at + row.expiresAt - row.createdAt };
        await inside.space(OPEN).set(id, kept, { ttl: this.#timeLeft(kept) });
        if (grant !== undefined) await inside.space(GRANTS).set(grant, answer, { ttl: KEEP_GRANT });
      } else await this.#close(inside, answered, 'denied');
      await inside.signal(CHANNEL);
      return answered;
    });
  }

  /** Ends a question that waits; one that was answered meanwhile stays as it is. Gives the question as it is then. */
  end(id: string, status: 'expired' | 'ended'): Promise<ApprovalRow | undefined> {
    return this.#store().transaction(async (inside) => {
      const stored = parseRow(await inside.space(OPEN).get(id));
      if (stored?.status !== 'waiting') return stored ?? this.#find(inside, id);
      const closed = await this.#close(inside, stored, status);
      await inside.signal(CHANNEL);
      return closed;
    });
  }

  /** Uses up an approval once, in any process; false when it is used up. */
  async spend(id: string): Promise<boolean> {
    // Read before the transaction, which blocks fewer others when it reads less.
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

  /** Remembers a used approval in this process: someone who can write to the database could restore the row. */
  #remember(id: string): void {
    this.#spent.add(id);
    const [oldest] = this.#spent;
    if (oldest !== undefined && this.#spent.size > MOST_SPENT) this.#spent.delete(oldest);
  }

  /** Finds the approval for this tool in this session, if any. */
  async findGrant(call: GrantedCall): Promise<GivenAnswer | undefined> {
    // An approval of a call with more risk covers this call too, but not the other way round.
    for (const risk of risksFrom(call.risk)) {
      // Only `answer` writes there, and what it writes is sealed.
      const grant = (await this.#store()
        .space(GRANTS)
        .get(await this.#grantName({ ...call, risk }))) as GivenAnswer | undefined;
      // The expiry of a row is not sealed: someone who can write to the database could extend it.
      if (grant !== undefined && this.#now() < grant.at + KEEP_GRANT) return grant;
    }
    return undefined;
  }

  #grantName(call: GrantedCall): Promise<string> {
    return this.#store().keyedName('approval grant', grantKey(call));
  }

  /** Calls back when a question came or changed, in any process. */
  watch(listener: () => void): () => void {
    return this.#store().watch(CHANNEL, listener);
  }

  /** Calls back when a question that waits may have changed, in any process. */
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

  /** Wakes the calls whose question changed. Reads the keys once for all of them, instead of a row for each. */
  async #wake(): Promise<void> {
    if (this.#waking !== 'no') return void (this.#waking = 'again');
    do {
      this.#waking = 'yes';
      // The store may be away for a moment: the next signal looks again.
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
      // Set by a signal that came meanwhile.
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
        // A row that was written while it was read may have been written again.
        const isSame = known?.changedAt === changedAt && changedAt < known.readAt - SAME_MOMENT;
        now.set(key, isSame ? known : { row: parseRow(await space.get(key)), changedAt, readAt: this.#now() });
      }
    }
    return Array.from(now.values(), ({ row }) => row).filter((row) => row !== undefined);
  }

  /** Closes a question that is over by itself, unless another process has. */
  async #closeLate({ id }: ApprovalRow): Promise<void> {
    await this.#store().transaction(async (inside) => {
      const stored = parseRow(await inside.space(OPEN).get(id));
      const now = stored === undefined ? undefined : this.#asItIs(stored);
      if (now?.status === 'expired' || now?.status === 'ended') await this.#close(inside, now, now.status);
    });
  }

  async #find(inside: Spaces, id: string): Promise<ApprovalRow | undefined> {
    return (await this.#findOver(inside, id)) ?? this.#findFirst(inside, id);
  }

  /** Finds an open question, or else a closed one. A person can answer a row that someone restored. */
  async #findFirst(inside: Spaces, id: string): Promise<ApprovalRow | undefined> {
    const row = parseRow(await inside.space(OPEN).get(id)) ?? parseRow(await inside.space(OVER).get(id));
    return row === undefined ? undefined : this.#asItIs(row);
  }

  /**
   * Finds a closed question that cannot be asked again. An open row beside it was restored by someone who can write to the database, and does
   * not count.
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

  /** Closes a question in memory that has expired, or whose process has ended, even if no one has stored that yet. */
  #asItIs(row: ApprovalRow): ApprovalRow {
    if (row.status !== 'waiting' && row.status !== 'allowed') return row;
    if (row.expiresAt <= this.#now()) return closeRow(row, 'expired', row.expiresAt);
    return row.key === undefined && isGone(row.process) ? closeRow(row, 'ended', this.#now()) : row;
  }

  #timeLeft({ expiresAt }: ApprovalRow): number {
    return Math.max(0, expiresAt - this.#now()) + KEEP_EXPIRED;
  }
}

/** Milliseconds by which the clocks of this process and of the store may differ unnoticed. */
const SAME_MOMENT = 1_000;

interface ReadRow {
  readonly row: ApprovalRow | undefined;
  readonly changedAt: number;
  readonly readAt: number;
}

interface Waiter {
  readonly listeners: Set<() => void>;
  /** When the question had changed last, as far as they know. */
  seen: number | undefined;
}

interface Spaces {
  space(name: string): StoreSpace;
}

/** The calls that an approval for a session covers: of the tool as it was then, with at most the risk that the person was asked about. */
type GrantedCall = Pick<ApprovalRow, 'caller' | 'session' | 'tool' | 'definition' | 'risk'>;

function grantKey({ caller, session, tool, definition, risk }: GrantedCall): string {
  return JSON.stringify([caller, session, tool, definition, risk]);
}

/** The error for two questions with one id, which does not happen by chance. */
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
        ? `is over: its time was up at ${when(endedAt)}`
        : 'is over: the call ended before it was answered';
  const message = `The approval "${id}" (a call of "${tool}") ${how}. The first answer counts.`;
  return new ToolError({ code: 'invalid_arguments', message, toolName: tool, field: 'id' });
}
