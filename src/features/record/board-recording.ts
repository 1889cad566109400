import type { ApprovalRow } from '../../guard/approval/kept/approval-record.ts';
import { hidePasswords } from '../../guard/secrets/secret-names.ts';
import type { FeatureHost } from '../../load/features/feature.ts';
import type { CallRecorder } from '../../pipeline/call-recorder.ts';
import { toAuditKey } from './audit/audit-chain.ts';
import type { AuditSettings } from './audit/audit-settings.ts';
import type { AuditSink } from './audit/audit-sink.ts';
import { type BoardAudit, openBoardAudit } from './audit/board-audit.ts';
import { type BoardCalls, openBoardCalls } from './board-calls.ts';
import { CallJournal } from './call-journal.ts';
import type { RecordSettings } from './record-settings.ts';
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
