import { hostname } from 'node:os';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import type { BoardStore, StoreSpace } from '../../../platform/store/board-store.ts';
import { isAlive } from '../../../platform/process/is-alive.ts';
import { isOver, type TaskRecord } from './task-record.ts';

/** Where tasks are kept: the board's store, or this process's memory where there is none. */
export class TaskRecords {
  readonly #openStore: () => BoardStore | undefined;
  readonly #memory = new Map<string, TaskRecord>();
  /** What is being written, by task. */
  readonly #writing = new Map<string, Promise<void>>();
  #space: StoreSpace | undefined;

  constructor(openStore: () => BoardStore | undefined) {
    this.#openStore = openStore;
  }

  /** Keeps a task. What is kept of one task is kept in order; never rejects, as the work goes on without it. */
  save(record: TaskRecord): Promise<void> {
    const { taskId } = record;
    const space = this.#open();
    if (space === undefined) {
      for (const old of this.#memory.values()) if (isExpired(old)) this.#memory.delete(old.taskId);
      this.#memory.set(taskId, record);
      return Promise.resolve();
    }
    const before = this.#writing.get(taskId) ?? Promise.resolve();
    const ttl = Math.max(Date.parse(record.createdAt) + record.ttlMs - Date.now(), 1);
    const writing = before
      .then(() => space.set(taskId, record, { ttl }))
      .catch(() => undefined)
      .finally(() => {
        if (this.#writing.get(taskId) === writing) this.#writing.delete(taskId);
      });
    this.#writing.set(taskId, writing);
    return writing;
  }

  /** Resolves once everything so far is kept. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /** The task, or `undefined` when there is none (any more). One whose process is gone has failed. */
  async find(taskId: string): Promise<TaskRecord | undefined> {
    await this.#writing.get(taskId);
    // Only records of ours are in this space.
    const stored = (await this.#open()?.get(taskId)) as TaskRecord | undefined;
    const record = stored ?? this.#memory.get(taskId);
    return record === undefined || isExpired(record) ? undefined : this.#check(record);
  }

  /** All tasks that are kept, the oldest first. */
  async all(): Promise<TaskRecord[]> {
    await this.settled();
    const entries = await this.#open()?.entries();
    // Only records of ours are in this space.
    const stored = entries?.map(({ value }) => value as TaskRecord) ?? [...this.#memory.values()];
    const alive = stored.filter((record) => !isExpired(record));
    const checked = await Promise.all(alive.map((record) => this.#check(record)));
    return checked.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
  }

  async #check(record: TaskRecord): Promise<TaskRecord> {
    if (isOver(record.state) || isRunning(record.worker)) return record;
    const message = `The server stopped while "${record.tool}" ran, so its result is lost. Call the tool again.`;
    const failed: TaskRecord = {
      ...record,
      state: { status: 'failed', error: { code: ERROR_CODES.internalError, message } },
      statusMessage: message,
      lastUpdatedAt: new Date().toISOString(),
    };
    await this.save(failed);
    return failed;
  }

  #open(): StoreSpace | undefined {
    this.#space ??= this.#openStore()?.space('mcp-tasks');
    return this.#space;
  }
}

/** What tasks are ordered by. */
export function toKey({ createdAt, taskId }: TaskRecord): string {
  return `${createdAt} ${taskId}`;
}

function isExpired({ createdAt, ttlMs }: TaskRecord): boolean {
  return Date.parse(createdAt) + ttlMs < Date.now();
}

/** Of a worker on another machine nothing is known: its records end by themselves. */
function isRunning({ pid, host }: TaskRecord['worker']): boolean {
  return host !== hostname() || isAlive(pid);
}
