import { refuse } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';

/** `pegboard runs cancel`: ends a run for good. */
export const runsCancel = defineCommand({
  name: 'runs cancel',
  description: 'Ends a run for good, also one that another process works on, and deletes its messages and arguments.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard runs list` shows', required: true }],
  options: { ...FILE_OPTION },
  examples: [['pegboard runs cancel order-17', 'one run']],
  run: ({ values, positionals: [id = ''], context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const run = await board.runs.cancel(id, { signal: context.signal });
      if (run === undefined)
        return refuse(context, `There is no run "${id}" (any more). pegboard runs list shows them.`);
      const view = `The run "${id}" is ${run.status}.`;
      return { data: run, view, exitCode: run.status === 'cancelled' ? 0 : 1 };
    }),
});
