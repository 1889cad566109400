import type { ApprovalFilter, ApprovalRecord } from '../../../guard/approval/kept/approval-record.ts';
import { type CommandInput, defineCommand, type FileOptions, valueOption } from '../../../cli/shared/command.ts';
import { hasWaitingChange } from '../../../board/changes/board-changes.ts';
import { findConfig } from '../../../cli/shared/board/find-config.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import type { BoardUse } from '../../../cli/shared/board/use-board.ts';
import { isChangeId, type WaitingChange } from '../../../guard/approval/waiting-change.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { terminalUser } from '../../../cli/shared/ask/ask-approval.ts';
import type { Board } from '../../../board/board.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { revealHidden } from '../../../tool/texts/reveal-hidden.ts';

const STATES = ['waiting', 'allowed', 'denied', 'expired', 'ended', 'spent', 'all'] as const;

export const approvalsList = defineCommand({
  name: 'approvals list',
  description:
    'Lists calls of all processes of the board that wait for approval, oldest first, and changes of its files that wait for a person.',
  options: {
    status: valueOption('WHAT', `One of: ${STATES.join(', ')} (default: waiting)`, { choices: STATES }),
    caller: valueOption('NAME', 'Only calls for this user'),
  },
  examples: [
    ['pegboard approvals list', 'calls that wait'],
    ['pegboard approvals list --status all --json', 'for a program, including recent answers'],
  ],
  board: { mode: 'look' },
  async run({ values, board }) {
    const status = STATES.find((state) => state === (values.status ?? 'waiting'));
    if (status === undefined)
      throw new UsageError(`--status takes one of: ${STATES.join(', ')}; got "${values.status}".`, 'approvals list');
    const filter: ApprovalFilter = { status, caller: values.caller };
    const found = await board.approvals.list(filter);
    const changes = values.caller === undefined ? await listChanges(board, status) : [];
    const none = status === 'waiting' ? 'No call waits for approval.' : 'There are no such approvals.';
    return {
      data: [...found, ...changes],
      view: [...found.map(toRow), ...changes.map(toChangeRow)],
      notes: found.length + changes.length === 0 ? none : [],
    };
  },
});

export const approvalsShow = defineCommand({
  name: 'approvals show',
  description:
    'Shows what a waiting call would do, who made it and who answered, or what a waiting change of the files is. Secrets are hidden.',
  arguments: [
    { name: 'ID', description: 'The id from `pegboard approvals list`, or its first characters', required: true },
  ],
  examples: [['pegboard approvals show 5f0c2a91', 'show one approval']],
  board: { mode: 'look' },
  async run({ positionals: [id = ''], board }) {
    if (isChangeId(id)) {
      const change = await findChange(board, id);
      return { data: change, view: describeChange(change) };
    }
    const approval = await findApproval(board, id);
    return { data: approval, view: describeApproval(approval) };
  },
});

export const approvalsDeny = defineCommand({
  name: 'approvals deny',
  description:
    'Denies a waiting call, or refuses a waiting change of the files. The model of a call can read the reason.',
  arguments: [
    { name: 'ID', description: 'The id from `pegboard approvals list`, or its first characters', required: true },
  ],
  options: {
    reason: valueOption('TEXT', 'Why it is denied, and what to do instead'),
  },
  examples: [['pegboard approvals deny 5f0c2a91 --reason "Not on a Friday."', 'with a reason for the model']],
  board: boardOf,
  async run({ values, positionals: [id = ''], board }) {
    if (isChangeId(id)) {
      const change = await findChange(board, id);
      const refused = await board.changes.answer(change.id, { allow: false, by: terminalUser() });
      return { data: refused, view: 'Refused: the board goes on with the files from before.' };
    }
    const approval = await findApproval(board, id);
    const by = terminalUser();
    const answered = await board.approvals.answer(approval.id, { allow: false, reason: values.reason, by });
    return { data: answered, view: `Denied: the call of ${approval.tool} does not run.` };
  },
});

