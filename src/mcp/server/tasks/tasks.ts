import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { isPlainObject } from '../../../tool/json.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import { isStandIn } from '../../../pipeline/stand-in.ts';
import { ERROR_CODES, RequestError, invalidParams } from '../../protocol/json-rpc.ts';
import { TASKS_EXTENSION } from '../../protocol/versions.ts';
import type { Connection } from '../connection.ts';
import { type CallServices, type PreparedCall, prepareCall, toAnswer } from '../call-tool.ts';
import type { Answer, MethodHandler, RequestScope } from '../request-scope.ts';
import { readInputResponses } from '../request-state.ts';
import type { TaskOptions } from '../server-options.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { RunningTask } from './running-task.ts';
import { type TaskRecord, type TaskState, toWireTask } from './task-record.ts';
import { TaskRecords } from './task-records.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

const AFTER = 5_000;
const TTL = 60 * 60_000;
const MAX_RUNNING = 1_000;
/** Running tasks of one identified caller at most. */
const MAX_OF_ONE = 100;

/** Long calls, which continue as tasks that clients fetch later. */
export class Tasks {
  readonly #services: CallServices;
  readonly #subscriptions: Subscriptions;
  #options: TaskOptions;
  readonly #records: TaskRecords;
  readonly #running = new Map<string, RunningTask>();

  constructor(services: CallServices, subscriptions: Subscriptions, options: TaskOptions = {}) {
    this.#services = services;
    this.#subscriptions = subscriptions;
    this.#options = options;
    this.#records = new TaskRecords(() => services.board.store);
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
    const call = prepareCall(scope, this.#services);
    const { only = [], always = [], after = AFTER, ttl = TTL } = this.#options;
    if (!declaresTasks(scope)) {
      if (call.tool !== undefined && only.includes(call.name))
        throw missingTasks(`"${call.name}" takes long and only runs as a task.`);
      return toAnswer(call, await call.run());
    }
    const controller = new AbortController();
    const stop = (): void => controller.abort(scope.signal.reason);
    scope.signal.addEventListener('abort', stop, { once: true });
    if (scope.signal.aborted) stop();
    // The usual half minute is for clients that wait; a tool's own limit holds here too.
    const work = call.run({ signal: controller.signal, timeout: call.tool?.metadata.timeout ?? ttl });
    // A tool that is not there for this client is told at once.
    if (call.tool === undefined || this.#isFull(scope)) {
      // One too many at once is waited for like any other call, and ends with its client.
      const result = await work;
      scope.signal.removeEventListener('abort', stop);
      return toAnswer(call, result);
    }
    const isTask = only.includes(call.name) || always.includes(call.name);
    const ended = new AbortController();
    const due = isTask
      ? nextTurn(undefined)
      : wait(after, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    const result = await Promise.race([work, due]);
    ended.abort();
    scope.signal.removeEventListener('abort', stop);
    if (result !== undefined) return toAnswer(call, result);
    return this.#adopt(call, work, { scope, controller, ttlMs: ttl });
  }

  /** The methods of the extension. */
  methods(): Readonly<Record<string, MethodHandler>> {
    return {
      'tasks/get': (scope) => toWireTask(this.#find(scope)),
      'tasks/update': (scope) => {
        const { taskId } = this.#find(scope);
        this.#running.get(taskId)?.answer(readInputResponses(scope.params['inputResponses']));
        return {};
      },
      'tasks/cancel': (scope) => {
        const { taskId } = this.#find(scope);
        this.#running.get(taskId)?.cancel();
        return {};
      },
    };
  }

  /** Whether a caller may hear of a task. Throws when the client cannot do tasks. */
  mayFollow(scope: RequestScope, taskId: string): boolean {
    if (!declaresTasks(scope)) throw missingTasks('Following tasks is part of the tasks extension.');
    const record = this.#records.find(taskId);
    return record !== undefined && this.#isFor(scope.connection, record);
  }

  /** Ends every task: what was running has failed, and a client that asks later is told so. */
  close(): void {
    const error = {
      code: ERROR_CODES.internalError,
      message: 'The server was stopped before the task was done. Call the tool again.',
    };
    for (const task of this.#running.values()) {
      task.finish({ status: 'failed', error });
      task.cancel();
    }
    this.#running.clear();
  }

  #adopt(
    call: PreparedCall,
    work: Promise<ToolResult>,
    options: { readonly scope: RequestScope; readonly controller: AbortController; readonly ttlMs: number },
  ): Answer {
    const { scope, controller, ttlMs } = options;
    const task = new RunningTask({
      connection: scope.connection,
      tool: call.name,
      means: call.means,
      ttlMs,
      controller,
      onChange: (record) => {
        this.#records.save(record);
        this.#subscriptions.taskChanged(record.taskId, toWireTask(record), (connection) =>
          this.#isFor(connection, record),
        );
      },
    });
    const { taskId } = task.record;
    this.#running.set(taskId, task);
    call.peer.redirect = (requests, options) => task.ask(requests, options);
    call.onProgress = ({ done, total, message }) =>
      task.note(`${total === undefined ? done : `${done}/${total}`}${message === undefined ? '' : ` ${message}`}`);
    void work.then((result) => {
      // Not when the server stopped meanwhile.
      if (this.#running.delete(taskId)) task.finish(toState(call, result, controller.signal));
    });
    return { resultType: 'task', ...toWireTask(task.record) };
  }

  #isFull({ connection: { caller } }: RequestScope): boolean {
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
    const tool = this.#services.catalog.view(caller.access).find(record.means ?? record.tool);
    // Every caller has the tools that stand for others: which rights such a call needs, only the tool that is meant tells.
    return tool !== undefined && !isStandIn(tool);
  }

  #find(scope: RequestScope): TaskRecord {
    if (!declaresTasks(scope)) throw missingTasks(`${scope.method} is part of the tasks extension.`);
    const { taskId } = scope.params;
    if (typeof taskId !== 'string') throw invalidParams('params.taskId must be a string.');
    const record = this.#running.get(taskId)?.record ?? this.#records.find(taskId);
    if (record !== undefined && this.#isFor(scope.connection, record)) return record;
    throw invalidParams(`There is no task "${taskId}" (any more). Call the tool again.`);
  }
}

function toState(call: PreparedCall, result: ToolResult, { aborted }: AbortSignal): TaskState {
  if (aborted && !result.ok && result.error.code === 'cancelled') return { status: 'cancelled' };
  try {
    const answer = toAnswer(call, result);
    const data: unknown = typeof answer === 'string' ? JSON.parse(answer) : answer;
    return { status: 'completed', result: isPlainObject(data) ? data : {} };
  } catch (error) {
    const code = error instanceof RequestError ? error.code : ERROR_CODES.internalError;
    const data = error instanceof RequestError ? error.data : undefined;
    const message = messageOf(error);
    return { status: 'failed', error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

function declaresTasks({ capabilities }: RequestScope): boolean {
  const { extensions } = capabilities;
  return isPlainObject(extensions) && isPlainObject(extensions[TASKS_EXTENSION]);
}

function missingTasks(why: string): RequestError {
  return new RequestError(
    ERROR_CODES.missingClientCapability,
    `${why} The client has to declare the extension ${TASKS_EXTENSION}.`,
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  );
}
