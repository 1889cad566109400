import { formatNotification } from '../protocol/json-rpc.ts';
import { LOG_LEVELS, parseLogLevel } from '../protocol/mcp-names.ts';
import type { Connection } from './connection.ts';
import type { RequestScope } from './request-scope.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ToolCatalog } from './tool-catalog.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import type { OfferLog } from '../../tool/offers.ts';
import { restrictingSources } from '../../tool/tool-names.ts';

/** Forwards a call's log lines from the level that the client wants. */
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

/** Forwards a call's progress if the client wants it: only increasing, and not more often than it can be read. */
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

/** Log lines of one server in a second. */
const MOST = 50;
const LONGEST = 10_000;
const SECOND = 1_000;

/**
 * Sends clients the log lines of other servers outside of calls: clients with a session that want such lines, can use a tool of the
 * server, and share the process that wrote the line.
 */
export class ServerLogs {
  readonly #subscriptions: Subscriptions;
  readonly #catalog: ToolCatalog;
  /** The lines of each server in the second that began at `since`. */
  readonly #sent = new Map<string, { since: number; count: number }>();

  constructor(subscriptions: Subscriptions, catalog: ToolCatalog) {
    this.#subscriptions = subscriptions;
    this.#catalog = catalog;
  }

  forward(line: OfferLog): void {
    const level = parseLogLevel(line.level) ?? 'info';
    let text: string | undefined;
    for (const connection of this.#subscriptions.connections) {
      const { logLevel } = connection;
      if (logLevel === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) continue;
      if (!this.#isFor(connection, line)) continue;
      if (text === undefined && this.#isFlooding(line.server)) return;
      const data = line.text.length > LONGEST ? `${line.text.slice(0, LONGEST)}…` : line.text;
      text ??= formatNotification('notifications/message', { level, logger: line.server, data });
      (connection.notify ?? connection.forward)?.(text);
    }
  }

  #isFor({ caller, sessionId }: Connection, line: OfferLog): boolean {
    const { id, user = id, access } = caller;
    if (!line.isFor({ user, session: sessionId })) return false;
    const { registry } = this.#catalog.view(access);
    return registry.getAll().some((tool) => restrictingSources(tool).includes(line.server));
  }

  #isFlooding(server: string): boolean {
    const now = performance.now();
    const known = this.#sent.get(server);
    const current = known !== undefined && now - known.since < SECOND ? known : { since: now, count: 0 };
    this.#sent.set(server, current);
    return ++current.count > MOST;
  }
}
