import { formatNotification } from '../protocol/json-rpc.ts';
import { LOG_LEVELS } from './log-level.ts';
import type { RequestScope } from './request-scope.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';

/** Passes a call's log lines on, from the level that the client wants with this request. */
export function forwardLogs(scope: RequestScope): CallOptions['onLog'] {
  const { logLevel } = scope;
  if (logLevel === undefined) return undefined;
  return ({ tool, level, message, data }) => {
    const shown = level === 'warn' ? 'warning' : level;
    if (LOG_LEVELS.indexOf(shown) < LOG_LEVELS.indexOf(logLevel)) return;
    const content = data === undefined ? message : { message, ...data };
    scope.send(formatNotification('notifications/message', { level: shown, logger: tool, data: content }));
  };
}

const LEAST_GAP = 20;

/** Passes a call's progress on, where the client asked for it: always upwards, and not more often than it can be read. */
export function forwardProgress(
  scope: Pick<RequestScope, 'signal' | 'send'>,
  meta: Readonly<Record<string, unknown>> | undefined,
): CallOptions['onProgress'] {
  const progressToken = meta?.['progressToken'];
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  let last = -Infinity;
  let sentAt = -Infinity;
  return ({ done, total, message }) => {
    if (done <= last || scope.signal.aborted) return;
    const now = performance.now();
    if (now - sentAt < LEAST_GAP && done !== total) return;
    last = done;
    sentAt = now;
    scope.send(formatNotification('notifications/progress', { progressToken, progress: done, total, message }));
  };
}
