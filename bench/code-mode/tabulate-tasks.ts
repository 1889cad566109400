import { atLeast, atMost, type Bar, formatFigure, type Table } from '../report.ts';
import { forkApart } from './fork-apart.ts';
import type { Cost } from './conversation.ts';

/** A way to do a task. */
export type TaskWay = 'direct' | 'discovery' | 'code' | 'aiSdk' | 'utcp';

/** The message of `measure-tasks.ts`. */
export interface MeasuredTasks {
  /** Number of tools on the board. */
  readonly tools: number;
  readonly tasks: readonly {
    readonly name: string;
    readonly passesData: boolean;
    readonly costs: Readonly<Record<TaskWay, Cost>>;
  }[];
}

const WAYS: readonly (readonly [TaskWay, string])[] = [
  ['direct', 'Direct'],
  ['discovery', 'Discovery'],
  ['code', 'Code'],
  ['aiSdk', '@ai-sdk/code-mode'],
  ['utcp', '@utcp/code-mode'],
];
const MAX_TIME = 240_000;

const whole = ({ tokensIn, tokensOut }: Cost): number => tokensIn + tokensOut;
const count = (value: number): string => value.toLocaleString('en-US');

/** Does the twelve tasks in all ways, and says what they cost: each, and all together. */
export async function tabulateTasks(): Promise<{ readonly tables: readonly Table[]; readonly bars: readonly Bar[] }> {
  const file = new URL('./measure-tasks.ts', import.meta.url);
  // It sends this and nothing else.
  const measured = (await forkApart(file, { time: MAX_TIME })) as MeasuredTasks | undefined;
  if (measured === undefined) throw new Error('bench/code-mode/measure-tasks.ts ended without figures.');
  const { tools, tasks } = measured;
  const sum = (way: TaskWay, of: (cost: Cost) => number, all = tasks): number =>
    all.reduce((total, { costs }) => total + of(costs[way]), 0);
  const upFront = (way: TaskWay): number => tasks[0]?.costs[way].upFront ?? 0;
  const passing = tasks.filter(({ passesData }) => passesData);
  const worst = Math.max(...tasks.map(({ costs }) => whole(costs.code) / whole(costs.discovery)));
  const shown = WAYS.slice(0, 3);
  return {
    tables: [
      {
        caption: `Tokens in / out of a model (o200k), requests and bytes of results, over ${tools} tools:`,
        head: ['Task', ...shown.map(([, name]) => name), 'Requests', 'Bytes'],
        rows: tasks.map(({ name, costs }) => [
          name,
          ...shown.map(([way]) => `${count(costs[way].tokensIn)} / ${count(costs[way].tokensOut)}`),
          shown.map(([way]) => costs[way].rounds).join(' / '),
          shown.map(([way]) => count(costs[way].bytes)).join(' / '),
        ]),
      },
      {
        caption: 'All twelve together, with the code modes of others on the same programs. Theirs have no search:',
        head: ['Way', 'Tokens up front', 'Tokens in', 'Tokens out', 'Requests', 'Bytes', '× Code, tokens'],
        rows: WAYS.map(([way, name]) => [
          name,
          count(upFront(way)),
          count(sum(way, ({ tokensIn }) => tokensIn)),
          count(sum(way, ({ tokensOut }) => tokensOut)),
          count(sum(way, ({ rounds }) => rounds)),
          count(sum(way, ({ bytes }) => bytes)),
          formatFigure(sum(way, whole) / sum('code', whole)),
        ]),
      },
    ],
    bars: [
      atMost('search_tools and run_code: at most 600 tokens up front', upFront('code'), { limit: 600, unit: 'tokens' }),
      atLeast(
        'tasks that pass data: at least 10 × fewer tokens than direct calls',
        sum('direct', whole, passing) / sum('code', whole, passing),
        { limit: 10, unit: '×' },
      ),
      atMost('no task needs more tokens than by discovery', worst, { limit: 1, unit: '×' }),
    ],
  };
}
