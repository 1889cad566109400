import type { JobEnd, JobRecord } from '../../../platform/jobs/job-record.ts';
import type { JsonRpcError } from '../../protocol/json-rpc.ts';
import type { InputRequest } from '../peer.ts';

export type TaskEnd =
  | { readonly status: 'completed'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly status: 'failed'; readonly error: JsonRpcError }
  | { readonly status: 'cancelled' };

export type TaskState =
  | { readonly status: 'working' }
  | { readonly status: 'input_required'; readonly inputRequests: Readonly<Record<string, InputRequest>> }
  | TaskEnd;

/** A task as clients see it. */
export interface TaskRecord {
  readonly taskId: string;
  readonly caller: string;
  readonly tool: string;
  /** The target, if the called tool is a proxy. */
  readonly means?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly statusMessage?: string | undefined;
  readonly state: TaskState;
}

/** A tool that began to run for a task. */
export interface TaskBeginning {
  readonly tool: string;
  /** True when it may run again. */
  readonly mayRepeat: boolean;
}

/** The facts of a task in its job. */
export interface TaskInfo {
  /** The task; without its result after the end. */
  readonly task: TaskRecord;
  /** True when the call is stored, so that another process can make it. */
  readonly isKept: boolean;
  /** The tool that began to run. */
  readonly began?: TaskBeginning | undefined;
}

/** Returns true when another process can make the call again: it has not begun, or its tool may run again. */
export function isResumable({ isKept, began }: TaskInfo): boolean {
  return isKept && (began === undefined || began.mayRepeat);
}

/** Returns a task for lists, without its result. */
export function withoutResult(task: TaskRecord): TaskRecord {
  const { state } = task;
  if (state.status === 'completed') {
    const { isError } = state.result;
    return { ...task, state: { ...state, result: isError === undefined ? {} : { isError } } };
  }
  if (state.status !== 'failed') return task;
  const { code, message } = state.error;
  return { ...task, state: { ...state, error: { code, message } } };
}

export function toJobEnd({ status }: TaskEnd): JobEnd {
  return status === 'completed' ? 'done' : status;
}

/** Explains a task whose process is gone and whose call cannot be made again. */
export function describeLoss({ info }: JobRecord<TaskInfo>): string {
  const { tool } = info.began ?? info.task;
  if (info.isKept && info.began === undefined) return `The server stopped before "${tool}" ran. Call the tool again.`;
  return `The server stopped while "${tool}" ran, so its result is lost: it may have happened, or not. Find out before you call the tool again.`;
}

const POLL_INTERVAL = 1_000;

export function isOver(state: TaskState): state is TaskEnd {
  return state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled';
}

/** Orders tasks by their creation. */
export function toSortKey({ createdAt, taskId }: TaskRecord): string {
  return `${createdAt} ${taskId}`;
}

/** Converts a task for clients of 2025-11-25: a tool that reports an error has failed. */
export function toSessionTask(record: TaskRecord): Readonly<Record<string, unknown>> {
  const { taskId, createdAt, lastUpdatedAt, ttlMs: ttl, state } = record;
  const isError = state.status === 'completed' && state.result['isError'] === true;
  const statusMessage = state.status === 'failed' ? state.error.message : record.statusMessage;
  const message = statusMessage === undefined ? {} : { statusMessage };
  const status = isError ? 'failed' : state.status;
  return { taskId, status, ...message, createdAt, lastUpdatedAt, ttl, pollInterval: POLL_INTERVAL };
}

/** Converts a task for clients with the extension. */
export function toWireTask(record: TaskRecord): Readonly<Record<string, unknown>> {
  const { taskId, createdAt, lastUpdatedAt, ttlMs, statusMessage, state } = record;
  const message = statusMessage === undefined ? {} : { statusMessage };
  return { taskId, ...state, ...message, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs: POLL_INTERVAL };
}
