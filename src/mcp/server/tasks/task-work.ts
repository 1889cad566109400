import { randomUUID } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';
import { mayRepeat } from '../../../tool/tool-metadata.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import type { CallProgress } from '../../../pipeline/call-options.ts';
import { ERROR_CODES, RequestError } from '../../protocol/json-rpc.ts';
import { type PreparedCall, toAnswer } from '../call-tool.ts';
import type { TaskBeginning, TaskEnd, TaskRecord } from './task-record.ts';

/** The call of a task; it may run before there is a task. */
export class TaskWork {
  readonly call: PreparedCall;
  readonly taskId: string;
  readonly ttlMs: number;
  readonly controller = new AbortController();
  /** Stores that the tool begins; set once there is a task. Rejects if the tool must not run. */
  keep: ((began: TaskBeginning) => Promise<void>) | undefined;
  #began: TaskBeginning | undefined;

  constructor(call: PreparedCall, ttlMs: number, taskId: string = randomUUID()) {
    this.call = call;
    this.taskId = taskId;
    this.ttlMs = ttlMs;
  }

  get began(): TaskBeginning | undefined {
    return this.#began;
  }

  /** Runs the call. The default timeout is for waiting clients; a tool's own timeout applies. */
  run(): Promise<ToolResult> {
    const { call, taskId: idempotencyKey, controller, ttlMs } = this;
    const beforeRun: NonNullable<Parameters<PreparedCall['run']>[0]>['beforeRun'] = async (tool) => {
      this.#began = { tool: tool.metadata.name, mayRepeat: mayRepeat(tool) };
      await this.keep?.(this.#began);
    };
    const timeout = call.tool?.metadata.timeout ?? ttlMs;
    return call.run({ signal: controller.signal, timeout, idempotencyKey, beforeRun });
  }

  /** Creates the record of the task. */
  toRecord(caller: string): TaskRecord {
    const { call, taskId, ttlMs } = this;
    const { name: tool, means } = call;
    const now = new Date().toISOString();
    const given = { taskId, caller, tool, ...(means === undefined ? {} : { means }), ttlMs };
    return { ...given, createdAt: now, lastUpdatedAt: now, state: { status: 'working' } };
  }
}

/** Converts the result of a call to the end of its task. */
export function toEnd(call: PreparedCall, result: ToolResult, { aborted }: Pick<AbortSignal, 'aborted'>): TaskEnd {
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

export function describeProgress({ done, total, message }: CallProgress): string {
  return `${total === undefined ? done : `${done}/${total}`}${message === undefined ? '' : ` ${message}`}`;
}
