import { refuse } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';

/** `pegboard code cancel`: ends a program for good. */
export const codeCancel = defineCommand({
  name: 'code cancel',
  description: 'Ends a program for good, also one that another process runs, and takes back its questions.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard code list` shows', required: true }],
  options: { ...FILE_OPTION },
  examples: [['pegboard code cancel report-7', 'one program']],
  run: ({ values, positionals: [id = ''], context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const { cancelProgram } = await import('../../../code/programs.ts');
      const program = await cancelProgram(board, id, { signal: context.signal });
      if (program === undefined)
        return refuse(context, `There is no program "${id}" (any more). pegboard code list shows them.`);
      const { outcome, status } = program;
      const view = `The program "${id}" is ${outcome ?? status}.`;
      return { data: program, view, exitCode: outcome === 'cancelled' ? 0 : 1 };
    }),
});
