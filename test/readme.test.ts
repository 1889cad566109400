// The README shows what is true: its commands, its links and its picture.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

it('shows the two commands, and CI runs exactly the test command', () => {
  expect(readme).toContain('\nnpm ci && npm start\n');
  expect(readme).toContain('\nnpm ci && npm test\n');
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain('\nnpm ci && npm test\n');
});

it('links only to files that exist', () => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '');
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !link.startsWith('http') && !existsSync(join(root, link)))).toEqual([]);
});

it('has a picture of what npm start prints today', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-capture-'));
  const file = join(folder, 'board.svg');
  try {
    execFileSync(process.execPath, ['scripts/capture.ts', file], { cwd: root });
    // When this differs, run `node scripts/capture.ts` and look at the picture.
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(root, 'docs/board.svg'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
