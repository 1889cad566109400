import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { formatNotification } from '../protocol/json-rpc.ts';
import { LOG_LEVELS, type LogLevel } from './log-level.ts';
import type { RequestScope } from './request-scope.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';

interface Sink {
  readonly scope: RequestScope;
  readonly least: LogLevel;
}

const prefix = `mcp_${Math.random().toString(36).slice(2, 8)}_`;
let count = 0;

/** Brings the log lines of calls to the clients that made them. */
export class CallLogs {
  readonly #sinks = new Map<string, Sink>();
  readonly #stop: readonly (() => void)[];

  constructor({ executor }: ToolRegistry) {
    this.#stop = [
      executor.on('call:log', ({ callId, tool, level, message, data }) => {
        const sink = this.#sinks.get(callId);
        const shown = level === 'warn' ? 'warning' : level;
        if (sink === undefined || LOG_LEVELS.indexOf(shown) < LOG_LEVELS.indexOf(sink.least)) return;
        const content = data === undefined ? message : { message, ...data };
        sink.scope.send(formatNotification('notifications/message', { level: shown, logger: tool, data: content }));
      }),
      executor.on('call:finished', ({ callId }) => this.#sinks.delete(callId)),
    ];
  }

  /** Starts to listen for a call, and gives the id to make it with. */
  open(scope: RequestScope, least: LogLevel): string {
    const callId = prefix + ++count;
    this.#sinks.set(callId, { scope, least });
    return callId;
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }
}

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
    scope.send(formatNotification('notifications/progress', { progressToken, progress: done, total, message }));
  };
}
