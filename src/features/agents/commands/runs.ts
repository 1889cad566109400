import type { BoardRuns, RunDetails, RunInfo, RunStatus } from '../../../platform/runs/board-runs.ts';
import type { Board } from '../../../board/board.ts';
import { describeWaiting } from '../../../cli/shared/board/describe-waiting.ts';
import { defineCommand, valueOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { refuse } from '../../../cli/shared/cli-context.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';

const STATUSES: readonly RunStatus[] = ['running', 'interrupted', 'waiting', 'completed', 'failed', 'cancelled'];

export const runsList = defineCommand({
  name: 'runs list',
  description: 'Lists the agent runs of all processes of the board, newest first.',
  options: {
    status: valueOption('STATUS', `One of: ${STATUSES.join(', ')}`),
  },
  examples: [['pegboard runs list --status interrupted', 'runs that can be resumed']],
  board: { mode: 'look' },
  async run({ values, board }) {
    const status = STATUSES.find((one) => one === values.status);
    if (values.status !== undefined && status === undefined)
      throw new UsageError(`--status must be one of: ${STATUSES.join(', ')}; got "${values.status}".`, 'runs list');
    const runs = await board.runs.list({ status });
    const none = 'There are no such runs. Start one: pegboard agent --once TEXT --run ID';
    const view = await Promise.all(runs.map((run) => toRow(run, board)));
    return { data: runs, view, notes: runs.length === 0 ? none : [] };
  },
});

async function toRow(run: RunInfo, board: Pick<Board, 'approvals'>): Promise<string[]> {
  const { id, agent, status, startedAt, holder, reason } = run;
  const note = holder ?? (await waitingOf(run, board)) ?? reason ?? '';
  return [new Date(startedAt).toISOString().slice(0, 19).replace('T', ' '), id, agent, status, note];
}

function waitingOf({ id, waitingFor }: RunInfo, board: Pick<Board, 'approvals'>): Promise<string | undefined> {
  return describeWaiting(board, waitingFor, `pegboard runs resume ${id}`);
}

export const runsShow = defineCommand({
  name: 'runs show',
  description: 'Shows the status of a run, and its steps and calls as a tree, including those of subagents.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard runs list`', required: true }],
  examples: [['pegboard runs show order-17', 'one run']],
  board: { mode: 'look' },
  async run({ positionals: [id = ''], context, board }) {
    const run = await board.runs.get(id);
    if (run === undefined) return refuse(context, `There is no run "${id}". List the runs with pegboard runs list.`);
    const tree = await readTree(run, board.runs);
    const waiting = await waitingOf(run, board);
    return { data: tree, view: (style) => describeRun(tree, style, waiting) };
  },
});

/** A run and the runs that its calls started. */
interface RunTree extends RunDetails {
  readonly inner: readonly RunTree[];
}

async function readTree(run: RunDetails, runs: BoardRuns): Promise<RunTree> {
  const begun = run.steps.flatMap(({ calls }) => calls.flatMap(({ run: id }) => id ?? []));
  const found = await Promise.all(begun.map((id) => runs.get(id)));
  const inner = await Promise.all(found.flatMap((one) => (one === undefined ? [] : [readTree(one, runs)])));
  return { ...run, inner };
}

function describeRun(run: RunTree, style: TextStyle, waiting: string | undefined): (string | string[])[] {
  const { id, agent, status, session, holder, startedAt, endedAt, reason, text } = run;
  const facts: [string, string | undefined][] = [
    ['run', id],
    ['agent', agent],
    ['status', holder === undefined ? status : `${status} in ${holder}`],
    ['session', session],
    ['started', new Date(startedAt).toISOString()],
    ['ended', endedAt === undefined ? undefined : new Date(endedAt).toISOString()],
    ['approvals', waiting],
    ['reason', waiting === undefined ? reason : undefined],
    ['answer', text === '' ? undefined : text],
  ];
  const rows = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const tree = drawSteps(run, style, '');
  return [...rows, ...(tree.length === 0 ? [] : ['', ...tree])];
}

/** Draws steps and their calls; those of inner runs are indented. */
function drawSteps({ steps, inner }: RunTree, style: TextStyle, indent: string): string[] {
  return steps.flatMap(({ number, calls }) => [
    `${indent}step ${number}${calls.length === 0 ? ': answered' : ''}`,
    ...calls.flatMap(({ tool, outcome, run }, index) => {
      const isLast = index === calls.length - 1;
      const mark = outcome === 'ok' ? style.green(outcome) : style.yellow(outcome);
      const below = inner.find(({ id }) => id === run);
      const rest = `${indent}${isLast ? '   ' : '│  '}`;
      return [
        `${indent}${isLast ? '└─' : '├─'} ${tool} ${mark}`,
        ...(below === undefined ? [] : drawSteps(below, style, rest)),
      ];
    }),
  ]);
}

export const runsCancel = defineCommand({
  name: 'runs cancel',
  description: 'Cancels a run, even one of another process, and deletes its messages and arguments.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard runs list`', required: true }],
  examples: [['pegboard runs cancel order-17', 'cancel one run']],
  board: { mode: 'look' },
  async run({ positionals: [id = ''], context, board }) {
    const run = await board.runs.cancel(id, { signal: context.signal });
    if (run === undefined) return refuse(context, `There is no run "${id}". List the runs with pegboard runs list.`);
    const view = `The run "${id}" is ${run.status}.`;
    return { data: run, view, exitCode: run.status === 'cancelled' ? 0 : 1 };
  },
});
