import { expect, it } from 'vitest';
import { fixedPrefix, readPathFilter } from './match-path.ts';

it.each([
  ['src/a.ts', 'src/a.ts', true],
  ['src/a.ts', 'src/a.tsx', false],
  ['src/', 'src/deep/a.ts', true],
  ['src/', 'src', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/very/deep/a.ts', true],
  ['src/**', 'src/very/deep/a.ts', true],
  ['**/*.md', 'README.md', true],
  ['docs/?.md', 'docs/a.md', true],
  ['docs/?.md', 'docs/ab.md', false],
  ['a+(b)[c].{d}', 'a+(b)[c].{d}', true],
  ['*+(b)[c].{d}$^|\\', 'a+(b)[c].{d}$^|\\', true],
  ['*.ts', 'a\nb.ts', true],
  ['*/*/*/*.ts', 'a/b/c/d.ts', true],
  ['*/*/*/*.ts', 'a/b/c/d/e.ts', false],
  ['**/x/**/y/**/*.ts', 'a/x/b/c/y/d.ts', true],
  ['?🦊?', 'a🦊b', true],
])('%s and %s: %s', (pattern, path, expected) => {
  expect(readPathFilter(pattern)(path)).toBe(expected);
  expect(readPathFilter(pattern)(undefined)).toBe(false);
});

it('matches hostile patterns quickly', () => {
  const matches = readPathFilter(`${'*a'.repeat(60)}b`);
  expect(matches('a'.repeat(5_000))).toBe(false);
});

it('returns the common prefix of all matching paths', () => {
  expect(fixedPrefix('src/deep/*.ts')).toBe('src/deep/');
  expect(fixedPrefix('**/a')).toBe('');
});
