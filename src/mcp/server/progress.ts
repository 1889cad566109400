import type { CallOptions } from '../../pipeline/call-options.ts';
import { formatNotification } from '../protocol/json-rpc.ts';
import type { RequestScope } from './request-scope.ts';

const LEAST_GAP = 20;

/** Passes a call's progress on, where the client asked for it: always upwards, and not more often than it can be read. */
export function forwardProgress(
  scope: RequestScope,
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
    scope.send(
      formatNotification('notifications/progress', {
        progressToken,
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      }),
    );
  };
}
