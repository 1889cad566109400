// Measures the cost of running a command line over a bare spawn, in a small board and in one that holds 1 GB.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { runProcess } from '../src/platform/process/run-process.ts';
import { createSpawner, type Spawner } from '../src/platform/process/spawn/spawner.ts';
import { atMost, formatFigure, publish, type Table } from './report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject, type Timings } from './rounds.ts';

const ROUNDS = 400;
const LARGE_ROUNDS = 100;
const WARM_UP_CALLS = 30;
const BALLAST_BYTES = 1024 ** 3;

const BARE = "bare spawn('true')";
const BARE_DETACHED = 'bare spawn, detached';
const BARE_ELSEWHERE = 'bare spawn in a small process';
const OURS = 'runProcess';
const OURS_DIRECTLY = 'runProcess, directly';
const OURS_BY_HELPER = 'runProcess, by helper';
const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };

if (process.argv[2] === BARE_ELSEWHERE) serveBareSpawns();
else await compare();

async function compare(): Promise<void> {
  const direct = createSpawner({ threshold: Number.POSITIVE_INFINITY });
  const helper = createSpawner({ threshold: 0, directCalls: 0 });
  const spawner = createSpawner();
  const bare: Subject = { name: BARE, measure: () => time(() => spawnBare(false)) };
  // The cost of a process group of its own: on Linux a session is also a share of the CPU, to be set up first.
  const bareDetached: Subject = { name: BARE_DETACHED, measure: () => time(() => spawnBare(true)) };
  const directly: Subject = { name: OURS_DIRECTLY, measure: () => time(() => runTrue(direct)) };
  const ours: Subject = { name: OURS, measure: () => time(() => runTrue(spawner)) };
  const byHelper: Subject = { name: OURS_BY_HELPER, measure: () => time(() => runTrue(helper)) };
  const { elsewhere, stop } = startBareElsewhere();

  await warmUp([bare, bareDetached, directly, byHelper, elsewhere]);
  const small = await measureInRounds([bare, bareDetached, directly, byHelper], ROUNDS);
  const ballast = fillMemory();
  await warmUp([ours]);
  const large = await measureInRounds([elsewhere, bare, ours], LARGE_ROUNDS);
  if (ballast.length === 0) throw new Error('The ballast is gone: the large board was small.');
  spawner.close();
  helper.close();
  stop();

  publish({
    name: 'cli-call',
    tables: [
      toTable('One call of true, small board:', small, BARE),
      toTable('The same in a board that holds 1 GB:', large, BARE_ELSEWHERE),
    ],
    bars: [
      atMost('a CLI call costs at most 1.15 × a bare spawn', ratioOf(small, OURS_DIRECTLY, BARE), {
        limit: 1.15,
        unit: '×',
      }),
      atMost(
        'with 1 GB in the board, at most 1.15 × a bare spawn of a small process',
        ratioOf(large, OURS, BARE_ELSEWHERE),
        { limit: 1.15, unit: '×' },
      ),
    ],
  });
}

function toTable(caption: string, timings: Timings, base: string): Table {
  const rows = [...timings.keys()].map((name) => [
    name,
    formatFigure(medianOf(timings, name)),
    ratioOf(timings, name, base).toFixed(2),
  ]);
  return { caption, head: ['Way', 'ms per call', `× ${base}`], rows };
}

/** Bare spawns by another process, which stays small: the same rounds at every size of this process. */
function startBareElsewhere(): { readonly elsewhere: Subject; readonly stop: () => void } {
  const other = fork(import.meta.filename, [BARE_ELSEWHERE]);
  const measure = async (): Promise<number> => {
    other.send('spawn');
    const [milliseconds] = await once(other, 'message');
    return Number(milliseconds);
  };
  return { elsewhere: { name: BARE_ELSEWHERE, measure }, stop: () => other.disconnect() };
}

function serveBareSpawns(): void {
  process.on('message', () => {
    void time(() => spawnBare(false)).then((milliseconds) => process.send?.(milliseconds));
  });
}

async function time(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function warmUp(subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) for (let call = 0; call < WARM_UP_CALLS; call++) await subject.measure();
}

async function spawnBare(detached: boolean): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn('true', { detached });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

async function runTrue(by: Spawner): Promise<void> {
  const outcome = await runProcess({ file: 'true', args: [], env, spawner: by });
  if (outcome.type !== 'exited' || outcome.code !== 0) throw new Error(`true failed: ${JSON.stringify(outcome)}`);
}

/** Memory that counts: every page is written to. */
function fillMemory(): Buffer[] {
  return Array.from({ length: BALLAST_BYTES / 2 ** 24 }, () => Buffer.alloc(2 ** 24, 1));
}
