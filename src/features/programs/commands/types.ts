import { nearestNames } from '../../../tool/texts/suggest.ts';
import type { Board } from '../../../board/board.ts';
import { type CliContext, refuse } from '../../../cli/shared/cli-context.ts';
import { readingBoard, redactorOf } from '../../../cli/shared/board/use-board.ts';
import { type CommandAnswer, defineCommand, FILES_ARGUMENT, flag, WAIT_OPTION } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';

export const types = defineCommand({
  name: 'types',
  description:
    'Prints the types that programs of run_code see, for editors. For a tool that does not declare its result, the type is learned from results: --learned shows it, --forget deletes it.',
  arguments: [{ name: 'TOOLS', description: 'With --learned and --forget: only these tools', multiple: true }],
  options: {
    ...WAIT_OPTION,
    learned: flag('Show what was learned from results: names and types, never values'),
    forget: flag('Delete what was learned about the named tools, or about all'),
  },
  examples: [
    ['pegboard types > tools.d.ts', 'for an editor'],
    ['pegboard types --learned list_orders', 'what was learned about one tool'],
    ['pegboard types --forget list_orders', 'start over for one tool'],
  ],
  parse({ values, positionals }) {
    if (positionals.length > 0 && !values.learned && !values.forget)
      throw new UsageError('Tool names need --learned or --forget.', 'types');
  },
  board: readingBoard,
  async run({ values, positionals, context, board }) {
    if (values.learned || values.forget)
      return showLearned(board, { tools: positionals, isForgotten: values.forget, context });
    const { writeDeclarations } = await import('../../../code/types/write-declarations.ts');
    const text = redactorOf(board).text(await writeDeclarations(board));
    return { data: { types: text }, view: { text } };
  },
});

interface LearnedRequest {
  readonly tools: readonly string[];
  readonly isForgotten: boolean;
  readonly context: CliContext;
}

async function showLearned(
  board: Board,
  { tools, isForgotten, context }: LearnedRequest,
): Promise<CommandAnswer | number> {
  const { forgetShapes, readShapes } = await import('../../../code/types/learned-shapes.ts');
  const shapes = await readShapes(board.store, '');
  const unknown = tools.find((name) => !shapes.has(name));
  if (unknown !== undefined) {
    const [nearest] = nearestNames(unknown, shapes.keys(), 1);
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    return refuse(context, `Nothing was learned about "${unknown}".${hint}`);
  }
  if (isForgotten) {
    const forgotten = await forgetShapes(board.store, tools.length === 0 ? undefined : tools);
    const view = `Deleted what was learned about ${forgotten} ${forgotten === 1 ? 'tool' : 'tools'}.`;
    return { data: { forgotten }, view };
  }
  const { writeTypescript } = await import('../../../code/types/write-typescript.ts');
  const wanted = [...shapes].filter(([name]) => tools.length === 0 || tools.includes(name));
  return {
    data: Object.fromEntries(wanted),
    view: () =>
      wanted.map(([name, shape]) => `${name}: ${writeTypescript(shape, { depth: 20, values: 40, comments: false })}`),
    notes: wanted.length === 0 ? 'Nothing was learned yet. Types are learned from programs of run_code.' : [],
  };
}

export const emit = defineCommand({
  name: 'emit',
  description: 'Prints a TypeScript module with a typed function for each tool, for code that calls the board.',
  arguments: [FILES_ARGUMENT],
  options: WAIT_OPTION,
  examples: [['pegboard emit > tools.ts', 'then: const tools = createTools(board)']],
  board: readingBoard,
  async run({ board }) {
    const { writeClient } = await import('../../../code/types/write-declarations.ts');
    const text = redactorOf(board).text(await writeClient(board));
    return { data: { module: text }, view: { text } };
  },
});
