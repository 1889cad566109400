// A thousand rounds of kill -9 under load: three replicas behind a random balancer, four clients, SQLite and PostgreSQL in turn.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import { type FaultReport, runFaultRounds } from '../test/replicas/fault-rounds.test-helper.ts';
import { atMost, type Bar, formatFigure, publish } from './report.ts';

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1_000);
const SEED = Number(process.env['FAULT_SEED'] ?? 1);
/** Rounds after which the board begins anew, so that its files stay small. */
const AT_ONCE = 50;

const reports = { SQLite: await runAll(), PostgreSQL: await runAll(await startPostgres()) };

const FAULTS = {
  lost: 'acknowledged writes that did not happen',
  doubled: 'writes that happened twice',
  misdirected: 'answers to the wrong client',
  lostTasks: 'acknowledged tasks that no replica knows',
  lostApprovals: 'answers to approvals that were acknowledged and are not there',
  lostRecords: 'lines of the record that were there and are not',
} as const;
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
  bars: (Object.keys(FAULTS) as (keyof typeof FAULTS)[]).map((key): Bar =>
    atMost(FAULTS[key], count(key), { limit: 0, unit: '' }),
  ),
});

async function runAll(postgres?: Awaited<ReturnType<typeof startPostgres>>): Promise<FaultReport[]> {
  const all: FaultReport[] = [];
  for (let done = 0; done < ROUNDS / 2; done += AT_ONCE) {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-faults-'));
    const store = postgres === undefined ? {} : { store: `${postgres.url}?schema=faults_${done}` };
    const rounds = Math.ceil(Math.min(AT_ONCE, ROUNDS / 2 - done));
    all.push(await runFaultRounds({ folder, ...store, rounds, seed: SEED + done }));
    console.error(`${done + rounds} of ${ROUNDS / 2} rounds on ${postgres === undefined ? 'SQLite' : 'PostgreSQL'}`);
    rmSync(folder, { recursive: true, force: true });
  }
  await postgres?.close();
  return all;
}
