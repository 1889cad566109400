// Measures the savings of code mode: twelve tasks by direct calls, by discovery and by programs, with a scripted model; and the cost of a program.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareFinding } from './code-mode/compare-finding.ts';
import { compareSubjects } from './code-mode/compare-subjects.ts';
import { measureCosts } from './code-mode/measure-costs.ts';
import { measureHostile } from './code-mode/measure-hostile.ts';
import { tabulateTasks } from './code-mode/tabulate-tasks.ts';
import { publish } from './report.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-code-'));
try {
  // Before anything else has run a program.
  const costs = await measureCosts(join(folder, 'costs'));
  const tasks = await tabulateTasks();
  const hostile = await measureHostile(folder);
  publish({
    name: 'code-mode',
    tables: [...tasks.tables, await compareFinding(), costs.table, await compareSubjects(), hostile.table],
    bars: [...tasks.bars, ...costs.bars, ...hostile.bars],
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
