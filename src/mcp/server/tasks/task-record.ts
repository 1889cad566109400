import type { JsonRpcError } from '../../protocol/json-rpc.ts';
import type { InputRequest } from '../peer.ts';

/** How a task is doing. */
export type TaskState =
  | { readonly status: 'working' }
  | { readonly status: 'input_required'; readonly inputRequests: Readonly<Record<string, InputRequest>> }
  | { readonly status: 'completed'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly status: 'failed'; readonly error: JsonRpcError }
  | { readonly status: 'cancelled' };

/** A task as it is kept. */
export interface TaskRecord {
  readonly taskId: string;
  /** Whose it is. */
  readonly caller: string;
  readonly tool: string;
  /** The tool that is meant, where the called one stands for others. */
  readonly means?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly statusMessage?: string | undefined;
  readonly state: TaskState;
  /** The process that works on it, by the lease that it holds. */
  readonly worker: string;
  /** Whether its call is kept, so that another process could make it. */
  readonly isKept?: true;
  /** The tool that has begun to run; missing while none has. */
  readonly began?: TaskBeginning;
}

/** A tool that has begun to run for a task. */
export interface TaskBeginning {
  readonly tool: string;
  /** Whether it may run once more. */
  readonly mayRepeat: boolean;
}

/** Whether another process can make the call of a task once more: it has not begun, or its tool may run again. */
export function canGoOn({ isKept, began }: TaskRecord): boolean {
  return isKept === true && (began === undefined || began.mayRepeat);
}

/** A task with what its client sees in a list: of a result only that it is an error, and nothing that was asked. */
export function withoutResult(record: TaskRecord): TaskRecord {
  const { state } = record;
  switch (state.status) {
    case 'completed': {
      const { isError } = state.result;
      return { ...record, state: { ...state, result: isError === undefined ? {} : { isError } } };
    }
    case 'failed':
      return { ...record, state: { ...state, error: { code: state.error.code, message: state.error.message } } };
    case 'input_required':
      return { ...record, state: { ...state, inputRequests: {} } };
    default:
      return record;
  }
}

const POLL_INTERVAL = 1_000;

/** Whether nothing will change any more. */
export function isOver({ status }: TaskState): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** A task as clients of 2025-11-25 see it. There, a tool that says what went wrong has failed. */
export function toSessionTask(record: TaskRecord): Readonly<Record<string, unknown>> {
  const { taskId, createdAt, lastUpdatedAt, ttlMs: ttl, state } = record;
  const isError = state.status === 'completed' && state.result['isError'] === true;
  const statusMessage = state.status === 'failed' ? state.error.message : record.statusMessage;
  const told = statusMessage === undefined ? {} : { statusMessage };
  const status = isError ? 'failed' : state.status;
  return { taskId, status, ...told, createdAt, lastUpdatedAt, ttl, pollInterval: POLL_INTERVAL };
}

/** A task as clients see it. */
export function toWireTask(record: TaskRecord): Readonly<Record<string, unknown>> {
  const { taskId, createdAt, lastUpdatedAt, ttlMs, statusMessage, state } = record;
  const told = statusMessage === undefined ? {} : { statusMessage };
  return { taskId, ...state, ...told, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs: POLL_INTERVAL };
}
