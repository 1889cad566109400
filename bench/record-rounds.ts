// Measures calls of one small tool on boards that record nothing, a summary and everything, and sends the timings to record.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Board } from '../src/index.ts';
import { loadBuilt } from './load-built.ts';
import { measureInRounds, type Subject } from './rounds.ts';

const { openBoard, defineTool } = await loadBuilt('index');

const ROUNDS = 20;
const CALLS = 4_000;
const tool = defineTool({
  name: 'add',
  description: 'Add two numbers',
  risk: 'read',
  schema: z.object({ left: z.number(), right: z.number(), unit: z.string() }),
  execute: ({ left, right, unit }) => `${left + right} ${unit}`,
});
const root = mkdtempSync(join(tmpdir(), 'pegboard-record-bench-'));
const boards: Board[] = [];
const subjects: Subject[] = [];
for (const level of ['off', 'summary', 'full', 'summary, sealed']) {
  const folder = mkdtempSync(join(root, 'board-'));
  const file = join(folder, 'pegboard.yaml');
  const [record, audit] = level.split(', ');
  writeFileSync(file, `record: ${record}\naudit: ${audit === 'sealed'}\n`);
  const board = await openBoard(file, { tools: [tool], cwd: folder });
  boards.push(board);
  // Lines that are written after the calls are written between the measurements.
  subjects.push(
    { name: level, measure: () => time(board, false) },
    { name: `${level}, written`, measure: () => time(board, true) },
  );
}
for (const subject of subjects) for (let round = 0; round < 5; round++) await subject.measure();
const timings = await measureInRounds(subjects, ROUNDS);
for (const board of boards) await board.close();
rmSync(root, { recursive: true });
process.send?.([...timings]);

/** Nanoseconds of one call, with or without the writing of its line. */
async function time(board: Board, isWritten: boolean): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < CALLS; index++) await board.call('add', { left: index, right: 1, unit: 'km' });
  const own = performance.now() - start;
  if (board.data !== '') await board.calls.get('');
  return ((isWritten ? performance.now() - start : own) * 1e6) / CALLS;
}
