import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { findApproval } from './find-approval.ts';
import { describeApproval } from './print-approvals.ts';

/** `pegboard approvals show`: one question and its answer. */
export const approvalsShow = defineCommand({
  name: 'approvals show',
  description: 'Shows what a call that waits would do, who made it, and who answered. Secrets are left out.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard approvals list` shows, or its start', required: true }],
  options: { ...FILE_OPTION },
  examples: [['pegboard approvals show 5f0c2a91', 'one of them']],
  run: ({ values, positionals: [id = ''], context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const approval = await findApproval(board, id);
      return { data: approval, view: describeApproval(approval) };
    }),
});
