import { printJson, printLine } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { alignColumns } from '../../print/columns.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { readCallTree } from './call-tree.ts';
import { describeCall } from './print-calls.ts';

/** `pegboard calls show`: one call, with where its time went. */
export const callsShow = defineCommand({
  name: 'calls show',
  description:
    'Shows everything that is recorded of a call, where its time went, and the calls that were made inside of it.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard calls` lists', required: true }],
  options: { ...FILE_OPTION },
  examples: [['pegboard calls show 5f0c2a91d3-4', 'one call']],
  run: ({ values, positionals: [id = ''], json, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const call = await board.calls.get(id);
      if (call === undefined) {
        printLine(context.stderr, `There is no record of a call "${id}". pegboard calls lists them.`);
        return 1;
      }
      const tree = await readCallTree(board.calls, call);
      // Its caller was not told: it must not learn of tools that it does not reach.
      const denied = call.outcome === 'not_found' ? board.registry.absent?.denial(call.tool) : undefined;
      const explained = await Promise.all(board.features.map(async ({ explain }) => (await explain?.(id)) ?? []));
      const features = Object.fromEntries(explained.flat());
      if (json)
        printJson(context, {
          ...tree,
          ...(explained.flat().length === 0 ? {} : { features }),
          ...(denied === undefined ? {} : { denied }),
        });
      else {
        for (const line of describeCall(tree, context)) printLine(context.stdout, line);
        for (const line of alignColumns(explained.flat(), context.stdout.columns)) printLine(context.stdout, line);
        if (denied !== undefined) printLine(context.stdout, `The tool is not on the board: ${denied}.`);
      }
      return 0;
    }),
});
