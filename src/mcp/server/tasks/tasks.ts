import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { isPlainObject } from '../../../tool/json.ts';
import { permittingNames } from '../../../tool/tool-names.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import { isProxyTool } from '../../../pipeline/proxy-tool.ts';
import { ERROR_CODES, RequestError, formatNotification, invalidParams } from '../../protocol/json-rpc.ts';
import { forwardProgress } from '../client-notifications.ts';
import type { Connection } from '../connection.ts';
import { type CallServices, prepareCall, type PreparedCall, toAnswer } from '../call-tool.ts';
import type { Answer, MethodHandler, RequestScope } from '../request-scope.ts';
import { readInputResponses } from '../request-state.ts';
import type { TaskOptions } from '../server-options.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { RunningTask } from './running-task.ts';
import { declaresTasks, missingTasks, TaskFetchers } from './task-clients.ts';
import { type ResumeTask, StoredTasks, type TaskCall, type TaskJob, type TaskMessage } from './stored-tasks.ts';
import { isOver, type TaskRecord, toSessionTask, toWireTask } from './task-record.ts';
import { describeProgress, TaskWork, toEnd } from './task-work.ts';

const AFTER = 5_000;
const TTL = 60 * 60_000;
const MAX_RUNNING = 1_000;
/** Running tasks of one identified caller. */
const MAX_OF_ONE = 100;

/** A task, and its work if it runs in this process. */
export interface FoundTask {
  readonly record: TaskRecord;
  readonly running: RunningTask | undefined;
}

/** Long calls that continue as tasks, which clients fetch later. */
export class Tasks {
  readonly #services: CallServices;
  readonly #subscriptions: Subscriptions;
  #options: TaskOptions;
  readonly #stored: StoredTasks;
  readonly #running = new Map<string, RunningTask>();
  /** Tasks of other processes that clients follow here, with their last change. */
  readonly #followed = new Map<string, string>();
  #stopListening: (() => void) | undefined;
  readonly #fetchers = new TaskFetchers(() => this.#options.clients ?? []);

  constructor(services: CallServices, subscriptions: Subscriptions, options: TaskOptions = {}) {
    this.#services = services;
    this.#subscriptions = subscriptions;
    this.#options = options;
    this.#stored = new StoredTasks(services.board);
  }

  get running(): number {
    return this.#running.size;
  }

  update(options: TaskOptions = {}): void {
    this.#options = options;
  }