/** Tells how to open a board to answer: nothing that a change names may run while it waits. */
export function boardOf({
  values: { file },
  context,
}: Pick<CommandInput<FileOptions>, 'values' | 'context'>): BoardUse {
  const { cwd, env } = context;
  const isWaiting = hasWaitingChange({ given: findConfig(file, context), cwd, env });
  return { servers: 'cached', ...(isWaiting ? { mode: 'look' } : {}) };
}

/** Finds the waiting change with this id, or whose id begins with it. */
export async function findChange({ changes }: Pick<Board, 'changes'>, id: string): Promise<WaitingChange> {
  const found = (await changes.list()).find((change) => change.id.startsWith(id));
  if (found !== undefined) return found;
  const message = `There is no waiting change "${id}". The files may have changed since: see pegboard approvals list`;
  throw new ToolError({ code: 'not_found', message });
}

async function listChanges(
  { changes }: Pick<Board, 'changes'>,
  status: (typeof STATES)[number],
): Promise<readonly WaitingChange[]> {
  const wanted = status === 'waiting' ? 'waiting' : status === 'denied' ? 'refused' : undefined;
  return (await changes.list()).filter((change) => status === 'all' || change.status === wanted);
}

function toChangeRow({ id, status, since, changes, by }: WaitingChange): string[] {
  return [toTime(since), id, `files: ${counted(changes.length, 'change')}`, '', status, '', by ?? ''];
}

function describeChange({ id, status, since, changes, by }: WaitingChange): string[] {
  const facts = [
    `change      ${id}`,
    `status      ${status}`,
    `since       ${toTime(since)}`,
    ...(by === undefined ? [] : [`refused by  ${by}`]),
  ];
  return [...facts, '', ...changes];
}

/** Finds the approval with this id, or with the only id that begins with it. Throws when there is none or more than one. */
export async function findApproval({ approvals }: Pick<Board, 'approvals'>, id: string): Promise<ApprovalRecord> {
  const exact = await approvals.get(id);
  if (exact !== undefined) return exact;
  const all = await approvals.list({ status: 'all' });
  const alike = id.length < 4 ? [] : all.filter((approval) => approval.id.startsWith(id));
  const [only] = alike;
  if (only !== undefined && alike.length === 1) return only;
  const message =
    alike.length === 0
      ? `There is no approval "${id}". List waiting calls with: pegboard approvals list`
      : `Several approvals begin with "${id}": ${alike.map((one) => one.id).join(', ')}. Write more characters.`;
  throw new ToolError({ code: 'not_found', message });
}

function toRow({ id, tool, risk, status, by, caller, createdAt, answer }: ApprovalRecord): string[] {
  return [toTime(createdAt), id, tool, risk, status, askedBy({ by, caller }), answer?.by ?? ''];
}

function describeApproval(approval: ApprovalRecord): string[] {
  const { id, status, message, by, caller, key, recordId, createdAt, expiresAt, answer } = approval;
  const said = answer === undefined ? undefined : `${answer.by}, ${toTime(answer.at)}`;
  const facts: [string, string | undefined][] = [
    ['approval', id],
    ['status', status],
    ['tool', `${approval.tool} (${approval.risk})`],
    ['asked by', askedBy({ by, caller })],
    ['asked', toTime(createdAt)],
    [status === 'waiting' ? 'until' : 'was open until', toTime(expiresAt)],
    ['key', key],
    ['call', recordId],
    ['answered by', said],
    ['scope', answer?.allow === true ? answer.scope : undefined],
    ['arguments', answer?.edited === true ? 'changed by the person who answered' : undefined],
    ['reason', answer?.reason],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(width)}  ${value}`]));
  return message === undefined ? lines : [...lines, '', ...message.split('\n')];
}

/** Formats the caller on one line: a login service may accept any name. */
export function askedBy({ by, caller }: Pick<ApprovalRecord, 'by' | 'caller'>): string {
  const name = revealHidden(caller).replaceAll(/\s+/g, ' ');
  return caller === '' ? by : `${by} (${name})`;
}

function toTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
