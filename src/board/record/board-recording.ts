import type { ApprovalRow } from '../../guard/approval/kept/approval-record.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { BegunCall, CallRecorder } from '../../pipeline/call-recorder.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { toAuditKey } from '../audit/audit-chain.ts';
import { type AuditSettings, readAuditSettings } from '../audit/audit-settings.ts';
import type { AuditSink } from '../audit/audit-sink.ts';
import { type BoardAudit, openBoardAudit } from '../audit/board-audit.ts';
import { type BoardCalls, openBoardCalls } from './board-calls.ts';
import { CallJournal } from './call-journal.ts';
import { readRecordSettings, type RecordSettings } from './record-settings.ts';
import { removeCaller } from './remove-lines.ts';

/** What the record needs of its board. */
interface RecordingHost {
  readonly store: () => BoardStore;
  /** The key of the store, from which the audit's is made. */
  readonly storeKey: () => Promise<Buffer>;
  readonly redact: (value: unknown, tool: BegunCall['tool']) => unknown;
}

/** The files of a board, and the folder that their paths start from. */
interface ReadFiles {
  readonly files: readonly LoadedFile[];
  readonly cwd: string;
}

/** All that a board does with the record of its calls: writes it, shows it, seals it. */
export class BoardRecording {
  readonly calls: BoardCalls;
  readonly audit: BoardAudit;
  readonly #journal: CallJournal;
  #settings: RecordSettings;
  #auditSettings: AuditSettings;
  #sink: { readonly by: string; readonly opened: Promise<AuditSink> } | undefined;

  constructor({ files, cwd }: ReadFiles, { store, storeKey, redact }: RecordingHost) {
    this.#settings = readRecordSettings(files);
    this.#auditSettings = readAuditSettings(files, cwd);
    const key = async (): Promise<Buffer> => toAuditKey(await storeKey());
    const warn = (message: string): void => process.emitWarning(message, 'PegboardRecordWarning');
    const journal = new CallJournal({
      store,
      settings: () => this.#settings,
      audit: () => this.#auditSettings,
      auditKey: key,
      sink: () => this.#openSink(warn),
      redact,
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

  /** Does from now on what these files say. */
  follow({ files, cwd }: ReadFiles): void {
    this.#settings = readRecordSettings(files);
    this.#auditSettings = readAuditSettings(files, cwd);
  }

  /** Writes the answer to a question, in the process that gave it. A store that fails loses the line, not the answer. */
  async noteAnswer({ id, recordId, tool, caller, answer }: ApprovalRow): Promise<void> {
    if (recordId === undefined || answer === undefined) return;
    const { allow, by, at, scope, reason, edited } = answer;
    const body = JSON.stringify({ approval: id, allow, by, reason, scope, edited });
    const line = { at, type: 'answered', call: recordId, tool, caller, body };
    await this.#journal.writeNow(line).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  /** The sink that the files name now; the one before it is closed. */
  async #openSink(warn: (message: string) => void): Promise<AuditSink | undefined> {
    const place = this.#auditSettings.sink;
    const by = JSON.stringify(place);
    if (this.#sink !== undefined && this.#sink.by === by) return this.#sink.opened;
    const before = this.#sink?.opened;
    this.#sink =
      place === undefined
        ? undefined
        : { by, opened: import('../audit/audit-sink.ts').then(({ openSink }) => openSink(place, warn)) };
    await (await before)?.close();
    return this.#sink?.opened;
  }
}
