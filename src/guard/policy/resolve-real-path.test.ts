import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInside, resolveRealPath } from './resolve-real-path.ts';

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-path-')));
  mkdirSync(join(base, 'a/b'), { recursive: true });
  mkdirSync(join(base, 'other/deep'), { recursive: true });
  writeFileSync(join(base, 'a/file'), '');
  symlinkSync('../other/deep', join(base, 'a/link'));
  symlinkSync('/', join(base, 'a/top'));
  symlinkSync('../other/missing/file', join(base, 'a/dangling'));
  symlinkSync('loop', join(base, 'a/loop'));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('resolveRealPath', () => {
  it.each([
    ['a/file', 'a/file'],
    ['./a//b/../file', 'a/file'],
    ['', ''],
    ['.', ''],
    ['a/link', 'other/deep'],
    ['a/link/new', 'other/deep/new'],
    // The system follows the link first: this is not a/.
    ['a/link/../x', 'other/x'],
    ['a/dangling', 'other/missing/file'],
    ['a/new/deep/../file', 'a/new/file'],
    ['a/file/..', 'a'],
  ])('follows %s', (path, expected) => {
    expect(resolveRealPath(path, base).path).toBe(join(base, expected));
  });

  it('agrees with the system about existing paths', () => {
    for (const path of ['a/link/../deep', 'a/link/..', 'a/top', 'a/top/..', 'a/b/../../a/link']) {
      expect(resolveRealPath(path, base).path).toBe(realpathSync.native(`${base}/${path}`));
    }
  });

  it('keeps absolute paths and absolute links', () => {
    expect(resolveRealPath('/nowhere/./x', base).path).toBe('/nowhere/x');
    expect(resolveRealPath('a/top/nowhere', base).path).toBe('/nowhere');
    expect(resolveRealPath('../'.repeat(100), base).path).toBe('/');
  });

  it('throws for a circular link', () => {
    expect(() => resolveRealPath('a/loop/x', base)).toThrow('too many links');
  });
});

describe.runIf(process.platform === 'linux')('a path through a place that differs for each process', () => {
  it.each([
    ['/proc/self/cwd/x', true],
    ['/proc/../etc', true],
    ['/proc', true],
    ['/dev/fd/0', true],
    ['/dev/stdin', true],
    ['/dev/tty', true],
    ['/dev/null', false],
    ['/process', false],
    ['/dev/fdx', false],
    ['a/file', false],
  ])('%s: %s', (path, expected) => {
    expect(resolveRealPath(path, base).isOfProcess).toBe(expected);
  });

  it('is reported however links lead there', () => {
    symlinkSync('/proc/self/cwd', join(base, 'a/here'));
    symlinkSync('here', join(base, 'a/again'));
    symlinkSync('/dev', join(base, 'a/devices'));
    for (const path of ['a/here', 'a/again/..', 'a/again/../../x', 'a/devices/fd', 'a/devices/../proc/self/root'])
      expect(resolveRealPath(path, base).isOfProcess).toBe(true);
  });
});

describe('isInside', () => {
  it.each([
    ['/data', '/data', true],
    ['/data/x', '/data', true],
    ['/data2', '/data', false],
    ['/data2/x', '/data', false],
    ['/dat', '/data', false],
    ['/anything', '/', true],
    ['/', '/data', false],
  ])('%s in %s: %s', (path, folder, expected) => {
    expect(isInside(path, folder)).toBe(expected);
  });
});
