import type { BoardStore, StoredLine } from '../../../platform/store/board-store.ts';
import { type AuditReport, type SinkPoint, verifyAudit } from './verify-audit.ts';

/** Selects the lines to export. */
export interface AuditQuery {
  /** From this time on, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** The audit of a board: the sealed lines of all its processes. */
export interface BoardAudit {
  /** Checks that no line was changed, removed, moved or added. `heads` returns the points that a sink has. */
  verify(options?: { readonly heads?: () => AsyncIterable<SinkPoint> | Iterable<SinkPoint> }): Promise<AuditReport>;
  /** Yields the lines, the oldest first. */
  lines(query?: AuditQuery): AsyncGenerator<StoredLine, void>;
}

const PAGE = 1_000;

/** The parts of a board that the audit uses. */
interface AuditOptions {
  readonly store: () => BoardStore;
  readonly key: () => Promise<Buffer>;
  readonly flush: () => Promise<void>;
}

/** Opens the audit in a board's store. */
export function openBoardAudit({ store, key, flush }: AuditOptions): BoardAudit {
  return {
    async verify({ heads } = {}) {
      await flush();
      return verifyAudit(store(), { key: await key(), heads });
    },
    async *lines({ since, until } = {}) {
      await flush();
      let after = 0;
      for (;;) {
        const lines = await store().journal.read({ since, until, after, order: 'oldest', limit: PAGE });
        yield* lines;
        const last = lines.at(-1);
        if (last === undefined || lines.length < PAGE) return;
        after = last.number;
      }
    },
  };
}
