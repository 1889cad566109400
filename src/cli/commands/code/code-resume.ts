import { withClient } from '../../../tool/calls/call-owner.ts';
import { createApproval } from '../../ask/ask-approval.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { describeResult } from './describe-result.ts';

export const codeResume = defineCommand({
  name: 'code resume',
  description:
    'Resumes a program of the board user that waited for approval or whose process was killed. Completed calls are not repeated. Prints the returned value.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard code list`', required: true }],
  options: {
    ...FILE_OPTION,
    pause: { type: 'boolean', description: 'Stop when calls wait for approval' },
    yes: { type: 'boolean', short: 'y', description: 'Approve its calls if the policy asks' },
    quiet: { type: 'boolean', short: 'q', description: 'Do not show its calls' },
  },
  examples: [['pegboard code resume report-7', 'after its calls were approved']],
  async run({ values, positionals: [id = ''], context }) {
    const { resumeCode } = await import('../../../code/run-code.ts');
    const options = { context, servers: 'cached', approve: createApproval(context, values.yes) } as const;
    return useBoard(values.file, options, async (board) => {
      const result = await resumeCode(board, id, {
        signal: context.signal,
        context: withClient({}, { user: '', session: '', via: 'terminal' }),
        pause: values.pause,
      });
      return describeResult(result, { name: id, isQuiet: values.quiet });
    });
  },
});
