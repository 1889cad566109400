import { randomUUID } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';
import type { StoreLease } from '../../../platform/store/board-store.ts';
import { toStoredName } from '../../../platform/store/seal-by-id.ts';
import type { SealedStore } from '../../../platform/store/sealed-space.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { canGoOn, isOver, type TaskRecord, withoutResult } from './task-record.ts';

const SPACE = 'mcp-tasks';
/** The same tasks without their results, so that a list does not read those. */
const LISTED = 'mcp-task-list';
/** Tasks that are kept for one caller and for all, and bytes of them as they are stored, results included. */
const MOST_OF_ONE = 1_000;
const MOST_BYTES_OF_ONE = 64 * 1024 * 1024;
const MOST = 20_000;
const MOST_BYTES = 1024 * 1024 * 1024;
/** What processes want of tasks that others work on. */
const WISHES = 'mcp-task-wishes';
/** The channel on which processes hear of tasks and wishes. */
const CHANNEL = 'mcp-tasks';
/** How long a process counts as working without a sign of life, and how often it gives one. */
const LEASE = 30_000;
const RENEWAL = 10_000;
/** Milliseconds that a wish waits for the process that works on the task. */
const WISH_TTL = 10 * 60_000;

/** What a client wants of a task that another process works on. */
export type TaskWish =
  | { readonly type: 'cancel' }
  | { readonly type: 'answer'; readonly responses: Readonly<Record<string, unknown>> };

