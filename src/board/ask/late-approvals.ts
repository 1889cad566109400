import type { ApprovalRow, BoardApprovals } from '../../guard/approval/kept/approval-record.ts';
import type { BoardKeeper } from '../../guard/approval/kept/create-keeper.ts';
import { workingFolder } from '../../load/data-folder.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { KeyedStore } from '../../platform/store/sealed-space.ts';
import { FairSlots } from '../../platform/fair-slots.ts';
import type { ApprovalKeeper, ApprovalNotify, Approve } from '../../tool/calls/approval.ts';
import type { Tool } from '../../tool/tool.ts';
import { type DefinitionPlaces, describeDefinition } from './tool-definition.ts';

/** The parts of a board that its questions use. */
interface LateApprovalOptions {
  /** Asks whoever the board asks directly. */
  readonly approve: Approve | undefined;
  readonly store: () => KeyedStore;
  /** Returns true when the board has a place of its own for data: files, or a place that its caller names. */
  readonly keepsAll: () => boolean;
  readonly files: () => readonly LoadedFile[];
  readonly findTool: (name: string) => Tool | undefined;
  /** The places of tool definitions. */
  readonly definition: DefinitionPlaces;
  readonly reload: () => Promise<unknown>;
  /** Writes an answer into the board's record. Never rejects. */
  readonly note: (row: ApprovalRow) => Promise<void>;
  /** Hears of a question that now waits. */
  readonly waits: (row: ApprovalRow) => void;
  /** Hears why a command or an address could not be told of a question. */
  readonly notifyFailed: (approvalId: string, message: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly closed: AbortSignal;
}

interface LoadedApprovals {
  readonly keeper: BoardKeeper;
  readonly approvals: BoardApprovals;
}

/** The questions of a board, loaded when the first one is asked or looked at: most calls need none. */
export class LateApprovals implements ApprovalKeeper, BoardApprovals {
  readonly #options: LateApprovalOptions;
  #loaded: Promise<LoadedApprovals> | undefined;

  constructor(options: LateApprovalOptions) {
    this.#options = options;
  }

  get approve(): Approve | undefined {
    return this.#options.approve;
  }

  ask: ApprovalKeeper['ask'] = async (question) => (await this.#load()).keeper.ask(question);
  list: BoardApprovals['list'] = async (filter) => (await this.#load()).approvals.list(filter);
  get: BoardApprovals['get'] = async (id) => (await this.#load()).approvals.get(id);
  answer: BoardApprovals['answer'] = async (id, reply) => (await this.#load()).approvals.answer(id, reply);
  policyLine: BoardApprovals['policyLine'] = async (id, scope) => (await this.#load()).approvals.policyLine(id, scope);
  withdraw: BoardApprovals['withdraw'] = async (id) => (await this.#load()).approvals.withdraw(id);

  async *follow(signal?: AbortSignal): ReturnType<BoardApprovals['follow']> {
    yield* (await this.#load()).approvals.follow(signal);
  }

  /** Ends the wait of every call. */
  async close(): Promise<void> {
    await (await this.#loaded)?.keeper.close();
  }

  #load(): Promise<LoadedApprovals> {
    return (this.#loaded ??= load(this.#options));
  }
}

async function load(options: LateApprovalOptions): Promise<LoadedApprovals> {
  const [{ ApprovalRows }, { createKeeper }, { openBoardApprovals }, { openPolicyLines }] = await Promise.all([
    import('../../guard/approval/kept/approval-rows.ts'),
    import('../../guard/approval/kept/create-keeper.ts'),
    import('./open-approvals.ts'),
    import('./policy-lines.ts'),
  ]);
  const { findTool, note } = options;
  const tell = createTeller(options);
  const rows = new ApprovalRows(options.store);
  const keeper = createKeeper({
    rows,
    keepsAll: options.keepsAll,
    definitionOf: (tool) => describeDefinition(tool, options.definition),
    notify: (row, { terms: { notify } }) => {
      options.waits(row);
      if (notify !== undefined) void tell(row, notify);
    },
    policyChanged: options.reload,
  });
  return { keeper, approvals: openBoardApprovals({ rows, lines: openPolicyLines(options), findTool, note }) };
}

/** Questions that are told of at once: a client that makes many calls must not start as many programs. */
const MOST_AT_ONCE = 4;
/** Questions that wait to be told of. */
const MOST_TOLD_LATER = 1_000;

/** Makes what tells a command or an address of questions, a few at a time. */
function createTeller(options: LateApprovalOptions): (row: ApprovalRow, notify: ApprovalNotify) => Promise<void> {
  const slots = new FairSlots({ limit: MOST_AT_ONCE, queue: MOST_TOLD_LATER });
  return async (row, notify) => {
    const cwd = workingFolder(options.files(), options);
    const { notifyWaiting } = await import('./notify-waiting.ts');
    const slot = slots.take(row.caller);
    // The question waits all the same, and is among those that are listed.
    if (slot === undefined) return options.notifyFailed(row.id, 'too many are being told of');
    try {
      await slot.granted;
      if (options.closed.aborted) return;
      for (const fault of await notifyWaiting(row, notify, { ...options, cwd })) options.notifyFailed(row.id, fault);
    } finally {
      slot.leave();
    }
  };
}
