import type { ApprovalRow, BoardApprovals } from '../../guard/approval/kept/approval-record.ts';
import type { BoardKeeper } from '../../guard/approval/kept/create-keeper.ts';
import type { FeatureHost } from '../../load/features/feature.ts';
import { FairSlots } from '../../platform/fair-slots.ts';
import type { ApprovalKeeper, ApprovalNotify, Approve } from '../../tool/calls/approval.ts';
import { clientOf } from '../../tool/calls/call-owner.ts';
import type { Tool } from '../../tool/tool.ts';

/** The parts of a board that its questions use. */
export interface ApprovalBoard {
  readonly host: FeatureHost;
  /** Writes an answer to the board's record. Never rejects. */
  readonly recordAnswer: (row: ApprovalRow) => Promise<void>;
}

interface LoadedApprovals {
  readonly keeper: BoardKeeper;
  readonly approvals: BoardApprovals;
}

/** The questions of a board, loaded when the first one is asked or listed: most calls need none. */
export class LateApprovals implements ApprovalKeeper, BoardApprovals {
  /** The board with its current settings. */
  board: ApprovalBoard;
  #loaded: Promise<LoadedApprovals> | undefined;

  constructor(board: ApprovalBoard) {
    this.board = board;
  }

  get approve(): Approve | undefined {
    return this.board.host.options.approve;
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
    return (this.#loaded ??= load(() => this.board));
  }
}

async function load(current: () => ApprovalBoard): Promise<LoadedApprovals> {
  const [{ ApprovalRows }, { createKeeper }, { openBoardApprovals }, { openPolicyLines }] = await Promise.all([
    import('../../guard/approval/kept/approval-rows.ts'),
    import('../../guard/approval/kept/create-keeper.ts'),
    import('./open-approvals.ts'),
    import('./policy-lines.ts'),
  ]);
  const host = (): FeatureHost => current().host;
  const findTool = (name: string): Tool | undefined => host().board().registry.get(name);
  const notify = createNotifier(host);
  const rows = new ApprovalRows(() => host().sealedStore());
  const keeper = createKeeper({
    rows,
    keepsAll: () => host().isKept,
    definitionOf: (tool) => host().board().list.definitionOf(tool),
    notify: (row, { terms, request }) => {
      host().emit('approval-waits', { id: row.id, tool: row.tool, client: clientOf(request.context) });
      if (terms.notify !== undefined) void notify(row, terms.notify);
    },
    policyChanged: () => host().board().reload(),
  });
  const lines = openPolicyLines({ files: () => host().board().files, findTool, env: host().env, cwd: host().cwd });
  const note = (row: ApprovalRow): Promise<void> => current().recordAnswer(row);
  const consent = (line: unknown): Promise<void> => host().consent('approved', line);
  return { keeper, approvals: openBoardApprovals({ rows, lines, findTool, note, consent }) };
}

/** Maximum simultaneous notifications: a client that makes many calls must not start as many programs. */
const MOST_AT_ONCE = 4;
/** Maximum waiting notifications. */
const MOST_WAITING = 1_000;

/** Creates the function that notifies a command or an address of questions, a few at a time. */
function createNotifier(host: () => FeatureHost): (row: ApprovalRow, notify: ApprovalNotify) => Promise<void> {
  const slots = new FairSlots({ limit: MOST_AT_ONCE, queue: MOST_WAITING });
  const fail = (id: string, fault: string): void =>
    host().emit('notify-failed', { id, message: String(host().redact(fault)) });
  return async (row, notify) => {
    const { env, closed, workingFolder: cwd } = host();
    const { notifyWaiting } = await import('./notify-waiting.ts');
    const slot = slots.take(row.caller);
    // The question keeps waiting and is still listed.
    if (slot === undefined) return fail(row.id, 'too many notifications are pending');
    try {
      await slot.granted;
      if (closed.aborted) return;
      for (const fault of await notifyWaiting(row, notify, { env, closed, cwd })) fail(row.id, fault);
    } finally {
      slot.leave();
    }
  };
}
