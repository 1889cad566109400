import type { OfferLog } from '../../tool/offers.ts';
import { restrictingSources } from '../../tool/tool-names.ts';
import { formatNotification } from '../protocol/json-rpc.ts';
import type { Connection } from './connection.ts';
import { LOG_LEVELS, parseLogLevel } from './log-level.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** Lines of one server that are told in a second. */
const MOST = 50;
const LONGEST = 10_000;
const SECOND = 1_000;

/**
 * Tells clients what other servers log outside of calls: those with a session that want such lines, reach a tool of the server, and
 * whose own process of it wrote the line.
 */
export class ServerLogs {
  readonly #subscriptions: Subscriptions;
  readonly #catalog: ToolCatalog;
  /** Number of lines of each server in the second that began at `since`. */
  readonly #told = new Map<string, { since: number; count: number }>();

  constructor(subscriptions: Subscriptions, catalog: ToolCatalog) {
    this.#subscriptions = subscriptions;
    this.#catalog = catalog;
  }

  tell(line: OfferLog): void {
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
    const known = this.#told.get(server);
    const current = known !== undefined && now - known.since < SECOND ? known : { since: now, count: 0 };
    this.#told.set(server, current);
    return ++current.count > MOST;
  }
}
