import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from './make-folder.ts';

it('creates a folder and its parents, and returns the first one created', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(makeFolder(join(folder, 'a/b/c'), 0o700)).toBe(join(folder, 'a'));
  expect(statSync(join(folder, 'a/b/c')).mode & 0o777).toBe(0o700);
  expect(makeFolder(join(folder, 'a/b/c'))).toBeUndefined();
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file/x'))).toThrow(/ENOTDIR|EEXIST/);
});

it.runIf(process.platform === 'linux')('fails where no folder can be created', () => {
  expect(() => makeFolder('/proc/pegboard/data')).toThrow('ENOENT');
});
