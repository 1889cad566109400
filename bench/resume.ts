// Measures the time to resume a killed run: from resumeRun until the model is asked for the next step.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_BIN, startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import { loadBuilt } from './load-built.ts';
import { formatFigure, publish, type Table } from './report.ts';
import { makeRunner, openRunBoard, runIdOf } from './resume-runs.ts';

const RUNS = 15;
const STEPS = 20;
const { resumeRun } = await loadBuilt('agent');

const rows: string[][] = [await measure('SQLite')];
if (POSTGRES_BIN !== undefined) {
  const server = await startPostgres();
  try {
    rows.push(await measure('PostgreSQL', server.url));
  } finally {
    await server.close();
  }
}
const table: Table = {
  caption: `A run of ${STEPS} steps with a call each, whose process was killed: from resumeRun until the model is asked for step ${STEPS + 1}, ${RUNS} runs, on a board that is open:`,
  head: ['Store', 'median ms', 'slowest ms'],
  rows,
};
publish({ name: 'resume', tables: [table], bars: [] });

async function measure(name: string, url?: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-resume-'));
  try {
    await leaveRuns(folder, url);
    const board = await openRunBoard(folder, url);
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const asked = Promise.withResolvers<number>();
      const agent = makeRunner(STEPS, (step) => {
        if (step > STEPS) asked.resolve(performance.now());
        return undefined;
      });
      const start = performance.now();
      const result = await resumeRun(board, runIdOf(run), { agent });
      if (!result.ok || result.steps.length !== STEPS + 1) throw new Error(`A run of ${name} did not go on.`);
      times.push((await asked.promise) - start);
    }
    await board.close();
    const sorted = times.toSorted((one, other) => one - other);
    return [name, formatFigure(sorted[RUNS >> 1] ?? 0), formatFigure(sorted.at(-1) ?? 0)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Has another process make the runs, each up to its last step but one, and kills it there. */
async function leaveRuns(folder: string, url: string | undefined): Promise<void> {
  const file = join(import.meta.dirname, 'resume-runs.ts');
  const child: ChildProcess = fork(file, [folder, String(RUNS), String(STEPS), ...(url === undefined ? [] : [url])]);
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('The process that makes the runs ended by itself.');
    }),
  ]);
  child.kill('SIGKILL');
  await once(child, 'exit');
}
