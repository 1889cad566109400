import { printJson, printLine } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';

/** `pegboard runs cancel`: ends a run for good. */
export const runsCancel = defineCommand({
  name: 'runs cancel',
  description: 'Ends a run for good, also one that another process works on, and deletes its messages and arguments.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard runs list` shows', required: true }],
  options: { ...FILE_OPTION },
  examples: [['pegboard runs cancel order-17', 'one run']],
  run: ({ values, positionals: [id = ''], json, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const run = await board.runs.cancel(id, { signal: context.signal });
      if (run === undefined) {
        printLine(context.stderr, `There is no run "${id}" (any more). pegboard runs list shows them.`);
        return 1;
      }
      if (json) printJson(context, run);
      else printLine(context.stdout, `The run "${id}" is ${run.status}.`);
      return run.status === 'cancelled' ? 0 : 1;
    }),
});
