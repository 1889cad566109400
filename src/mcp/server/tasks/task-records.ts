import { randomUUID } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';
import type { BoardStore, StoreLease } from '../../../platform/store/board-store.ts';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { canGoOn, isOver, type TaskRecord } from './task-record.ts';

const SPACE = 'mcp-tasks';
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
  readonly #openStore: () => BoardStore | undefined;
  readonly #memory = new Map<string, TaskRecord>();
  /** What is being written, by task. */
  readonly #writing = new Map<string, Promise<void>>();
  #worker: string | undefined;
  #lease: Promise<StoreLease | undefined> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(openStore: () => BoardStore | undefined) {
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

  /** Keeps a task, and rejects when that fails. */
  async keep(record: TaskRecord): Promise<void> {
    await this.#writing.get(record.taskId);
    const store = this.#openStore();
    await (store === undefined ? this.save(record) : this.#write(store, record));
  }

  /** Makes this process the one that works on a task, unless another was faster. Gives the task then. */
  async claim(orphan: TaskRecord): Promise<TaskRecord | undefined> {
    const store = this.#openStore();
    if (store === undefined) return undefined;
    await this.#takeLease(store);
    return store.transaction(async (inside) => {
      // Only records of ours are in this space.
      const latest = (await inside.space(SPACE).get(orphan.taskId)) as TaskRecord | undefined;
      if (latest === undefined || latest.worker !== orphan.worker || isOver(latest.state)) return undefined;
      const claimed: TaskRecord = { ...latest, worker: this.worker, state: { status: 'working' } };
      await inside.space(SPACE).set(claimed.taskId, claimed, { ttl: ttlOf(claimed) });
      await inside.signal(CHANNEL);
      return claimed;
    });
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
    // Only records of ours are in this space.
    const stored = (await store?.space(SPACE).get(taskId)) as TaskRecord | undefined;
    const record = stored ?? this.#memory.get(taskId);
    return record === undefined || isExpired(record) ? undefined : this.#check(record, adopt);
  }

  /** All tasks that are kept, the oldest first. */
  async all(): Promise<TaskRecord[]> {
    await this.settled();
    const entries = await this.#openStore()?.space(SPACE).entries();
    // Only records of ours are in this space.
    const stored = entries?.map(({ value }) => value as TaskRecord) ?? [...this.#memory.values()];
    const alive = stored.filter((record) => !isExpired(record));
    const checked = await Promise.all(alive.map((record) => this.#check(record)));
    return checked.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
  }

  /** Asks the process that works on a task for something. */
  async wish(taskId: string, wish: TaskWish): Promise<void> {
    await this.#openStore()?.transaction(async (inside) => {
      await inside.space(WISHES).set(`${taskId} ${randomUUID()}`, wish, { ttl: WISH_TTL });
      await inside.signal(CHANNEL);
    });
  }

  /** Takes what others want of a task, each wish once. */
  async takeWishes(taskId: string): Promise<TaskWish[]> {
    const space = this.#openStore()?.space(WISHES);
    if (space === undefined) return [];
    const taken: TaskWish[] = [];
    for (const { key, value } of await space.entries({ prefix: `${taskId} ` }))
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

  async #write(store: BoardStore, record: TaskRecord): Promise<void> {
    if (!isOver(record.state)) await this.#takeLease(store);
    await store.transaction(async (inside) => {
      await inside.space(SPACE).set(record.taskId, record, { ttl: ttlOf(record) });
      await inside.signal(CHANNEL);
    });
  }

  #takeLease(store: BoardStore): Promise<unknown> {
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
    const latest = (await store.space(SPACE).get(record.taskId)) as TaskRecord | undefined;
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
