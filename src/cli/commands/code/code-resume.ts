import { withClient } from '../../../tool/calls/call-owner.ts';
import { createApproval } from '../../ask/ask-approval.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { describeResult } from './describe-result.ts';

export const codeResume = defineCommand({
  name: 'code resume',
  description:
    'Goes on with a program of the user of the board that waited for a yes or whose process was killed. What it did is not done again. Prints what it returns.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard code list` shows', required: true }],
  options: {
    ...FILE_OPTION,
    pause: { type: 'boolean', description: 'Stop while calls wait for a yes' },
    yes: { type: 'boolean', short: 'y', description: 'Approve its calls where the policy asks' },
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
