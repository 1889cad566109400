import { nearestNames } from '../../../tool/texts/suggest.ts';
import type { Board } from '../../../board/board.ts';
import { type CliContext, printJson, printLine, printText } from '../../cli-context.ts';
import { readingWith, redactorOf, useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION, WAIT_OPTION } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';

/** `pegboard types`: what programs find, as declarations; and what was learned of results. */
export const types = defineCommand({
  name: 'types',
  description:
    'Prints the types of all that programs of run_code find, for editors. Where a tool does not say what it gives, the type is what was seen of its results: --learned shows that, --forget takes it back.',
  arguments: [{ name: 'TOOLS', description: 'With --learned and --forget: only these tools', multiple: true }],
  options: {
    ...FILE_OPTION,
    ...WAIT_OPTION,
    learned: { type: 'boolean', description: 'Show what was learned of results: names and types, never values' },
    forget: { type: 'boolean', description: 'Forget what was learned of the named tools, or of all' },
  },
  examples: [
    ['pegboard types > tools.d.ts', 'for an editor'],
    ['pegboard types --learned list_orders', 'what was seen of the results of one tool'],
    ['pegboard types --forget list_orders', 'start over for one tool'],
  ],
  run: async ({ values, positionals, json, context }) => {
    if (positionals.length > 0 && !values.learned && !values.forget)
      throw new UsageError('Names of tools go with --learned or --forget.', 'types');
    return useBoard(values.file, readingWith(values.wait, context), async (board) => {
      if (values.learned || values.forget)
        return showLearned(board, { tools: positionals, isForgotten: values.forget, json, context });
      const { writeDeclarations } = await import('../../../code/types/write-declarations.ts');
      const text = redactorOf(board).text(await writeDeclarations(board));
      if (json) printJson(context, { types: text });
      else printText(context.stdout, text);
      return 0;
    });
  },
});

interface LearnedWish {
  readonly tools: readonly string[];
  readonly isForgotten: boolean;
  readonly json: boolean;
  readonly context: CliContext;
}

async function showLearned(board: Board, { tools, isForgotten, json, context }: LearnedWish): Promise<number> {
  const { forgetShapes, readShapes } = await import('../../../code/types/learned-shapes.ts');
  const shapes = await readShapes(board.store, '');
  const unknown = tools.find((name) => !shapes.has(name));
  if (unknown !== undefined) {
    const [nearest] = nearestNames(unknown, shapes.keys(), 1);
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    printLine(context.stderr, `Nothing was learned of "${unknown}".${hint}`);
    return 1;
  }
  if (isForgotten) {
    const forgotten = await forgetShapes(board.store, tools.length === 0 ? undefined : tools);
    if (json) printJson(context, { forgotten });
    else printLine(context.stdout, `Forgot what was learned of ${forgotten} ${forgotten === 1 ? 'tool' : 'tools'}.`);
    return 0;
  }
  const wanted = [...shapes].filter(([name]) => tools.length === 0 || tools.includes(name));
  if (json) {
    printJson(context, Object.fromEntries(wanted));
    return 0;
  }
  const { writeTypescript } = await import('../../../code/types/write-typescript.ts');
  if (wanted.length === 0) printLine(context.stderr, 'Nothing was learned yet: programs of run_code teach it.');
  for (const [name, shape] of wanted)
    printLine(context.stdout, `${name}: ${writeTypescript(shape, { depth: 20, values: 40, comments: false })}`);
  return 0;
}
