import type { BoardParts } from '../../../discovery/board-like.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import {
  hasEnded,
  type JobKind,
  type JobRecord,
  type JobMessage as TaskMessage,
} from '../../../platform/jobs/job-record.ts';
import { Jobs } from '../../../platform/jobs/jobs.ts';
import { toStoredName } from '../../../platform/store/sealed-space.ts';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import {
  describeLoss,
  isOver,
  isResumable,
  type TaskBeginning,
  type TaskEnd,
  type TaskInfo,
  type TaskRecord,
  toSortKey,
} from './task-record.ts';

const MAX_OF_ONE = 1_000;
const MIB = 1024 * 1024;
const KIND: JobKind = {
  name: 'mcp-tasks',
  // Each task has its own lifetime.
  keepEnded: 0,
  limits: { ofOne: { jobs: MAX_OF_ONE, bytes: 64 * MIB }, ofAll: { jobs: 20_000, bytes: 1024 * MIB } },
  // The work continues while the store is unavailable.
  retriesWrites: true,
};

export type { TaskMessage };
/** A call that a task makes. */
export type TaskCall = Readonly<Record<'name' | 'arguments', unknown>>;
/** The job of a task that runs in this process. */
export type TaskJob = Job<TaskInfo, TaskCall, TaskEnd>;
/** Resumes a task whose process is gone; `undefined` if it cannot be resumed. */
export type ResumeTask = (job: TaskJob) => Promise<TaskRecord | undefined>;

/**
 * The stored tasks: jobs in the board's store, which other processes share. Tasks without a store stay in the memory of this process
 * after their end.
 */
export class StoredTasks {
  readonly #board: BoardParts;
  readonly #memory = new Map<string, TaskRecord>();

  constructor(board: BoardParts) {
    this.#board = board;
  }

  /** Stores a new task, with its call if the store is sealed. `undefined` on failure: the task stays in this process. */
  async create(task: TaskRecord, call: TaskCall, began: TaskBeginning | undefined): Promise<TaskJob | undefined> {
    const isKept = this.#board.sealed !== undefined;
    const expiresAt = Date.parse(task.createdAt) + task.ttlMs;
    const info = { task, isKept, began };
    const start = { owner: task.caller, info, entries: isKept ? [call] : [], expiresAt };
    const job = await this.#jobs?.open(toStoredName(task.taskId), start).catch(() => undefined);
    return typeof job === 'string' ? undefined : job;
  }

  /** Keeps the end of a task that could not be stored. */
  remember(task: TaskRecord): void {
    for (const old of this.#memory.values()) if (isExpired(old)) this.#memory.delete(old.taskId);
    this.#memory.set(task.taskId, task);
  }

  /** Finds a task; one whose process is gone is passed to `resume`. */
  async find(taskId: string, resume?: ResumeTask): Promise<TaskRecord | undefined> {
    const job = await this.#jobs?.get(toStoredName(taskId));
    const known = this.#memory.get(taskId);
    if (job === undefined) return known === undefined || isExpired(known) ? undefined : known;
    return this.#settle(job, resume);
  }

  /** Lists the tasks of a caller, oldest first, without results. */
  async list(caller: string): Promise<TaskRecord[]> {
    const stored = (await this.#jobs?.list({ owner: caller })) ?? [];
    const settled = await Promise.all(stored.map(async (job) => (hasEnded(job) ? job.info.task : this.#settle(job))));
    const unstored = [...this.#memory.values()].filter((task) => task.caller === caller && !isExpired(task));
    return [...settled, ...unstored].toSorted((one, other) => (toSortKey(one) < toSortKey(other) ? -1 : 1));
  }

  /** Returns true when a caller, or all together, have the most tasks. */
  async isFull(caller: string): Promise<boolean> {
    return this.#memory.size >= MAX_OF_ONE || ((await this.#jobs?.isFull(caller)) ?? false);
  }

  async send({ taskId }: TaskRecord, message: TaskMessage): Promise<void> {
    await this.#jobs?.send(toStoredName(taskId), message);
  }

  watch(listener: () => void): () => void {
    return this.#jobs?.watch(listener) ?? (() => {});
  }

  /** Yields a task now and after each change, until it has ended or the signal aborts. */
  async *follow({ taskId }: TaskRecord, signal: AbortSignal, resume: ResumeTask): AsyncGenerator<TaskRecord, void> {
    let last = '';
    for await (const job of this.#jobs?.follow(toStoredName(taskId), signal) ?? []) {
      const task = await this.#settle(job, resume);
      if (task.lastUpdatedAt !== last || isOver(task.state)) yield task;
      if (isOver(task.state)) return;
      last = task.lastUpdatedAt;
    }
    signal.throwIfAborted();
  }

  get #jobs(): Jobs<TaskInfo, TaskCall, TaskEnd> | undefined {
    const store = this.#board.sealed ?? this.#board.store;
    return store === undefined ? undefined : new Jobs(() => store, KIND);
  }

  /**
   * Returns a stored task as it is now. One whose process is gone is resumed. Without `resume`, it waits for its client, or fails if no
   * process can resume it.
   */
  async #settle(record: JobRecord<TaskInfo>, resume?: ResumeTask): Promise<TaskRecord> {
    const jobs = this.#jobs;
    if (jobs === undefined) return record.info.task;
    if (hasEnded(record)) return withEnd(record, await jobs.result(record.id));
    const isLeft = resume === undefined && isResumable(record.info);
    if (isLeft || (await jobs.holder(record.id)) !== undefined) return record.info.task;
    const job = await jobs.open(record.id);
    // Another process was faster.
    if (typeof job === 'string') return record.info.task;
    let resumed: TaskRecord | undefined;
    try {
      if (!job.isOver && isResumable(job.record.info)) resumed = await resume?.(job);
      if (resumed !== undefined) return resumed;
      if (!job.isOver) await fail(job);
      return withEnd(job.record, await job.result());
    } finally {
      if (resumed === undefined) await job.release();
    }
  }
}

async function fail(job: TaskJob): Promise<void> {
  const message = describeLoss(job.record);
  const state: TaskEnd = { status: 'failed', error: { code: ERROR_CODES.internalError, message } };
  const changed = { statusMessage: message, lastUpdatedAt: new Date().toISOString() };
  await job.end('failed', { info: { task: { ...job.record.info.task, ...changed, state } }, result: state });
}

function withEnd({ info }: JobRecord<TaskInfo>, state: TaskEnd = { status: 'cancelled' }): TaskRecord {
  return { ...info.task, state };
}

function isExpired({ createdAt, ttlMs }: TaskRecord): boolean {
  return Date.parse(createdAt) + ttlMs < Date.now();
}