  connections(): readonly Connection[] {
    return [...this.#running.values()].map(({ connection }) => connection);
  }

  /** Rejects current and later questions of this client's tasks; the tasks finish. */
  revoke(connection: Connection): void {
    for (const task of this.#running.values()) if (task.connection === connection) task.abandon();
  }

  /** Answers `tools/call`: with the result if it is soon available, otherwise with a task. */
  async call(scope: RequestScope): Promise<Answer> {
    const call = await prepareCall(scope, this.#services);
    const { only = [], always = [], after = AFTER, ttl = TTL } = this.#options;
    const canTask = declaresTasks(scope);
    if (!canTask && call.tool !== undefined && isListed(only, call))
      throw missingTasks(`"${call.name}" takes long and only runs as a task.`);
    const isTask = isListed(only, call) || isListed(always, call);
    // Some clients declare the extension and throw at a task: without a sign that a client fetches tasks, it waits.
    if (!canTask || (!isTask && !this.#fetchers.has(scope))) return toAnswer(call, await call.run());
    const task = new TaskWork(call, ttl);
    const stop = (): void => task.controller.abort(scope.signal.reason);
    scope.signal.addEventListener('abort', stop, { once: true });
    if (scope.signal.aborted) stop();
    const work = task.run();
    const ended = new AbortController();
    const due = isTask
      ? nextTurn(undefined)
      : wait(after, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    // A missing tool is reported at once.
    const early = await (call.tool === undefined ? work : Promise.race([work, due]));
    ended.abort();
    // Above the limit, a call is awaited and ends with its client.
    const result = early ?? ((await this.#isFull(scope)) ? await work : undefined);
    scope.signal.removeEventListener('abort', stop);
    if (result !== undefined) return toAnswer(call, result);
    const running = this.#open(task, scope);
    this.#finishWith(running, call, work);
    await running.saved;
    return { resultType: 'task', ...toWireTask(running.record) };
  }

  /** Answers a `tools/call` of 2025-11-25 that requests a task. */
  async begin(scope: RequestScope, wanted: Readonly<Record<string, unknown>>): Promise<Answer> {
    const call = await prepareCall(scope, this.#services);
    if (await this.#isFull(scope)) {
      const message = 'Too many tasks are running or kept. Call the tool without a task, or later.';
      throw new RequestError(ERROR_CODES.internalError, message);
    }
    const { ttl: longest = TTL } = this.#options;
    const asked = wanted['ttl'];
    const ttlMs = typeof asked === 'number' && asked >= 1 ? Math.min(asked, longest) : longest;
    const work = new TaskWork(call, ttlMs);
    const task = this.#open(work, scope);
    const meta = scope.params['_meta'];
    const forward = forwardProgress(
      { signal: work.controller.signal, send: (text) => task.deliver(text) },
      isPlainObject(meta) ? meta : undefined,
    );
    call.onProgress = (progress) => {
      task.note(describeProgress(progress));
      forward?.(progress);
    };
    this.#finishWith(task, call, work.run());
    await task.saved;
    return { task: toSessionTask(task.record) };
  }

  /** Finds the task that a request names, if its client may see it. Throws otherwise. */
  async find(scope: RequestScope): Promise<FoundTask> {
    const { taskId } = scope.params;
    if (typeof taskId !== 'string') throw invalidParams('params.taskId must be a string.');
    const running = this.#running.get(taskId);
    const record = running?.record ?? (await this.#stored.find(taskId, this.#resumeFor(scope)));
    if (record !== undefined && this.#isFor(scope.connection, record))
      return { record, running: this.#running.get(taskId) };
    throw invalidParams(`There is no task "${taskId}" (any more). Call the tool again.`);
  }

  /** Lists the tasks that a client may see, oldest first. */
  async list({ connection }: RequestScope): Promise<readonly TaskRecord[]> {
    return (await this.#stored.list(connection.caller.id))
      .filter((record) => this.#isFor(connection, record))
      .map((record) => this.#running.get(record.taskId)?.record ?? record);
  }

  methods(): Readonly<Record<string, MethodHandler>> {
    return {
      'tasks/get': async (scope) => toWireTask((await this.#findDeclared(scope)).record),
      'tasks/update': async (scope) => {
        const { record } = await this.#findDeclared(scope);
        const responses = readInputResponses(scope.params['inputResponses']);
        if (!isOver(record.state)) await this.answer(record, responses);
        return {};
      },
      'tasks/cancel': async (scope) => {
        const { running, record } = await this.#findDeclared(scope);
        if (running !== undefined) running.cancel();
        else if (!isOver(record.state)) await this.#stored.send(record, { type: 'cancel' });
        return {};
      },
    };
  }

  /** Returns true when a caller may follow a task. Throws if the client does not declare tasks. */
  async mayFollow(scope: RequestScope, taskId: string): Promise<boolean> {
    if (!declaresTasks(scope)) throw missingTasks('Following tasks is part of the tasks extension.');
    const record = this.#running.get(taskId)?.record ?? (await this.#stored.find(taskId));
    const isFound = record !== undefined && this.#isFor(scope.connection, record);
    if (isFound) this.#fetchers.add(scope);
    if (isFound && !this.#running.has(taskId)) this.#follow(record);
    return isFound;
  }

  /** Ends every task: running ones have failed, which clients learn later. */
  async close(): Promise<void> {
    const error = {
      code: ERROR_CODES.internalError,
      message: 'The server was stopped before the task was done. Call the tool again.',
    };
    const running = [...this.#running.values()];
    for (const task of running) {
      task.finish({ status: 'failed', error });
      task.cancel();
    }
    this.#followed.clear();
    this.#stopListening?.();
    await Promise.all(running.map((task) => task.saved));
    this.#running.clear();
  }

  /** Resumes tasks whose process is gone, for the client that asks, if the tool has not begun or may run again. */
  #resumeFor(scope: RequestScope): ResumeTask {
    return async (job) => {
      const record = job.record.info.task;
      if (!this.#isFor(scope.connection, record)) {
        // A client that does not own the task must not affect it.
        await job.release();
        return record;
      }
      const [kept] = job.entries;
      if (kept === undefined || this.#isFullHere(scope)) return undefined;
      const call = await prepareCall(withCall(scope, kept), this.#services);
      if (call.tool === undefined) return undefined;
      const work = new TaskWork(call, record.ttlMs, record.taskId);
      const task = this.#open(work, scope, job);
      this.#finishWith(task, call, work.run());
      return task.record;
    };
  }

  /** Begins a task: a new one, or the one of a resumed job. */
  #open(work: TaskWork, scope: RequestScope, resumed?: TaskJob): RunningTask {
    const { call, taskId, controller } = work;
    const { connection } = scope;
    const record: TaskRecord =
      resumed === undefined
        ? work.toRecord(connection.caller.id)
        : { ...resumed.record.info.task, state: { status: 'working' } };
    const job =
      resumed === undefined ? this.#stored.create(record, toCall(scope), work.began) : Promise.resolve(resumed);
    const onChange = (changed: TaskRecord): void => {
      this.#notifyFollowers(changed);
      if (scope.era === 'legacy')
        task.deliver(formatNotification('notifications/tasks/status', toSessionTask(changed)));
    };
    const task = new RunningTask({ connection, record, controller, job, onChange });
    this.#running.set(taskId, task);
    call.onProgress = (progress) => task.note(describeProgress(progress));
    call.peer.redirect = (requests, asked) => task.ask(requests, asked);
    // From now on the tool waits until its beginning is stored.
    work.keep = (began) => task.keepBeginning(began);
    return task;
  }

  #notifyFollowers(task: TaskRecord): void {
    this.#subscriptions.taskChanged(task.taskId, toWireTask(task), (connection) => this.#isFor(connection, task));
  }

  /** Notifies clients here of a task of another process. */
  #follow(record: TaskRecord): void {
    if (isOver(record.state)) return;
    this.#followed.set(record.taskId, record.lastUpdatedAt);
    this.#stopListening ??= this.#stored.watch(() => void this.#look());
  }

  async #look(): Promise<void> {
    for (const [taskId, known] of this.#followed) {
      const record = await this.#stored.find(taskId).catch(() => undefined);
      if (record === undefined || isOver(record.state)) this.#followed.delete(taskId);
      else this.#followed.set(taskId, record.lastUpdatedAt);
      if (record !== undefined && record.lastUpdatedAt !== known) this.#notifyFollowers(record);
    }
  }

  send(record: TaskRecord, message: TaskMessage): Promise<void> {
    return this.#stored.send(record, message);
  }

  /** Delivers answers to questions of a task, in any process. */
  async answer(record: TaskRecord, values: Readonly<Record<string, unknown>>): Promise<void> {
    const running = this.#running.get(record.taskId);
    if (running === undefined) await this.#stored.send(record, { type: 'answer', values });
    else running.answer(values);
  }

  /** Yields a task now and after each change, until it has ended. */
  changes(record: TaskRecord, scope: RequestScope): AsyncGenerator<TaskRecord, void> {
    const running = this.#running.get(record.taskId);
    return running?.changes(scope) ?? this.#stored.follow(record, scope.signal, this.#resumeFor(scope));
  }

  #finishWith(task: RunningTask, call: PreparedCall, work: Promise<ToolResult>): void {
    void work.then(async (result) => {
      task.finish(toEnd(call, result, task.signal));
      // Meanwhile the running task answers.
      if (!(await task.saved)) this.#stored.remember(task.record);
      this.#running.delete(task.record.taskId);
    });
  }

  async #isFull(scope: RequestScope): Promise<boolean> {
    if (this.#isFullHere(scope)) return true;
    // While the store is unavailable, tasks stay in this process.
    return this.#stored.isFull(scope.connection.caller.id).catch(() => false);
  }

  #isFullHere({ connection: { caller } }: RequestScope): boolean {
    if (this.#running.size >= MAX_RUNNING) return true;
    if (caller.id === '' || this.#running.size < MAX_OF_ONE) return false;
    let own = 0;
    for (const { record } of this.#running.values()) if (record.caller === caller.id) own++;
    return own >= MAX_OF_ONE;
  }

  /** Returns true for a task of this client whose tool it may still use. */
  #isFor({ caller }: Connection, record: TaskRecord): boolean {
    if (record.caller !== caller.id) return false;
    if (caller.access.key === '') return true;
    const view = this.#services.catalog.view(caller.access);
    const name = record.means ?? record.tool;
    const tool = view.find(name) ?? view.findForPage(name)?.tool;
    // Every caller has the proxy tools: only the target decides about rights.
    return tool !== undefined && !isProxyTool(tool);
  }

  async #findDeclared(scope: RequestScope): Promise<FoundTask> {
    if (!declaresTasks(scope)) throw missingTasks(`${scope.method} is part of the tasks extension.`);
    const found = await this.find(scope);
    this.#fetchers.add(scope);
    return found;
  }
}

/** Returns a request for another call of the same client. */
function withCall(scope: RequestScope, { name, arguments: args }: TaskCall): RequestScope {
  const { id, era, connection, capabilities, signal, cancellation } = scope;
  const request = { id, method: 'tools/call', params: { name, arguments: args }, era, connection, capabilities };
  return { ...request, logLevel: undefined, signal, cancellation, send: (text) => scope.send(text) };
}

function toCall({ params }: RequestScope): TaskCall {
  return { name: params['name'], arguments: params['arguments'] };
}

/** Returns true when a list has the tool of a call, by a current or earlier name. */
function isListed(names: readonly string[], { name, tool }: PreparedCall): boolean {
  return names.includes(name) || (tool !== undefined && permittingNames(tool).some((one) => names.includes(one)));
}