/** Where tasks are kept: the board's store, which other processes share, or this process's memory where there is none. */
export class TaskRecords {
  readonly #openStore: () => SealedStore | undefined;
  readonly #memory = new Map<string, TaskRecord>();
  /** What is being written, by task. */
  readonly #writing = new Map<string, Promise<void>>();
  #worker: string | undefined;
  #lease: Promise<StoreLease | undefined> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(openStore: () => SealedStore | undefined) {
    this.#openStore = openStore;
  }

  /** Names this process as the one that works on its tasks. */
  get worker(): string {
    return (this.#worker ??= `mcp-worker ${randomUUID()}`);
  }

  /** Keeps a task. What is kept of one task is kept in order; never rejects, as the work goes on without it. */
  save(record: TaskRecord): Promise<void> {
    const { taskId } = record;
    const store = this.#openStore();
    if (store === undefined) {
      for (const old of this.#memory.values()) if (isExpired(old)) this.#memory.delete(old.taskId);
      this.#memory.set(taskId, record);
      return Promise.resolve();
    }
    const before = this.#writing.get(taskId);
    const write = async (): Promise<void> => {
      await before;
      await this.#write(store, record).catch(() => undefined);
      if (this.#writing.get(taskId) === writing) this.#writing.delete(taskId);
    };
    const writing = write();
    this.#writing.set(taskId, writing);
    return writing;
  }

  /** Keeps that the tool of a task begins. Rejects when that fails, or when another process has taken the task over: then it must not run. */
  async keepBeginning(record: TaskRecord): Promise<void> {
    await this.#writing.get(record.taskId);
    const store = this.#openStore();
    if (store === undefined) return this.save(record);
    if (!(await this.#write(store, record, { isBeginning: true }))) throw takenOver(record);
  }

  /** Makes this process the one that works on a task, unless another was faster. Gives the task then. */
  async claim(orphan: TaskRecord): Promise<TaskRecord | undefined> {
    const store = this.#openStore();
    if (store === undefined) return undefined;
    await this.#takeLease(store);
    const taken = await store.transaction(async (inside) => {
      const latest = await read(inside, orphan.taskId);
      if (latest === undefined || latest.worker !== orphan.worker || isOver(latest.state)) return undefined;
      const claimed: TaskRecord = { ...latest, worker: this.worker, state: { status: 'working' } };
      await keep(inside, claimed);
      await inside.signal(CHANNEL);
      return claimed;
    });
    if (taken !== undefined) await listTask(store, taken);
    return taken;
  }

  /** Resolves once everything so far is kept. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /**
   * The task, or `undefined` when there is none (any more). One whose process is gone is given to `adopt`; without that, it waits
   * for its client to ask, or has failed where no other process can go on with it.
   */
  async find(taskId: string, adopt?: Adopt): Promise<TaskRecord | undefined> {
    await this.#writing.get(taskId);
    const store = this.#openStore();
    const record = (store && (await read(store, taskId))) ?? this.#memory.get(taskId);
    return record === undefined || isExpired(record) ? undefined : this.#check(record, adopt);
  }

  /** Tells whether one more task would be more than is kept for a caller, or for all. Counted by an index. */
  async isFull(caller: string): Promise<boolean> {
    const space = this.#openStore()?.space(SPACE);
    if (space === undefined) return this.#memory.size >= MOST_OF_ONE;
    const own = await space.count({ owner: caller });
    if (own.records >= MOST_OF_ONE || own.bytes >= MOST_BYTES_OF_ONE) return true;
    const all = await space.count();
    return all.records >= MOST || all.bytes >= MOST_BYTES;
  }

  /** The tasks that are kept for a caller, the oldest first, without results. Those of others are not read. */
  async list(caller: string): Promise<TaskRecord[]> {
    await this.settled();
    const entries = await this.#openStore()?.space(LISTED).entries({ owner: caller });
    const stored = entries?.flatMap(({ value }) => toRecord(value) ?? []) ?? [...this.#memory.values()];
    const alive = stored.filter((record) => record.caller === caller && !isExpired(record));
    const checked = await Promise.all(alive.map((record) => this.#check(record)));
    return checked.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
  }

  /** Asks the process that works on a task for something. */
  async wish(taskId: string, wish: TaskWish): Promise<void> {
    await this.#openStore()?.transaction(async (inside) => {
      await inside.space(WISHES).set(`${toStoredName(taskId)} ${randomUUID()}`, wish, { ttl: WISH_TTL });
      await inside.signal(CHANNEL);
    });
  }

  /** Takes what others want of a task, each wish once. */
  async takeWishes(taskId: string): Promise<TaskWish[]> {
    const space = this.#openStore()?.space(WISHES);
    if (space === undefined) return [];
    const taken: TaskWish[] = [];
    for (const { key, value } of await space.entries({ prefix: `${toStoredName(taskId)} ` }))
      if (await space.delete(key)) taken.push(...parseWish(value));
    return taken;
  }

  /** Calls `listener` when tasks of other processes may have changed, or when others want something. Gives what stops it. */
  watch(listener: () => void): () => void {
    return this.#openStore()?.watch(CHANNEL, listener) ?? (() => {});
  }

  /** Lets other processes know that this one works on none of its tasks any more. */
  async close(): Promise<void> {
    await this.settled();
    clearInterval(this.#renewal);
    const lease = await this.#lease?.catch(() => undefined);
    await lease?.release().catch(() => undefined);
  }

  /** Writes a task, unless another process works on it now: one that was stopped for long may wake up. Whether it did. */
  async #write(store: SealedStore, record: TaskRecord, { isBeginning = false } = {}): Promise<boolean> {
    if (!isOver(record.state)) await this.#takeLease(store);
    const isWritten = await store.transaction(async (inside) => {
      const latest = await read(inside, record.taskId);
      if (latest !== undefined && latest.worker !== record.worker) return false;
      // Its client was told that it is over, and may have made the call again.
      if (isBeginning && latest !== undefined && isOver(latest.state)) return false;
      await keep(inside, record);
      await inside.signal(CHANNEL);
      return true;
    });
    if (isWritten) await listTask(store, record);
    return isWritten;
  }

  #takeLease(store: SealedStore): Promise<unknown> {
    this.#lease ??= store.takeLease(this.worker, { holder: this.worker, ttl: LEASE }).then((lease) => {
      this.#renewal = setInterval(() => void lease?.renew().catch(() => false), RENEWAL).unref();
      return lease;
    });
    return this.#lease;
  }

  async #check(record: TaskRecord, adopt?: Adopt): Promise<TaskRecord> {
    const { worker } = record;
    if (isOver(record.state) || worker === this.#worker) return record;
    const store = this.#openStore();
    if (store === undefined || (await store.leaseHolder(worker)) !== undefined) return record;
    // It may have ended just before its process did.
    const latest = await read(store, record.taskId);
    if (latest !== undefined && isOver(latest.state)) return latest;
    const orphan = latest ?? record;
    if (canGoOn(orphan)) {
      if (adopt === undefined) return orphan;
      const adopted = await adopt(orphan);
      if (adopted !== undefined) return adopted;
    }
    const message = describeLoss(orphan);
    const failed: TaskRecord = {
      ...orphan,
      state: { status: 'failed', error: { code: ERROR_CODES.internalError, message } },
      statusMessage: message,
      lastUpdatedAt: new Date().toISOString(),
    };
    await this.save(failed);
    return failed;
  }
}

function keep(inside: Pick<SealedStore, 'space'>, record: TaskRecord): Promise<void> {
  return inside.space(SPACE).set(toStoredName(record.taskId), record, { ttl: ttlOf(record), owner: record.caller });
}

/**
 * Keeps what lists of a caller's tasks need of a task. Outside of the transaction that keeps the task, which would be in the way of more
 * others: where it is missing, the task is still found by its id.
 */
async function listTask(store: Pick<SealedStore, 'space'>, record: TaskRecord): Promise<void> {
  const options = { ttl: ttlOf(record), owner: record.caller };
  await store
    .space(LISTED)
    .set(toStoredName(record.taskId), withoutResult(record), options)
    .catch(() => undefined);
}

/** The task under an id, of which the store's reader learns nothing. */
async function read(access: Pick<SealedStore, 'space'>, taskId: string): Promise<TaskRecord | undefined> {
  return toRecord(await access.space(SPACE).get(toStoredName(taskId)));
}

function toRecord(value: unknown): TaskRecord | undefined {
  // What opens with the board's key in this space, `#write` and `claim` wrote.
  return value as TaskRecord | undefined;
}

function takenOver({ tool }: TaskRecord): ToolError {
  const message = `The tool "${tool}" was not run: another process has taken its task over, because this one did not answer in time.`;
  return new ToolError({ code: 'cancelled', message, toolName: tool });
}

/** Goes on with a task whose process is gone; gives `undefined` when that cannot be. */
export type Adopt = (orphan: TaskRecord) => Promise<TaskRecord | undefined>;

/** What is known of a call whose process is gone. */
function describeLoss({ tool, began, isKept }: TaskRecord): string {
  if (isKept === true && began === undefined) return `The server stopped before "${tool}" ran. Call the tool again.`;
  return `The server stopped while "${tool}" ran, so its result is lost: it may have happened, or not. Find out before you call the tool again.`;
}

function ttlOf({ createdAt, ttlMs }: TaskRecord): number {
  return Math.max(Date.parse(createdAt) + ttlMs - Date.now(), 1);
}

/** What tasks are ordered by. */
export function toKey({ createdAt, taskId }: TaskRecord): string {
  return `${createdAt} ${taskId}`;
}

function isExpired({ createdAt, ttlMs }: TaskRecord): boolean {
  return Date.parse(createdAt) + ttlMs < Date.now();
}

/** A wish as another process wrote it; none where it is of a version that this one does not know. */
function parseWish(value: unknown): TaskWish[] {
  const { type, responses } = isPlainObject(value) ? value : {};
  if (type === 'cancel') return [{ type }];
  return type === 'answer' && isPlainObject(responses) ? [{ type, responses }] : [];
}
