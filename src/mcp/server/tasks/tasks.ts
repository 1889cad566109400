import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { isPlainObject } from '../../../tool/json.ts';
import { permittingNames } from '../../../tool/tool-names.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import { isProxyTool } from '../../../pipeline/proxy-tool.ts';
import { ERROR_CODES, RequestError, formatNotification, invalidParams } from '../../protocol/json-rpc.ts';
import { forwardProgress } from '../call-notifications.ts';
import type { Connection } from '../connection.ts';
import { type CallServices, type PreparedCall, prepareCall, toAnswer } from '../call-tool.ts';
import type { Answer, MethodHandler, RequestScope } from '../request-scope.ts';
import { readInputResponses } from '../request-state.ts';
import type { TaskOptions } from '../server-options.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { RunningTask } from './running-task.ts';
import { TaskFetchers } from './task-fetchers.ts';
import { isOver, type TaskRecord, toSessionTask, toWireTask } from './task-record.ts';
import { TaskRecords, type TaskWish } from './task-records.ts';
import { declaresTasks, missingTasks } from './declares-tasks.ts';
import { describeProgress, toState } from './task-outcome.ts';
import { CallStart, type TaskCall, TaskCalls, withCall } from './task-calls.ts';

const AFTER = 5_000;
const TTL = 60 * 60_000;
const MAX_RUNNING = 1_000;
/** Milliseconds between looks at a task whose process may have been killed. */
const LOOK_AGAIN = 1_000;
/** Running tasks of one identified caller at most. */
const MAX_OF_ONE = 100;

/** A task, and the work on it where this process does it. */
interface FoundTask {
  readonly record: TaskRecord;
  readonly running: RunningTask | undefined;
}

/** Long calls, which continue as tasks that clients fetch later. */
export class Tasks {
  readonly #services: CallServices;
  readonly #subscriptions: Subscriptions;
  #options: TaskOptions;
  readonly #records: TaskRecords;
  readonly #calls: TaskCalls;
  readonly #running = new Map<string, RunningTask>();
  /** Tasks of other processes that clients here follow, with when they changed last. */
  readonly #followed = new Map<string, string>();
  #stopListening: (() => void) | undefined;
  readonly #fetchers = new TaskFetchers(() => this.#options.clients ?? []);

  constructor(services: CallServices, subscriptions: Subscriptions, options: TaskOptions = {}) {
    this.#services = services;
    this.#subscriptions = subscriptions;
    this.#options = options;
    this.#records = new TaskRecords(() => services.board.sealed ?? services.board.store);
    this.#calls = new TaskCalls(() => services.board.sealed);
  }

  /** Tasks that this process works on. */
  get running(): number {
    return this.#running.size;
  }

  /** Takes up other options; tasks under way keep theirs. */
  update(options: TaskOptions = {}): void {
    this.#options = options;
  }

