// The README shows what is true: its commands, its links and its picture.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBoard } from '../src/open-board.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

it('shows the two commands, and CI runs exactly the test command', () => {
  expect(readme).toContain('\nnpm ci && npm start\n');
  expect(readme).toContain('\nnpm ci && npm test\n');
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain('\nnpm ci && npm test\n');
});

it('links only to files and headings that exist', () => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '');
  expect(links.length).toBeGreaterThan(10);
  const isThere = (link: string): boolean => {
    const [path = '', heading] = link.split('#');
    const file = path === '' ? 'README.md' : path;
    if (!existsSync(join(root, file))) return false;
    if (heading === undefined) return true;
    const titles = readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm);
    return [...titles].some(([, title = '']) => title.toLowerCase().replaceAll(' ', '-') === heading);
  };
  expect(links.filter((link) => !link.startsWith('http') && !isThere(link))).toEqual([]);
});

it('shows a config that is valid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-readme-'));
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
  writeFileSync(join(folder, 'pegboard.yaml'), yaml);
  const board = await openBoard('pegboard.yaml', { cwd: folder, env: {}, servers: 'cached' });
  try {
    expect(board.registry.names()).toEqual(
      expect.arrayContaining(['recent_commits', 'package_info', 'handbook-search']),
    );
  } finally {
    await board.close();
    rmSync(folder, { recursive: true });
  }
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
