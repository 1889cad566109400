import { ToolError } from '../../../tool/tool-error.ts';
import type { Connection } from '../connection.ts';
import type { AskOptions, InputRequest, McpPeer } from '../peer.ts';
import type { RequestScope } from '../request-scope.ts';
import type { TaskJob } from './stored-tasks.ts';
import {
  isOver,
  type TaskBeginning,
  type TaskEnd,
  type TaskRecord,
  type TaskState,
  toJobEnd,
  withoutResult,
} from './task-record.ts';

interface Pending {
  readonly request: InputRequest;
  /** True while a request is asking the client. */
  isAsked: boolean;
  resolve(answer: Readonly<Record<string, unknown>>): void;
  reject(error: Error): void;
}

const ABANDONED = 'The client that began this task may not answer any more: its token was revoked.';

interface TaskStart {
  readonly connection: Connection;
  readonly record: TaskRecord;
  readonly controller: AbortController;
  /** The job in the store; `undefined` without one. Never rejects. */
  readonly job: Promise<TaskJob | undefined>;
  onChange(record: TaskRecord): void;
}

/** A task that runs in this process. */
export class RunningTask {
  readonly #start: TaskStart;
  readonly #pending = new Map<string, Pending>();
  #record: TaskRecord;
  #asked = 0;
  #isAbandoned = false;
  #saved: Promise<boolean>;
  /** Requests that wait for the task. */
  readonly #followers = new Set<{ readonly wake: () => void; readonly send: (text: string) => void }>();

  constructor(start: TaskStart) {
    this.#start = start;
    this.#record = start.record;
    this.#saved = start.job.then((job) => {
      job?.onMessage((message) => {
        if (message.type === 'cancel') this.stop();
        else this.answer(message.values);
      });
      return job !== undefined;
    });
  }

  get record(): TaskRecord {
    return this.#record;
  }

  /** Resolves after all changes are stored, with false if one was not. Never rejects. */
  get saved(): Promise<boolean> {
    return this.#saved;
  }

  get connection(): Connection {
    return this.#start.connection;
  }

  get signal(): AbortSignal {
    return this.#start.controller.signal;
  }

  /** Rejects its current and later questions: its client has lost its access. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const pending of this.#pending.values()) pending.reject(new Error(ABANDONED));
    this.#pending.clear();
    this.#showPending();
  }

  /** Yields the task now and after each change, until it or the waiting request has ended. */
  async *changes(request: RequestScope): AsyncGenerator<TaskRecord, void> {
    const { signal } = request;
    let changed = Promise.withResolvers<void>();
    const follower = { wake: () => changed.resolve(), send: (text: string) => request.send(text) };
    this.#followers.add(follower);
    signal.addEventListener('abort', follower.wake, { once: true });
    try {
      for (;;) {
        yield this.#record;
        if (isOver(this.#record.state) || signal.aborted) return;
        await changed.promise;
        changed = Promise.withResolvers();
      }
    } finally {
      this.#followers.delete(follower);
      signal.removeEventListener('abort', follower.wake);
    }
  }

  /** Sends a text to a request that waits for the task, otherwise to the client that began it if it listens. */
  deliver(text: string): void {
    const [follower] = this.#followers;
    if (follower === undefined) this.connection.deliver(text);
    else follower.send(text);
  }

  /** Reserves a question so that it is asked once. Returns false if another request has it. */
  takeQuestion(id: string): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.isAsked) return false;
    pending.isAsked = true;
    return true;
  }

  /** Releases a question that could not be asked: the next waiting request asks it. */
  returnQuestion(id: string): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined) pending.isAsked = false;
  }

  cancel(): void {
    this.#start.controller.abort(new Error('The client cancelled the task.'));
  }

  /** Ends the task at once, without waiting for the work. */
  stop(): void {
    if (isOver(this.#record.state)) return;
    this.finish({ status: 'cancelled' });
    this.cancel();
  }

  /** Stores that its tool begins. Rejects if that fails, or if another process has taken over the task: then the tool must not run. */
  async keepBeginning(began: TaskBeginning): Promise<void> {
    const job = await this.#start.job;
    try {
      await job?.append([], { info: { began } });
    } catch (error) {
      if (job?.interruption === undefined) throw error;
      const { tool } = this.#record;
      const message = `The tool "${tool}" was not run: another process has taken its task over, because this one did not respond in time.`;
      throw new ToolError({ code: 'cancelled', message, toolName: tool });
    }
  }

  /** Sets the progress for clients that ask. */
  note(statusMessage: string): void {
    this.#record = { ...this.#record, statusMessage };
  }

  /** Waits for answers of the client, which arrive with `tasks/update`. */
  async ask(requests: Readonly<Record<string, InputRequest>>, options: AskOptions = {}): ReturnType<McpPeer['ask']> {
    const { controller } = this.#start;
    const { signal: taken } = options;
    const signal = taken === undefined ? controller.signal : AbortSignal.any([controller.signal, taken]);
    if (this.#isAbandoned) throw new Error(ABANDONED);
    const answers = Object.entries(requests).map(
      ([key, request]) =>
        new Promise<readonly [string, Record<string, unknown>]>((resolve, reject) => {
          // An id belongs to one question for the life of the task.
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

  /** Accepts answers; ignores those to no open question. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [id, answer] of Object.entries(responses)) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      // Each answer was checked to be an object.
      pending?.resolve(answer as Record<string, unknown>);
    }
    this.#showPending();
  }

  finish(state: TaskEnd): void {
    if (isOver(this.#record.state)) return;
    this.#pending.clear();
    this.#change(state);
  }

  #showPending(): void {
    if (isOver(this.#record.state)) return;
    const inputRequests = Object.fromEntries([...this.#pending].map(([id, { request }]) => [id, request]));
    this.#change(this.#pending.size === 0 ? { status: 'working' } : { status: 'input_required', inputRequests });
  }

  #change(state: TaskState): void {
    const record = { ...this.#record, state, lastUpdatedAt: new Date().toISOString() };
    this.#record = record;
    this.#saved = this.#start.job.then((job) => (job === undefined ? false : save(job, record)));
    this.#start.onChange(record);
    for (const follower of this.#followers) follower.wake();
  }
}

/** Stores a change of a task. Returns false on failure: the work continues. */
async function save(job: TaskJob, record: TaskRecord): Promise<boolean> {
  const { state } = record;
  const info = { task: withoutResult(record) };
  try {
    if (!isOver(state)) {
      await job.append([], { state: state.status === 'working' ? 'working' : 'waiting', info });
      return true;
    }
    await job.end(toJobEnd(state), { info, result: state });
    return true;
  } catch {
    return false;
  } finally {
    if (isOver(state)) await job.release();
  }
}
