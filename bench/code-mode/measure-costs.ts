import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadBuilt } from '../load-built.ts';
import { atMost, type Bar, formatFigure, type Table } from '../report.ts';

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Measures the cost of a program, of a call from it, and of 100 that wait. */
export async function measureCosts(data: string): Promise<{ readonly table: Table; readonly bars: readonly Bar[] }> {
  // As it is installed: what a first program loads is part of what it costs.
  const [{ defineTool, openBoard }, { resumeCode, runCode }] = [await loadBuilt('index'), await loadBuilt('code')];
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  const add = defineTool({
    name: 'add',
    description: 'Adds one.',
    risk: 'read',
    schema,
    execute: ({ n }) => ({ n: n + 1 }),
  });
  const send = defineTool({ name: 'send', description: 'Sends.', risk: 'write', schema, execute: ({ n }) => ({ n }) });
  const board = await openBoard({
    data,
    tools: [add, send],
    policy: { approval: { global: 'none', tools: { send: true } } },
  });
  try {
    const first = await timed(() => runCode(board, 'return 1'));
    const starts: number[] = [];
    for (let round = 0; round < 50; round++) starts.push(await timed(() => runCode(board, 'return 1')));
    const [CALLS, ROUNDS] = [500, 9];
    const loop = (body: string): string => `for (let n = 0; n < ${CALLS}; n++) ${body}; return 1;`;
    const limits = { calls: 10_000 };
    const rounds: { readonly direct: number; readonly bridge: number; readonly code: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const direct = await timed(async () => {
        for (let n = 0; n < CALLS; n++) await board.call('add', { n });
      });
      // The bridge alone: what is answered at once, without the pipeline.
      const bridge = await timed(() => runCode(board, loop(`await outputs.read('').catch(() => 0)`), { limits }));
      const code = await timed(() => runCode(board, loop('await tools.add({ n })'), { limits }));
      rounds.push({ direct, bridge, code });
    }
    const perCall = (key: 'direct' | 'bridge' | 'code'): number =>
      (median(rounds.map((one) => one[key])) * 1_000) / CALLS;
    const before = sizeOf(data);
    const ids: string[] = [];
    for (let n = 0; n < 100; n++)
      ids.push(
        (
          await runCode(
            board,
            `const kept = Array.from({ length: 1000 }, (_, i) => 'row ' + i); return (await tools.send({ n: ${n} })).n + kept.length`,
            { pause: true },
          )
        ).id,
      );
    const size = (sizeOf(data) - before) / 1e6;
    for (const { id } of await board.approvals.list()) await board.approvals.answer(id, { allow: true });
    const resumes: number[] = [];
    for (const [n, id] of ids.entries()) {
      const result = { value: undefined as unknown };
      resumes.push(await timed(async () => (result.value = (await resumeCode(board, id)).value)));
      if (result.value !== n + 1000) throw new Error(`Program ${n} gave ${JSON.stringify(result.value)}.`);
    }
    return {
      table: {
        caption: 'What programs cost in one process:',
        head: ['What', 'Figure'],
        rows: [
          ['the first program of a process, its thread and engine loaded', `${formatFigure(first)} ms`],
          ['a further program', `${formatFigure(median(starts))} ms`],
          ['a call by board.call', `${formatFigure(perCall('direct'))} µs`],
          ['a call from a program', `${formatFigure(perCall('code'))} µs`],
          ['the bridge alone', `${formatFigure(perCall('bridge'))} µs`],
          ['100 programs that wait, in the store', `${formatFigure(size)} MB`],
          ['to go on with one', `${formatFigure(median(resumes))} ms`],
        ],
      },
      bars: [
        atMost('the first program of a process: at most 25 ms', first, { limit: 25, unit: 'ms' }),
        atMost('a program runs, its thread ready: at most 25 ms', median(starts), { limit: 25, unit: 'ms' }),
        atMost(
          'a call from a program: at most twice board.call and the bridge',
          // Within each round: what is measured within the same second is slowed down alike.
          median(rounds.map(({ direct, bridge, code }) => code / (2 * direct + bridge))),
          {
            limit: 1,
            unit: '×',
          },
        ),
        atMost('100 programs that wait: at most 30 MB', size, { limit: 30, unit: 'MB' }),
      ],
    };
  } finally {
    await board.close();
  }
}

/** Bytes of a board's folder. The log that SQLite writes ahead is brought in first: it stays as large as it once was, whatever it has. */
function sizeOf(data: string): number {
  const database = new DatabaseSync(join(data, 'board.db'));
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  database.close();
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('-wal'));
  return files.reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
}
