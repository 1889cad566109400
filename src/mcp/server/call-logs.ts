import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { formatNotification } from '../protocol/json-rpc.ts';
import { isWanted, type LogLevel, toLogLevel } from './log-level.ts';
import type { RequestScope } from './request-scope.ts';

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
        const shown = toLogLevel(level);
        if (sink === undefined || !isWanted(shown, sink.least)) return;
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
