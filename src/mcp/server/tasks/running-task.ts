import { randomUUID } from 'node:crypto';
import type { AskOptions, InputRequest, McpPeer } from '../peer.ts';
import { isOver, type TaskRecord, type TaskState } from './task-record.ts';
import { thisWorker } from './task-records.ts';

interface Pending {
  readonly request: InputRequest;
  resolve(answer: Readonly<Record<string, unknown>>): void;
}

/** What a task is begun with. */
interface TaskStart {
  readonly caller: string;
  readonly tool: string;
  readonly ttlMs: number;
  readonly controller: AbortController;
  /** Keeps the task and tells those who follow it. */
  onChange(record: TaskRecord): void;
}

/** A task that this process works on. */
export class RunningTask {
  readonly #start: TaskStart;
  readonly #pending = new Map<string, Pending>();
  #record: TaskRecord;
  #asked = 0;

  constructor(start: TaskStart) {
    this.#start = start;
    const now = new Date().toISOString();
    const { caller, tool, ttlMs } = start;
    this.#record = {
      taskId: randomUUID(),
      caller,
      tool,
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs,
      state: { status: 'working' },
      worker: thisWorker(),
    };
    start.onChange(this.#record);
  }

  get record(): TaskRecord {
    return this.#record;
  }

  cancel(): void {
    this.#start.controller.abort(new Error('The client cancelled the task.'));
  }

  /** Notes how far the work is; told to whoever asks. */
  note(statusMessage: string): void {
    this.#record = { ...this.#record, statusMessage };
  }

  /** Waits for what the client is asked; the answers come with `tasks/update`. */
  async ask(requests: Readonly<Record<string, InputRequest>>, _options?: AskOptions): ReturnType<McpPeer['ask']> {
    const { signal } = this.#start.controller;
    const answers = Object.entries(requests).map(
      ([key, request]) =>
        new Promise<readonly [string, Record<string, unknown>]>((resolve, reject) => {
          // A key names one question for as long as the task lives.
          const id = `${++this.#asked}-${key}`;
          this.#pending.set(id, { request, resolve: (answer) => resolve([key, answer]) });
          signal.addEventListener('abort', () => reject(new Error('The task was cancelled.')), { once: true });
        }),
    );
    this.#showPending();
    return Object.fromEntries(await Promise.all(answers));
  }

  /** Takes answers; those to nothing that is open are passed over. */
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
  }
}
