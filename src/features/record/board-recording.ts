import type { ApprovalRow } from '../../guard/approval/kept/approval-record.ts';
import { hidePasswords } from '../../guard/secrets/secret-names.ts';
import type { FeatureHost } from '../../load/features/feature.ts';
import type { CallRecorder } from '../../pipeline/call-recorder.ts';
import type { BoardStore, StoredLine } from '../../platform/store/board-store.ts';
import { toAuditKey } from './audit/audit-chain.ts';
import type { AuditSink } from './audit/audit-sink.ts';
import { type AuditReport, type SinkPoint, verifyAudit } from './audit/verify-audit.ts';
import { type BoardCalls, openBoardCalls } from './board-calls.ts';
import { CallJournal } from './call-journal.ts';
import type { AuditSettings, RecordSettings } from './record-settings.ts';
import { removeCaller } from './remove-lines.ts';

/** The settings of the record and of its seals. */
export interface RecordingSettings {
  readonly record: RecordSettings;
  readonly audit: AuditSettings;
}

/** Writes, shows and seals the record of a board's calls. Each process has its own, because a chain of seals is never continued. */
export class BoardRecording {
  readonly calls: BoardCalls;
  readonly audit: BoardAudit;
  readonly #journal: CallJournal;
  #sink: { readonly by: string; readonly opened: Promise<AuditSink> } | undefined;
  /** Applies from the next line on. */
  settings: RecordingSettings;

  constructor(settings: RecordingSettings, host: Pick<FeatureHost, 'store' | 'storeKey' | 'redact'>) {
    this.settings = settings;
    const key = async (): Promise<Buffer> => toAuditKey(await host.storeKey());
    const store = (): FeatureHost['store'] => host.store;
    const warn = (message: string): void => process.emitWarning(message, 'PegboardRecordWarning');
    const journal = new CallJournal({
      store,
      settings: () => this.settings.record,
      audit: () => this.settings.audit,
      auditKey: key,
      sink: () => this.#openSink(warn),
      redact: (value, tool) => host.redact(typeof tool === 'string' ? value : hidePasswords(value, tool.inputSchema)),
      warn,
    });
    this.#journal = journal;
    const flush = (): Promise<void> => journal.flush();
    this.calls = openBoardCalls(store, { flush, forget: (caller) => removeCaller(store(), caller, key) });
    this.audit = openBoardAudit({ store, key, flush });
  }

  get recorder(): CallRecorder {
    return this.#journal;
  }

  /** Records the answer to a question in the process that received it. If the store fails, the line is lost, not the answer. */
  readonly recordAnswer = async ({ id, recordId, tool, caller, answer }: ApprovalRow): Promise<void> => {
    if (recordId === undefined || answer === undefined) return;
    const { allow, by, at, scope, reason, edited } = answer;
    const body = JSON.stringify({ approval: id, allow, by, reason, scope, edited });
    const line = { at, type: 'answered', call: recordId, tool, caller, body };
    await this.#journal.writeNow(line).catch(() => undefined);
  };

  close(): Promise<void> {
    return this.#journal.close();
  }

  /** Opens the sink that the settings name now, and closes the previous one. */
  async #openSink(warn: (message: string) => void): Promise<AuditSink | undefined> {
    const place = this.settings.audit.sink;
    const by = JSON.stringify(place);
    if (this.#sink !== undefined && this.#sink.by === by) return this.#sink.opened;
    const before = this.#sink?.opened;
    this.#sink =
      place === undefined
        ? undefined
        : { by, opened: import('./audit/audit-sink.ts').then(({ openSink }) => openSink(place, warn)) };
    await (await before)?.close();
    return this.#sink?.opened;
  }
}

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
function openBoardAudit({ store, key, flush }: AuditOptions): BoardAudit {
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
