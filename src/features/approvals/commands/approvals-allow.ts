import type { Board } from '../../../board/board.ts';
import type { ApprovalRecord, ApprovalScope } from '../../../guard/approval/kept/approval-record.ts';
import { isInsideCall } from '../../../platform/process/trees/process-table.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { askYesOrNo } from '../../../cli/shared/ask/ask-person.ts';
import { terminalUser } from '../../../cli/shared/ask/ask-approval.ts';
import { canAsk, type CliContext, refuse } from '../../../cli/shared/cli-context.ts';
import { type CommandAnswer, defineCommand, flag, valueOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { isChangeId } from '../../../guard/approval/waiting-change.ts';
import { askedBy, boardOf, findApproval, findChange } from './approvals.ts';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMAND = 'approvals allow';

export const approvalsAllow = defineCommand({
  name: COMMAND,
  description:
    'Shows a waiting call, or a waiting change of the files, and asks you to approve it. Needs a terminal, and refuses to run inside a call of the board: an agent must not approve its own calls.',
  arguments: [
    { name: 'ID', description: 'The id from `pegboard approvals list`, or its first characters', required: true },
  ],
  options: {
    session: flag('Also approve further calls of the tool in the same session'),
    always: valueOption(
      'WHAT',
      'Also add a line to the policy: for all calls of the tool, or for these arguments (tool, args)',
      { choices: ['tool', 'args'] },
    ),
    edit: flag('Edit the arguments in your editor (VISUAL, EDITOR) first'),
    args: valueOption('JSON', 'Run the call with these arguments instead'),
  },
  examples: [
    ['pegboard approvals allow 5f0c2a91', 'approve this call once'],
    ['pegboard approvals allow 5f0c2a91 --always args', 'and never ask again about the same call'],
    ['pegboard approvals allow change-5f0c2a91', 'take over a change of the files'],
  ],
  parse({ values, context }) {
    if (isInsideCall(context.env)) {
      const message =
        'This process was started by a call of a board, and such processes cannot answer approvals. Answer at your own terminal, or in the inspector.';
      throw new ToolError({ code: 'permission_denied', message });
    }
    if (!canAsk(context))
      throw new UsageError('Approving needs a terminal. Run the command at one, or answer in the inspector.', COMMAND);
    const scope = readScope(values);
    return { scope };
  },
  board: boardOf,
  async run({ values, positionals: [id = ''], parsed: { scope }, context, board }) {
    if (isChangeId(id)) return acceptChange(id, board, context);
    const approval = await findApproval(board, id);
    const given = values.args === undefined ? undefined : parseArguments(values.args, '--args');
    const edited = values.edit ? parseArguments(await editJson(approval.input ?? {}, context)) : given;
    if (!(await confirm(board, approval, { scope, edited, context })))
      return refuse(context, 'Not answered: the call still waits. Deny it with: pegboard approvals deny');
    const reply = { allow: true, scope, by: terminalUser(), args: edited } as const;
    const answered = await board.approvals.answer(approval.id, reply);
    return { data: answered, view: `Allowed: the call of ${approval.tool} continues.` };
  },
});

/** Shows a waiting change and asks whether the board may take it over. */
async function acceptChange(id: string, board: Board, context: CliContext): Promise<CommandAnswer | number> {
  const change = await findChange(board, id);
  const lines = ['The files of the board were changed:', ...change.changes, 'Take the change over?'];
  if (!(await askYesOrNo(context, { message: lines.join('\n') })))
    return refuse(
      context,
      `Not answered: the change still waits. Refuse it with: pegboard approvals deny ${change.id}`,
    );
  const accepted = await board.changes.answer(change.id, { allow: true, by: terminalUser() });
  return { data: accepted, view: 'Accepted: the board takes the change over.' };
}

function readScope({
  session,
  always,
  edit,
  args,
}: {
  readonly session: boolean;
  readonly always: string | undefined;
  readonly edit: boolean;
  readonly args: string | undefined;
}): ApprovalScope {
  if (always !== undefined && always !== 'tool' && always !== 'args')
    throw new UsageError(`--always takes tool or args; got "${always}".`, COMMAND);
  if (session && always !== undefined) throw new UsageError('Choose one: --session or --always.', COMMAND);
  if (edit && args !== undefined) throw new UsageError('Choose one: --edit or --args.', COMMAND);
  if ((edit || args !== undefined) && (session || always !== undefined))
    throw new UsageError('Changed arguments are allowed once. Omit --session and --always.', COMMAND);
  if (session) return 'session';
  return always === undefined ? 'once' : always === 'tool' ? 'tool' : 'arguments';
}

interface Confirmation {
  readonly scope: ApprovalScope;
  readonly edited: Readonly<Record<string, unknown>> | undefined;
  readonly context: CliContext;
}

/** Shows the whole question and every effect of the approval, then asks. */
async function confirm(
  board: Board,
  approval: ApprovalRecord,
  { scope, edited, context }: Confirmation,
): Promise<boolean> {
  const { id, tool, risk, by, caller, message } = approval;
  // If it was answered already, answering fails with an error that names the person.
  if (approval.status !== 'waiting') return true;
  const { approvalMessage } = await import('../../../guard/approval/approval-message.ts');
  const input = edited ?? approval.input ?? {};
  const asked = { tool, risk, input, declared: approval.declared, template: approval.template };
  const question = edited === undefined ? (message ?? '') : approvalMessage(asked, Infinity);
  const lines = [`${askedBy({ by, caller })} asks:`, question];
  if (scope === 'session')
    lines.push(`Further calls of ${tool} in the same session, up to the risk ${risk}, would run without a question.`);
  if (scope === 'tool' || scope === 'arguments') {
    const { files, text } = await board.approvals.policyLine(id, scope);
    lines.push(`This would be written under policy.approved of ${files.join(', ')}:`, text);
  }
  return askYesOrNo(context, { message: [...lines, `Allow this call of ${tool} (${risk})?`].join('\n') });
}

function parseArguments(text: string, from = 'The edited text'): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${from} is not JSON: ${messageOf(error)}.`, COMMAND);
  }
  if (!isPlainObject(value)) throw new UsageError(`${from} must be a JSON object: the arguments of the call.`, COMMAND);
  return value;
}

/** Lets the person edit data in their editor, in a file that only they can read. Returns the edited text. */
async function editJson(data: unknown, { env, cwd }: CliContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-edit-'));
  try {
    const file = join(folder, 'arguments.json');
    writeFileSync(file, `${JSON.stringify(data, undefined, 2)}\n`, { mode: 0o600 });
    // The variable may contain options: `code --wait`.
    const [program = 'vi', ...args] = (env['VISUAL'] || env['EDITOR'] || 'vi').split(/\s+/);
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(program, [...args, file], { stdio: 'inherit', cwd });
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (code === 0) return readFileSync(file, 'utf8');
    const message = `The editor "${program}" ended with ${code ?? 'a signal'}, so nothing was answered. Set EDITOR, or use --args.`;
    throw new ToolError({ code: 'execution_failed', message });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
