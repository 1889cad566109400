import { randomUUID } from 'node:crypto';
import type { Connection } from '../connection.ts';
import type { AskOptions, InputRequest, McpPeer } from '../peer.ts';
import { isOver, type TaskBeginning, type TaskRecord, type TaskState } from './task-record.ts';

interface Pending {
  readonly request: InputRequest;
  /** Whether the client is being asked it, over a request of its own. */
  isAsked: boolean;
  resolve(answer: Readonly<Record<string, unknown>>): void;
  reject(error: Error): void;
}

const ABANDONED = 'The client that began this task may not answer any more: its token was revoked.';

/** What a task is begun with. */
interface TaskStart {
  readonly connection: Connection;
  readonly tool: string;
  /** The tool that is meant, where the called one stands for others. */
  readonly means?: string | undefined;
  readonly ttlMs: number;
  /** The process that works on it. */
  readonly worker: string;
  readonly controller: AbortController;
  readonly taskId?: string | undefined;
  readonly began?: TaskBeginning | undefined;
  /** Whether its call is kept, so that another process could make it. */
  readonly isKept?: boolean | undefined;
  /** A task of a process that is gone, to go on with. */
  readonly record?: TaskRecord | undefined;
  /** Keeps the task and tells those who follow it. */
  onChange(record: TaskRecord): void;
}

/** A request that waits for a task. */
export interface TaskFollower {
  /** Called when the task or its open questions have changed. */
  onChange(): void;
  /** Sends what the task says meanwhile. */
  send(text: string): void;
}

/** A task that this process works on. */
export class RunningTask {
  readonly #start: TaskStart;
  readonly #pending = new Map<string, Pending>();
  #record: TaskRecord;
  #asked = 0;
  #isAbandoned = false;
  readonly #followers = new Set<TaskFollower>();

  constructor(start: TaskStart) {
    this.#start = start;
    const now = new Date().toISOString();
    const { connection, tool, means, ttlMs, taskId = randomUUID(), began, isKept } = start;
    if (start.record !== undefined) {
      this.#record = start.record;
      return;
    }
    this.#record = {
      taskId,
      ...(began === undefined ? {} : { began }),
      ...(isKept === true ? { isKept } : {}),
      caller: connection.caller.id,
      tool,
      ...(means === undefined ? {} : { means }),
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs,
      state: { status: 'working' },
      worker: start.worker,
    };
    start.onChange(this.#record);
  }

  get record(): TaskRecord {
    return this.#record;
  }

  /** The client that began it. */
  get connection(): Connection {
    return this.#start.connection;
  }

  /** Aborts when the task is cancelled. */
  get signal(): AbortSignal {
    return this.#start.controller.signal;
  }

  /** Rejects its open and later questions: its client has lost its access. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const pending of this.#pending.values()) pending.reject(new Error(ABANDONED));
    this.#pending.clear();
    this.#showPending();
  }

  /** Waits with the task, and gives what ends that. */
  follow(follower: TaskFollower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Sends a text to a request that waits for the task; where none does, to the client that began it, if it listens. */
  tell(text: string): void {
    const [follower] = this.#followers;
    if (follower === undefined) this.connection.tell(text);
    else follower.send(text);
  }

  /** The open questions that no request has taken, which are taken now: each is asked once. */
  takeQuestions(): (readonly [id: string, request: InputRequest])[] {
    const open = [...this.#pending].filter(([, { isAsked }]) => !isAsked);
    for (const [, pending] of open) pending.isAsked = true;
    return open.map(([id, { request }]) => [id, request]);
  }

  /** Whether a question still waits for its answer. */
  isOpen(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Gives a question back that could not be asked: the next request that waits asks it again. */
  returnQuestion(id: string): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined) pending.isAsked = false;
  }

  cancel(): void {
    this.#start.controller.abort(new Error('The client cancelled the task.'));
  }

  /** Notes that its tool is about to run; gives the record with that in it. */
  noteBegin(began: TaskBeginning): TaskRecord {
    return (this.#record = { ...this.#record, began });
  }

  /** Notes how far the work is, for clients that ask. */
  note(statusMessage: string): void {
    this.#record = { ...this.#record, statusMessage };
  }

  /** Waits for what the client is asked; the answers come with `tasks/update`. */
  async ask(requests: Readonly<Record<string, InputRequest>>, options: AskOptions = {}): ReturnType<McpPeer['ask']> {
    const { controller } = this.#start;
    const { signal: taken } = options;
    const signal = taken === undefined ? controller.signal : AbortSignal.any([controller.signal, taken]);
    if (this.#isAbandoned) throw new Error(ABANDONED);
    const answers = Object.entries(requests).map(
      ([key, request]) =>
        new Promise<readonly [string, Record<string, unknown>]>((resolve, reject) => {
          // A key names one question for as long as the task lives.
          const id = `${++this.#asked}-${key}`;
          this.#pending.set(id, { request, isAsked: false, resolve: (answer) => resolve([key, answer]), reject });
          const stop = (): void => {
            reject(new Error('The task was cancelled, or another approver answered.'));
            if (this.#pending.delete(id)) this.#showPending();
          };
          signal.addEventListener('abort', stop, { once: true });
        }),
    );
    this.#showPending();
    return Object.fromEntries(await Promise.all(answers));
  }

  /** Takes answers; those to no open question are ignored. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [id, answer] of Object.entries(responses)) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      // Each answer was checked to be an object.
      pending?.resolve(answer as Record<string, unknown>);
    }
    this.#showPending();
  }

  finish(state: TaskState): void {
    this.#pending.clear();
    this.#change(state);
  }

  #showPending(): void {
    if (isOver(this.#record.state)) return;
    const inputRequests = Object.fromEntries([...this.#pending].map(([id, { request }]) => [id, request]));
    this.#change(this.#pending.size === 0 ? { status: 'working' } : { status: 'input_required', inputRequests });
  }

  #change(state: TaskState): void {
    this.#record = { ...this.#record, state, lastUpdatedAt: new Date().toISOString() };
    this.#start.onChange(this.#record);
    for (const follower of this.#followers) follower.onChange();
  }
}
