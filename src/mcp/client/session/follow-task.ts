import { isObject } from '../transports/transport.ts';
import type { RequestListener, RpcPeer } from './rpc-peer.ts';

/** A call that runs as a task on a server. */
export interface FollowedTask {
  readonly taskId: string;
  readonly progressToken?: number | undefined;
  /** Milliseconds between polls, as the server asks. */
  readonly pollInterval?: unknown;
  readonly statusMessage?: unknown;
}

const LEAST_INTERVAL = 500;
const DEFAULT_INTERVAL = 5000;
const MOST_INTERVAL = 60_000;

/**
 * Reports the progress of a server's task until the returned function is called.
 *
 * Servers report it as progress of the call, as changes of the task's status, or only when polled. A text without numbers counts as the
 * next step.
 */
export function followTask(
  peer: RpcPeer,
  { taskId, progressToken, pollInterval, statusMessage: first }: FollowedTask,
  listener: RequestListener,
): () => void {
  let hasNumbers = false;
  let steps = 0;
  let last: unknown;
  const reportStatus = (statusMessage: unknown): void => {
    if (hasNumbers || typeof statusMessage !== 'string' || statusMessage === last) return;
    last = statusMessage;
    listener.onProgress?.(++steps, undefined, statusMessage);
  };
  const stopListening = peer.listen((method, params) => {
    if (method === 'notifications/tasks/status' && params['taskId'] === taskId) reportStatus(params['statusMessage']);
    if (method !== 'notifications/progress' || progressToken === undefined) return;
    if (params['progressToken'] !== progressToken) return;
    const { progress, total, message } = params;
    if (typeof progress !== 'number') return;
    hasNumbers = true;
    listener.onProgress?.(
      progress,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    );
  });
  reportStatus(first);
  const asked = typeof pollInterval === 'number' ? pollInterval : DEFAULT_INTERVAL;
  const interval = Math.min(Math.max(asked, LEAST_INTERVAL), MOST_INTERVAL);
  let isOver = false;
  let isAsking = false;
  const timer = setInterval(() => {
    if (isAsking) return;
    isAsking = true;
    void peer
      .request('tasks/get', { taskId })
      .then((outcome) => {
        if (!isOver && outcome.type === 'result' && isObject(outcome.result))
          reportStatus(outcome.result['statusMessage']);
      })
      .finally(() => (isAsking = false));
  }, interval).unref();
  return () => {
    isOver = true;
    clearInterval(timer);
    stopListening();
  };
}
