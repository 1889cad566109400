// A thousand rounds of kill -9 under load: three replicas behind a random balancer, four clients, SQLite and PostgreSQL at once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import type { FaultReport } from '../test/replicas/fault-rounds.test-helper.ts';
import { atMost, type Bar, formatFigure, publish } from './report.ts';

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1_000);
const SEED = Number(process.env['FAULT_SEED'] ?? 1);
/** Rounds after which the board begins anew, so that its files stay small. */
const AT_ONCE = 50;

const FAULTS = {
  lost: 'acknowledged writes that did not happen',
  doubled: 'writes that happened twice',
  misdirected: 'answers to the wrong client',
  lostTasks: 'acknowledged tasks that no replica knows',
  lostApprovals: 'answers to approvals that were acknowledged and are not there',
  lostRecords: 'lines of the record that were there and are not',
} as const;

// The replicas are what people install, which `bench/prepare` has built.
process.env['PEGBOARD_TEST_CLI'] = join(import.meta.dirname, '../dist/cli.js');
const { runFaultRounds } = await import('../test/replicas/fault-rounds.test-helper.ts');

const [sqlite, postgres] = await Promise.all([runAll(), startPostgres().then(runAll)]);
const reports = { SQLite: sqlite, PostgreSQL: postgres };

const count = (key: keyof typeof FAULTS): number =>
  Object.values(reports).reduce((sum, all) => sum + all.reduce((part, report) => part + report[key].length, 0), 0);

publish({
  name: 'faults',
  tables: [
    {
      caption: `${ROUNDS} rounds: one of three replicas is killed at a random moment of each, seed ${SEED}:`,
      head: ['Store', 'rounds', 'acknowledged calls', 'interrupted calls', 'tasks', 'approvals', 'lines of the record'],
      rows: Object.entries(reports).map(([name, all]) => {
        const sum = (key: 'rounds' | 'acknowledged' | 'interrupted' | 'tasks' | 'approvals' | 'recorded'): string =>
          formatFigure(all.reduce((part, report) => part + report[key], 0));
        return [
          name,
          sum('rounds'),
          sum('acknowledged'),
          sum('interrupted'),
          sum('tasks'),
          sum('approvals'),
          sum('recorded'),
        ];
      }),
    },
  ],
  bars: keysOf(FAULTS).map((key): Bar => atMost(FAULTS[key], count(key), { limit: 0, unit: '' })),
});

async function runAll(postgres?: Awaited<ReturnType<typeof startPostgres>>): Promise<FaultReport[]> {
  const all: FaultReport[] = [];
  for (let done = 0; done < ROUNDS / 2; done += AT_ONCE) {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-faults-'));
    const store = postgres === undefined ? {} : { store: `${postgres.url}?schema=faults_${done}` };
    const rounds = Math.ceil(Math.min(AT_ONCE, ROUNDS / 2 - done));
    const report = await runFaultRounds({ folder, ...store, rounds, seed: SEED + done });
    all.push(report);
    const found = keysOf(FAULTS).filter((key) => report[key].length > 0);
    const where = postgres === undefined ? 'SQLite' : 'PostgreSQL';
    console.error(`${done + rounds} of ${ROUNDS / 2} rounds on ${where}: ${found.join(', ') || 'no faults'}`);
    rmSync(folder, { recursive: true, force: true });
  }
  await postgres?.close();
  return all;
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  // An object's own keys are those of its type here: it is a literal.
  return Object.keys(record) as Key[];
}
