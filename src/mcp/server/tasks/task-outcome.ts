import { isPlainObject } from '../../../tool/json.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import type { CallProgress } from '../../../pipeline/call-options.ts';
import { ERROR_CODES, RequestError } from '../../protocol/json-rpc.ts';
import { type PreparedCall, toAnswer } from '../call-tool.ts';
import type { TaskEnd } from './task-record.ts';

/** The end of a task, by the result of its call. */
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

/** The progress of a call in words. */
export function describeProgress({ done, total, message }: CallProgress): string {
  return `${total === undefined ? done : `${done}/${total}`}${message === undefined ? '' : ` ${message}`}`;
}
