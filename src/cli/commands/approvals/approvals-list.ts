import type { ApprovalFilter } from '../../../guard/approval/kept/board-approvals.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';
import { toRow } from './print-approvals.ts';

const STATES = ['waiting', 'allowed', 'denied', 'expired', 'ended', 'spent', 'all'] as const;

/** `pegboard approvals list`: calls that wait for an approval. */
export const approvalsList = defineCommand({
  name: 'approvals list',
  description: 'Lists calls that wait for a yes, the oldest first, made by any process of the board.',
  options: {
    ...FILE_OPTION,
    status: {
      type: 'string',
      value: 'WHAT',
      choices: STATES,
      description: `One of: ${STATES.join(', ')} (default: waiting)`,
    },
    caller: { type: 'string', value: 'NAME', description: 'Only calls for this user' },
  },
  examples: [
    ['pegboard approvals list', 'what waits'],
    ['pegboard approvals list --status all --json', 'for a program, with what was answered lately'],
  ],
  run: ({ values, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const status = STATES.find((state) => state === (values.status ?? 'waiting'));
      if (status === undefined)
        throw new UsageError(`--status takes one of: ${STATES.join(', ')}; got "${values.status}".`, 'approvals list');
      const filter: ApprovalFilter = { status, caller: values.caller };
      const found = await board.approvals.list(filter);
      const none = status === 'waiting' ? 'Nothing waits.' : 'There is no such approval.';
      return { data: found, view: found.map(toRow), notes: found.length === 0 ? none : [] };
    }),
});
