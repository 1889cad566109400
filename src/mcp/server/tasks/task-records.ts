import { hostname } from 'node:os';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import type { BoardStore, StoreSpace } from '../../../platform/store/board-store.ts';
import { isAlive } from '../../../platform/process/is-alive.ts';
import { isOver, type TaskRecord } from './task-record.ts';

/** Where tasks are kept: the board's store, or this process's memory where there is none. */
export class TaskRecords {
  readonly #openStore: () => BoardStore | undefined;
  readonly #memory = new Map<string, TaskRecord>();
  #space: StoreSpace | undefined;

  constructor(openStore: () => BoardStore | undefined) {
    this.#openStore = openStore;
  }

  save(record: TaskRecord): void {
    const left = Date.parse(record.createdAt) + record.ttlMs - Date.now();
    const space = this.#open();
    if (space === undefined) {
      for (const old of this.#memory.values()) if (isExpired(old)) this.#memory.delete(old.taskId);
      this.#memory.set(record.taskId, record);
    } else space.set(record.taskId, record, { ttl: Math.max(left, 1) });
  }

  /** The task, or `undefined` when there is none (any more). One whose process is gone has failed. */
  find(taskId: string): TaskRecord | undefined {
    // Only records of ours are in this space.
    const stored = this.#open()?.get(taskId) as TaskRecord | undefined;
    const record = stored ?? this.#memory.get(taskId);
    return record === undefined || isExpired(record) ? undefined : this.#check(record);
  }

  /** All tasks that are kept, the oldest first. */
  all(): TaskRecord[] {
    // Only records of ours are in this space.
    const stored = this.#open()
      ?.entries()
      .map(({ value }) => value as TaskRecord);
    return (stored ?? [...this.#memory.values()])
      .filter((record) => !isExpired(record))
      .map((record) => this.#check(record))
      .toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
  }

  #check(record: TaskRecord): TaskRecord {
    if (isOver(record.state) || isRunning(record.worker)) return record;
    const message = `The server stopped while "${record.tool}" ran, so its result is lost. Call the tool again.`;
    const failed: TaskRecord = {
      ...record,
      state: { status: 'failed', error: { code: ERROR_CODES.internalError, message } },
      statusMessage: message,
      lastUpdatedAt: new Date().toISOString(),
    };
    this.save(failed);
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
