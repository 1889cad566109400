import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claimOnce } from './claim-once.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claim-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('gives the turn once, also when something else was told between', () => {
  const data = join(makeFolder(), 'data');
  const turns = ['a', 'a', 'b', 'b', 'a'].map((news) => claimOnce(data, 'topic', news));
  expect(turns).toEqual([true, false, true, false, false]);
  expect(claimOnce(data, 'other', 'a')).toBe(true);
  expect(claimOnce(data, 'topic', 'a')).toBe(false);
  for (let news = 0; news < 50; news++) claimOnce(data, 'topic', String(news));
  expect(claimOnce(data, 'topic', 'a')).toBe(true);
});

it('gives the turn each time where nothing can be kept', () => {
  const file = join(makeFolder(), 'file');
  writeFileSync(file, '');
  expect([claimOnce(file, 'topic', 'a'), claimOnce(file, 'topic', 'a')]).toEqual([true, true]);
});
