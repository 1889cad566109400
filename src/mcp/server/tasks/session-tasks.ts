import { isPlainObject } from '../../../tool/json.ts';
import { ERROR_CODES, RequestError, invalidParams } from '../../protocol/json-rpc.ts';
import { LATEST_LEGACY_VERSION, META } from '../../protocol/mcp-names.ts';
import { type CallServices, callTool } from '../call-tool.ts';
import type { Connection } from '../connection.ts';
import type { Answer, MethodHandler, RequestScope } from '../request-scope.ts';
import { isOver, type TaskRecord, toSessionTask, toSortKey } from './task-record.ts';
import type { FoundTask, Tasks } from './tasks.ts';

const PAGE = 100;

/** Returns true for a client of the one revision with its own kind of tasks. */
export function hasSessionTasks({ version }: Connection): boolean {
  return version === LATEST_LEGACY_VERSION;
}

/** Returns true for a client of that revision that declares tasks. */
export function wantsSessionTasks(connection: Connection): boolean {
  return hasSessionTasks(connection) && isPlainObject(connection.capabilities['tasks']);
}

/** Declares tasks. If any process could be the caller, tasks of others must not be listed. */
export function sessionTaskCapability({ caller }: Connection): Readonly<Record<string, unknown>> {
  const list = caller.isAnonymous === true ? {} : { list: {} };
  return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
}

/** The methods for tasks of 2025-11-25: the client requests a task with the call and fetches the result. */
export function sessionTaskMethods(tasks: Tasks, services: CallServices): Readonly<Record<string, MethodHandler>> {
  const known = (handler: MethodHandler): MethodHandler => {
    return (scope) => {
      if (hasSessionTasks(scope.connection)) return handler(scope);
      const message = `There is no method "${scope.method}" in this revision of the protocol.`;
      throw new RequestError(ERROR_CODES.methodNotFound, message);
    };
  };
  return {
    'tools/call': (scope) => {
      const wanted = hasSessionTasks(scope.connection) ? scope.params['task'] : undefined;
      return isPlainObject(wanted) ? tasks.begin(scope, wanted) : callTool(scope, services);
    },
    'tasks/get': known(async (scope) => toSessionTask((await tasks.find(scope)).record)),
    'tasks/result': known((scope) => fetchResult(tasks, scope)),
    'tasks/list': known((scope) => listTasks(tasks, scope)),
    'tasks/cancel': known(async (scope) => {
      const { record, running } = await tasks.find(scope);
      if (isOver(record.state))
        throw invalidParams(`The task "${record.taskId}" cannot be cancelled: it is ${record.state.status}.`);
      if (running === undefined) return toSessionTask(await stopElsewhere(tasks, record, scope));
      running.stop();
      return toSessionTask(running.record);
    }),
  };
}

/** Waits for the end of a task, and asks its questions meanwhile. */
async function fetchResult(tasks: Tasks, scope: RequestScope): Promise<Answer> {
  for (;;) {
    const found = await tasks.find(scope);
    if (isOver(found.record.state)) return toResult(found.record);
    await waitForEnd(tasks, found, scope);
    scope.signal.throwIfAborted();
  }
}

/** Ends a task of another process and returns its last state. */
async function stopElsewhere(tasks: Tasks, record: TaskRecord, scope: RequestScope): Promise<TaskRecord> {
  await tasks.send(record, { type: 'cancel' });
  let last = record;
  for await (const latest of tasks.changes(record, scope)) last = latest;
  return last;
}

/** Waits for the end of a task; asks its questions over this request until another approver has answered. */
async function waitForEnd(tasks: Tasks, { record, running }: FoundTask, scope: RequestScope): Promise<void> {
  const asking = new Map<string, AbortController>();
  for await (const { state, taskId } of tasks.changes(record, scope)) {
    const open = state.status === 'input_required' ? state.inputRequests : {};
    for (const [id, controller] of asking) if (!Object.hasOwn(open, id)) controller.abort();
    for (const [id, request] of Object.entries(open)) {
      if (asking.has(id) || running?.takeQuestion(id) === false) continue;
      const controller = new AbortController();
      asking.set(id, controller);
      const related = { ...metaOf(request.params ?? {}), [META.relatedTask]: { taskId } };
      const question = { method: request.method, params: { ...request.params, _meta: related } };
      const signal = AbortSignal.any([scope.signal, controller.signal]);
      const asked = scope.connection.ask((text) => scope.send(text), question, signal);
      const answer = (given: unknown): Promise<void> =>
        tasks.answer(record, { [id]: isPlainObject(given) ? given : {} }).catch(() => undefined);
      asked.then(answer, () => {
        // A client that cannot answer has not agreed.
        if (!signal.aborted) return answer({ action: 'cancel' });
        return running?.returnQuestion(id);
      });
    }
  }
}

function toResult({ taskId, state }: TaskRecord): Answer {
  switch (state.status) {
    case 'completed':
      return { ...state.result, _meta: { ...metaOf(state.result), [META.relatedTask]: { taskId } } };
    case 'failed':
      throw new RequestError(state.error.code, state.error.message, state.error.data);
    default:
      throw new RequestError(ERROR_CODES.internalError, `The task "${taskId}" was cancelled.`);
  }
}

async function listTasks(tasks: Tasks, scope: RequestScope): Promise<Answer> {
  if (scope.connection.caller.isAnonymous === true)
    throw new RequestError(ERROR_CODES.methodNotFound, 'Tasks are listed only for clients that show a token.');
  const { cursor } = scope.params;
  const after = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  const left = (await tasks.list(scope)).filter((record) => toSortKey(record) > after);
  const page = left.slice(0, PAGE);
  const last = page.at(-1);
  const nextCursor =
    left.length > PAGE && last !== undefined ? Buffer.from(toSortKey(last)).toString('base64url') : undefined;
  return { tasks: page.map(toSessionTask), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

function metaOf({ _meta }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isPlainObject(_meta) ? _meta : {};
}
