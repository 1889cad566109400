import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { terminalUser } from '../../ask/ask-approval.ts';
import { findApproval } from './find-approval.ts';

/** `pegboard approvals deny`: refuses a call that waits. */
export const approvalsDeny = defineCommand({
  name: 'approvals deny',
  description: 'Says no to a call that waits. The model gets to read the reason.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard approvals list` shows, or its start', required: true }],
  options: {
    ...FILE_OPTION,
    reason: { type: 'string', value: 'TEXT', description: 'Why not, and what to do instead' },
  },
  examples: [['pegboard approvals deny 5f0c2a91 --reason "Not on a Friday."', 'with a word to the model']],
  run: ({ values, positionals: [id = ''], context }) =>
    useBoard(values.file, { context, servers: 'cached' }, async (board) => {
      const approval = await findApproval(board, id);
      const by = terminalUser();
      const answered = await board.approvals.answer(approval.id, { allow: false, reason: values.reason, by });
      return { data: answered, view: `Denied: the call of ${approval.tool} does not run.` };
    }),
});
