import { printJson, printLine } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';

/** `pegboard calls forget`: deletes what is recorded of one caller. */
export const callsForget = defineCommand({
  name: 'calls forget',
  description:
    'Deletes the record of one caller, and nothing else. Where the record is sealed, a signed note says that lines were there.',
  options: {
    ...FILE_OPTION,
    caller: { type: 'string', value: 'NAME', description: 'The user, as `pegboard calls` shows it in brackets' },
  },
  examples: [['pegboard calls forget --caller ada', 'when someone asks for it']],
  run: ({ values: { file, caller }, json, context }) => {
    if (caller === undefined || caller === '') throw new UsageError('Name whose: --caller NAME.', 'calls forget');
    return useBoard(file, { context, servers: 'cached' }, async (board) => {
      const lines = await board.calls.forget(caller);
      if (json) printJson(context, { caller, lines });
      else printLine(context.stdout, `Deleted ${lines} ${lines === 1 ? 'line' : 'lines'} of "${caller}".`);
      return 0;
    });
  },
});
