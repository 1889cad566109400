import type { BoardRuns, RunDetails } from '../../../platform/runs/board-runs.ts';
import { type CliContext, printJson, printLine } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { alignColumns } from '../../print/columns.ts';
import { createStyle } from '../../print/style.ts';

/** `pegboard runs show`: one run, with its steps and calls as a tree. */
export const runsShow = defineCommand({
  name: 'runs show',
  description: 'Shows how a run is doing, and its steps and calls as a tree, those of agents below included.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard runs list` shows', required: true }],
  options: { ...FILE_OPTION },
  examples: [['pegboard runs show order-17', 'one run']],
  run: ({ values, positionals: [id = ''], json, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const run = await board.runs.get(id);
      if (run === undefined) {
        printLine(context.stderr, `There is no run "${id}" (any more). pegboard runs list shows them.`);
        return 1;
      }
      const tree = await readTree(run, board.runs);
      if (json) printJson(context, tree);
      else for (const line of describeRun(tree, context)) printLine(context.stdout, line);
      return 0;
    }),
});

/** A run, and those that its calls began. */
interface RunTree extends RunDetails {
  readonly inner: readonly RunTree[];
}

async function readTree(run: RunDetails, runs: BoardRuns): Promise<RunTree> {
  const begun = run.steps.flatMap(({ calls }) => calls.flatMap(({ run: id }) => id ?? []));
  const found = await Promise.all(begun.map((id) => runs.get(id)));
  const inner = await Promise.all(found.flatMap((one) => (one === undefined ? [] : [readTree(one, runs)])));
  return { ...run, inner };
}

function describeRun(run: RunTree, context: CliContext): string[] {
  const { id, agent, status, session, holder, startedAt, endedAt, waitingFor, reason, text } = run;
  const facts: [string, string | undefined][] = [
    ['run', id],
    ['agent', agent],
    ['status', holder === undefined ? status : `${status} in ${holder}`],
    ['session', session],
    ['started', new Date(startedAt).toISOString()],
    ['ended', endedAt === undefined ? undefined : new Date(endedAt).toISOString()],
    ['waits for', waitingFor.length === 0 ? undefined : waitingFor.join(', ')],
    ['reason', reason],
    ['answer', text === '' ? undefined : text],
  ];
  const rows = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const tree = drawSteps(run, context, '');
  return [...alignColumns(rows, context.stdout.columns), ...(tree.length === 0 ? [] : ['', ...tree])];
}

/** Steps and their calls, those of runs below indented. */
function drawSteps({ steps, inner }: RunTree, context: CliContext, indent: string): string[] {
  const style = createStyle(context.stdout, context.env);
  return steps.flatMap(({ number, calls }) => [
    `${indent}step ${number}${calls.length === 0 ? ': answered' : ''}`,
    ...calls.flatMap(({ tool, outcome, run }, index) => {
      const isLast = index === calls.length - 1;
      const mark = outcome === 'ok' ? style.green(outcome) : style.yellow(outcome);
      const below = inner.find(({ id }) => id === run);
      const rest = `${indent}${isLast ? '   ' : '│  '}`;
      return [
        `${indent}${isLast ? '└─' : '├─'} ${tool} ${mark}`,
        ...(below === undefined ? [] : drawSteps(below, context, rest)),
      ];
    }),
  ]);
}