  /** The clients whose tasks this process works on. */
  connections(): readonly Connection[] {
    return [...this.#running.values()].map(({ connection }) => connection);
  }

  /** Rejects the questions of this client's tasks, now and later; the tasks end as they started. */
  revoke(connection: Connection): void {
    for (const task of this.#running.values()) if (task.connection === connection) task.abandon();
  }

  /** Answers `tools/call` of a client that can wait: with the result when it is there soon, with a task otherwise. */
  async call(scope: RequestScope): Promise<Answer> {
    const call = await prepareCall(scope, this.#services);
    const { only = [], always = [], after = AFTER, ttl = TTL } = this.#options;
    const canTask = declaresTasks(scope);
    if (!canTask && call.tool !== undefined && isListed(only, call))
      throw missingTasks(`"${call.name}" takes long and only runs as a task.`);
    const isTask = isListed(only, call) || isListed(always, call);
    // Some clients declare the extension and throw at a task: without a sign that this one fetches them, it waits.
    if (!canTask || (!isTask && !this.#fetchers.has(scope))) return toAnswer(call, await call.run());
    const controller = new AbortController();
    const stop = (): void => controller.abort(scope.signal.reason);
    scope.signal.addEventListener('abort', stop, { once: true });
    if (scope.signal.aborted) stop();
    // The usual half minute is for clients that wait; a tool's own limit holds here too.
    const taskId = randomUUID();
    const start = new CallStart();
    const work = call.run({
      signal: controller.signal,
      timeout: call.tool?.metadata.timeout ?? ttl,
      idempotencyKey: taskId,
      beforeRun: (tool) => start.note(tool),
    });
    const ended = new AbortController();
    const due = isTask
      ? nextTurn(undefined)
      : wait(after, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    // A tool that is not there for this client is told at once.
    const early = await (call.tool === undefined ? work : Promise.race([work, due]));
    ended.abort();
    // One too many at once is waited for like any other call, and ends with its client.
    const result = early ?? ((await this.#isFull(scope)) ? await work : undefined);
    scope.signal.removeEventListener('abort', stop);
    if (result !== undefined) return toAnswer(call, result);
    const task = await this.#open(call, { scope, controller, ttlMs: ttl, taskId, start });
    call.onProgress = (progress) => task.note(describeProgress(progress));
    this.#finishWith(task, call, work);
    await this.#records.settled();
    return { resultType: 'task', ...toWireTask(task.record) };
  }

  /** Answers a `tools/call` of 2025-11-25 that asks for a task. */
  async begin(scope: RequestScope, wanted: Readonly<Record<string, unknown>>): Promise<Answer> {
    const call = await prepareCall(scope, this.#services);
    if (await this.#isFull(scope)) {
      const message = 'Too many tasks are running or kept. Call the tool without a task, or later.';
      throw new RequestError(ERROR_CODES.internalError, message);
    }
    const { ttl: longest = TTL } = this.#options;
    const asked = wanted['ttl'];
    const ttlMs = typeof asked === 'number' && asked >= 1 ? Math.min(asked, longest) : longest;
    const controller = new AbortController();
    const taskId = randomUUID();
    const start = new CallStart();
    const task = await this.#open(call, { scope, controller, ttlMs, taskId, start });
    const meta = scope.params['_meta'];
    const forward = forwardProgress(
      { signal: controller.signal, send: (text) => task.tell(text) },
      isPlainObject(meta) ? meta : undefined,
    );
    call.onProgress = (progress) => {
      task.note(describeProgress(progress));
      forward?.(progress);
    };
    const timeout = call.tool?.metadata.timeout ?? ttlMs;
    const options = { signal: controller.signal, timeout, idempotencyKey: taskId };
    this.#finishWith(task, call, call.run({ ...options, beforeRun: (tool) => start.note(tool) }));
    await this.#records.settled();
    return { task: toSessionTask(task.record) };
  }

  /** The task that a request names and its client may know of. Throws where there is none. */
  async find(scope: RequestScope): Promise<FoundTask> {
    const { taskId } = scope.params;
    if (typeof taskId !== 'string') throw invalidParams('params.taskId must be a string.');
    const running = this.#running.get(taskId);
    const adopt = (orphan: TaskRecord): Promise<TaskRecord | undefined> => this.#adopt(orphan, scope);
    const record = running?.record ?? (await this.#records.find(taskId, adopt));
    if (record !== undefined && this.#isFor(scope.connection, record))
      return { record, running: this.#running.get(taskId) };
    throw invalidParams(`There is no task "${taskId}" (any more). Call the tool again.`);
  }

  /** The tasks that a client may know of, the oldest first. */
  async list({ connection }: RequestScope): Promise<readonly TaskRecord[]> {
    return (await this.#records.list(connection.caller.id))
      .filter((record) => this.#isFor(connection, record))
      .map((record) => this.#running.get(record.taskId)?.record ?? record);
  }

  /** Ends a task at once, without waiting for the work; gives how it is then. */
  stop(task: RunningTask): TaskRecord {
    if (this.#running.delete(task.record.taskId)) {
      task.finish({ status: 'cancelled' });
      task.cancel();
    }
    return task.record;
  }

  /** The methods of the extension. */
  methods(): Readonly<Record<string, MethodHandler>> {
    return {
      'tasks/get': async (scope) => toWireTask((await this.#findDeclared(scope)).record),
      'tasks/update': async (scope) => {
        const { running, record } = await this.#findDeclared(scope);
        const responses = readInputResponses(scope.params['inputResponses']);
        if (running !== undefined) running.answer(responses);
        else if (!isOver(record.state)) await this.#records.wish(record.taskId, { type: 'answer', responses });
        return {};
      },
      'tasks/cancel': async (scope) => {
        const { running, record } = await this.#findDeclared(scope);
        if (running !== undefined) running.cancel();
        else if (!isOver(record.state)) await this.#records.wish(record.taskId, { type: 'cancel' });
        return {};
      },
    };
  }

  /** Whether a caller may hear of a task. Throws when the client cannot do tasks. */
  async mayFollow(scope: RequestScope, taskId: string): Promise<boolean> {
    if (!declaresTasks(scope)) throw missingTasks('Following tasks is part of the tasks extension.');
    const record = this.#running.get(taskId)?.record ?? (await this.#records.find(taskId));
    const isFound = record !== undefined && this.#isFor(scope.connection, record);
    if (isFound) this.#fetchers.add(scope);
    if (isFound && !this.#running.has(taskId)) this.#follow(record);
    return isFound;
  }

  /** Ends every task: what was running has failed, and a client that asks later is told so. */
  async close(): Promise<void> {
    const error = {
      code: ERROR_CODES.internalError,
      message: 'The server was stopped before the task was done. Call the tool again.',
    };
    for (const task of this.#running.values()) {
      task.finish({ status: 'failed', error });
      task.cancel();
    }
    this.#running.clear();
    this.#followed.clear();
    this.#stopListening?.();
    await this.#records.close();
  }

  /** Goes on with a task whose process is gone, for its client: where its tool has not begun, or may run again. */
  async #adopt(orphan: TaskRecord, scope: RequestScope): Promise<TaskRecord | undefined> {
    // Whose it is not must not decide about it.
    if (!this.#isFor(scope.connection, orphan)) return orphan;
    const kept = await this.#calls.find(orphan.taskId);
    if (kept === undefined || this.#isFullHere(scope)) return undefined;
    const call = await prepareCall(withCall(scope, kept), this.#services);
    if (call.tool === undefined) return undefined;
    const record = await this.#records.claim(orphan);
    // Another process was faster.
    if (record === undefined) return orphan;
    const { taskId, ttlMs } = record;
    const controller = new AbortController();
    const start = new CallStart();
    const task = await this.#open(call, { scope, controller, ttlMs, taskId, start, record });
    call.onProgress = (progress) => task.note(describeProgress(progress));
    const timeout = call.tool.metadata.timeout ?? ttlMs;
    const options = { signal: controller.signal, timeout, idempotencyKey: taskId };
    this.#finishWith(task, call, call.run({ ...options, beforeRun: (tool) => start.note(tool) }));
    return task.record;
  }

  async #open(call: PreparedCall, options: OpenOptions): Promise<RunningTask> {
    const { scope, controller, ttlMs, taskId, start, record: known } = options;
    const isKept = known === undefined && (await this.#calls.keep(taskId, toCall(scope), ttlMs));
    let task: RunningTask | undefined;
    const onChange = (record: TaskRecord): void => {
      void this.#records.save(record);
      this.#subscriptions.taskChanged(record.taskId, toWireTask(record), (connection) =>
        this.#isFor(connection, record),
      );
      if (scope.era === 'legacy') task?.tell(formatNotification('notifications/tasks/status', toSessionTask(record)));
    };
    const { connection } = scope;
    const { worker } = this.#records;
    const { began } = start;
    const { name: tool, means } = call;
    const begin = { connection, tool, means, ttlMs, worker, controller, onChange, taskId };
    task = new RunningTask({ ...begin, began, isKept, record: known });
    const opened = task;
    this.#running.set(opened.record.taskId, opened);
    this.#listen();
    call.peer.redirect = (requests, asked) => opened.ask(requests, asked);
    // From now on the tool waits until its beginning is kept.
    start.keep = (begun) => this.#records.keepBeginning(opened.noteBegin(begun));
    return opened;
  }

  /** Hears of what other processes want, and of what they do with tasks that clients here follow. */
  #listen(): void {
    this.#stopListening ??= this.#records.watch(() => void this.#look());
  }

  /** Tells clients here of a task that another process works on. */
  #follow(record: TaskRecord): void {
    if (isOver(record.state)) return;
    this.#followed.set(record.taskId, record.lastUpdatedAt);
    this.#listen();
  }

  async #look(): Promise<void> {
    for (const [taskId, task] of this.#running) {
      for (const wish of await this.#records.takeWishes(taskId).catch(() => []))
        if (wish.type === 'cancel') this.stop(task);
        else task.answer(wish.responses);
    }
    for (const [taskId, told] of this.#followed) {
      const record = await this.#records.find(taskId).catch(() => undefined);
      if (record === undefined || isOver(record.state)) this.#followed.delete(taskId);
      else this.#followed.set(taskId, record.lastUpdatedAt);
      if (record === undefined || record.lastUpdatedAt === told) continue;
      this.#subscriptions.taskChanged(taskId, toWireTask(record), (connection) => this.#isFor(connection, record));
    }
  }

  /** Asks the process that works on a task for something. */
  wish(record: TaskRecord, wish: TaskWish): Promise<void> {
    return this.#records.wish(record.taskId, wish);
  }

  /** How a task is that another process works on, now and after each change, until it is over. */
  async *changes(record: TaskRecord, scope: RequestScope): AsyncGenerator<TaskRecord, void> {
    const { signal } = scope;
    const adopt = (orphan: TaskRecord): Promise<TaskRecord | undefined> => this.#adopt(orphan, scope);
    let heard = Promise.withResolvers<void>();
    const wake = (): void => heard.resolve();
    const stop = this.#records.watch(wake);
    // A process that was killed says nothing any more.
    const timer = setInterval(wake, LOOK_AGAIN).unref();
    signal.addEventListener('abort', wake, { once: true });
    let told = '';
    try {
      for (;;) {
        const latest = await this.#records.find(record.taskId, adopt);
        if (latest === undefined) return;
        if (latest.lastUpdatedAt !== told || isOver(latest.state)) yield latest;
        if (isOver(latest.state)) return;
        told = latest.lastUpdatedAt;
        await heard.promise;
        heard = Promise.withResolvers();
        signal.throwIfAborted();
      }
    } finally {
      stop();
      clearInterval(timer);
      signal.removeEventListener('abort', wake);
    }
  }

  #finishWith(task: RunningTask, call: PreparedCall, work: Promise<ToolResult>): void {
    void work.then((result) => {
      const { aborted } = task.signal;
      // Not when the task was cancelled or the server stopped meanwhile.
      if (this.#running.delete(task.record.taskId)) task.finish(toState(call, result, { aborted }));
      void this.#calls.forget(task.record.taskId);
    });
  }

  async #isFull(scope: RequestScope): Promise<boolean> {
    if (this.#isFullHere(scope)) return true;
    // While the store is away, tasks live in this process.
    return this.#records.isFull(scope.connection.caller.id).catch(() => false);
  }

  #isFullHere({ connection: { caller } }: RequestScope): boolean {
    if (this.#running.size >= MAX_RUNNING) return true;
    if (caller.id === '' || this.#running.size < MAX_OF_ONE) return false;
    let own = 0;
    for (const { record } of this.#running.values()) if (record.caller === caller.id) own++;
    return own >= MAX_OF_ONE;
  }

  /** Whether a task is this client's, and of a tool that its rights still reach. */
  #isFor({ caller }: Connection, record: TaskRecord): boolean {
    if (record.caller !== caller.id) return false;
    if (caller.access.key === '') return true;
    const view = this.#services.catalog.view(caller.access);
    const name = record.means ?? record.tool;
    const tool = view.find(name) ?? view.findForPage(name)?.tool;
    // Every caller has the proxy tools: which rights such a call needs, only its target says.
    return tool !== undefined && !isProxyTool(tool);
  }

  async #findDeclared(scope: RequestScope): Promise<FoundTask> {
    if (!declaresTasks(scope)) throw missingTasks(`${scope.method} is part of the tasks extension.`);
    const found = await this.find(scope);
    this.#fetchers.add(scope);
    return found;
  }
}

/** What a task is opened with. */
interface OpenOptions {
  readonly scope: RequestScope;
  readonly controller: AbortController;
  readonly ttlMs: number;
  readonly taskId: string;
  readonly start: CallStart;
  /** A task of a process that is gone, to go on with. */
  readonly record?: TaskRecord;
}

function toCall({ params }: RequestScope): TaskCall {
  return { name: params['name'], arguments: params['arguments'] };
}

/** Whether a list names the tool of a call, by the name it has now or had earlier. */
function isListed(names: readonly string[], { name, tool }: PreparedCall): boolean {
  return names.includes(name) || (tool !== undefined && permittingNames(tool).some((one) => names.includes(one)));
}
