// A few rounds of what `bench/faults` does a thousand times.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../src/platform/postgres/test-server.test-helper.ts';
import { runFaultRounds } from './fault-rounds.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

const NOTHING_LOST = { lost: [], doubled: [], misdirected: [], lostTasks: [], lostApprovals: [], lostRecords: [] };

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-faults-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('loses and doubles nothing when replicas on one machine are killed', async () => {
  const report = await runFaultRounds({ folder: makeFolder(), rounds: 2, seed: 17 });
  expect(report).toMatchObject(NOTHING_LOST);
  expect(report.acknowledged).toBeGreaterThan(20);
  expect(report.tasks).toBeGreaterThan(0);
  expect(report.recorded).toBeGreaterThan(0);
  expect(report.approvals).toBeGreaterThan(0);
});

it('loses and doubles nothing on PostgreSQL', needs('postgresql'), async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const report = await runFaultRounds({ folder: makeFolder(), store: server.url, rounds: 2, seed: 18 });
  expect(report).toMatchObject(NOTHING_LOST);
  expect(report.acknowledged).toBeGreaterThan(20);
  expect(report.tasks).toBeGreaterThan(0);
});
