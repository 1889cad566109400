import { expect, it } from 'vitest';
import { createTestContext } from '../../../cli/shared/cli-context.test-helper.ts';
import { createProgressBar, formatProgress } from './progress-bar.ts';

it('shows progress, rate and remaining time', () => {
  expect(formatProgress({ done: 250, total: 1000, chunks: 1234 }, 2000)).toBe(
    '[######------------------] 250/1,000 files  1,234 chunks  617 chunks/s  6 s left',
  );
  expect(formatProgress({ done: 10, total: 100_000, chunks: 0 }, 1000)).toContain('10 files/s  167 min left');
  // All files are read, one in four bytes is written.
  expect(formatProgress({ done: 8, total: 8, chunks: 40, bytes: { done: 25, total: 100 } }, 10_000)).toBe(
    '[######------------------] 8/8 files  40 chunks  4.0 chunks/s  30 s left',
  );
  expect(formatProgress({ done: 8, total: 8, chunks: 40, optimized: 0.349 }, 10_000)).toBe(
    '[########----------------] building the vector index, 34 %; searches work meanwhile',
  );
  expect(formatProgress({ done: 0, total: 0, chunks: 0 }, 0)).toBe(`[${'#'.repeat(24)}] 0/0 files  0 files/s`);
});

it('draws on a terminal, clears itself, and is silent elsewhere', () => {
  const terminal = createTestContext({ isTTY: true });
  const bar = createProgressBar(terminal);
  bar.update({ done: 1, total: 1, chunks: 0 });
  bar.end();
  const { stderr } = terminal.printed();
  expect(stderr).toContain(`[${'#'.repeat(24)}] 1/1 files`);
  expect(stderr.endsWith('\r\u001B[K')).toBe(true);
  const pipe = createTestContext();
  createProgressBar(pipe).update({ done: 1, total: 1, chunks: 0 });
  expect(pipe.printed()).toEqual({ stdout: '', stderr: '' });
});
