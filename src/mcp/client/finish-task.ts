import type { RequestOptions, RpcOutcome, RpcPeer } from './rpc-peer.ts';
import { isObject } from './wire-message.ts';

/** Waits for what a call made as a task comes to. A server that answered at once, without a task, is done. */
export async function finishTask(peer: RpcPeer, created: RpcOutcome, options: RequestOptions): Promise<RpcOutcome> {
  const task = created.type === 'result' ? created.result['task'] : undefined;
  const taskId = isObject(task) ? task['taskId'] : undefined;
  if (typeof taskId !== 'string') return created;
  try {
    // Held back until the task is over, and the way on which the server asks for input meanwhile: no need to poll.
    const outcome = await peer.request('tasks/result', { taskId }, options);
    if (outcome.type !== 'failed') return outcome;
    // The tool runs already: whatever became of the session, the call must not be made again.
    return { type: 'failed', failure: { ...outcome.failure, kind: 'unavailable' } };
  } catch (reason) {
    // The caller gave up; whether the server heard of it changes nothing.
    peer.request('tasks/cancel', { taskId }).catch(() => undefined);
    throw reason;
  }
}
