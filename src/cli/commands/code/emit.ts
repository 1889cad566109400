import { readingWith, redactorOf, useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT, WAIT_OPTION } from '../../command-line/command.ts';

export const emit = defineCommand({
  name: 'emit',
  description: 'Prints a TypeScript module with a typed function for each tool, for code that calls the board.',
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION, ...WAIT_OPTION },
  examples: [['pegboard emit > tools.ts', 'then: const tools = createTools(board)']],
  run: ({ values, positionals, context }) =>
    useBoard([...positionals, ...values.file], readingWith(values.wait, context), async (board) => {
      const { writeClient } = await import('../../../code/types/write-declarations.ts');
      const text = redactorOf(board).text(await writeClient(board));
      return { data: { module: text }, view: { text } };
    }),
});
