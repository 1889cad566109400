import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteCache } from '../../vectors/cache/sqlite-cache.ts';
import { openWriter } from '../../knowledge/stores/sqlite/open-database.ts';
import { openBoardStore } from './open-board-store.ts';
import { createPrivateFile, makeFolder, readPrivateFile, writePrivateFile } from './private-file.ts';

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
  // As open as possible: only the code keeps others out.
  chmodSync(folder, 0o777);
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const modes = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== '.gitignore')
      .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

interface Closable {
  close(): unknown;
}

describe('a database', () => {
  it.for<[string, () => Closable | Promise<Closable>, string]>([
    [
      'of records and tokens',
      async () => {
        const store = openBoardStore({ folder });
        await store.space('oauth').set('a', 'secret');
        return store;
      },
      'board.db',
    ],
    [
      'of knowledge',
      () => {
        const database = openWriter(join(folder, 'store.db'));
        database.exec("insert or replace into facts values ('x', 1)");
        return database;
      },
      'store.db',
    ],
    [
      'of vectors',
      () => {
        const cache = openSqliteCache({ folder });
        cache.set([['a', new Float32Array([1])]]);
        return cache;
      },
      'vectors.db',
    ],
  ])('%s is private, including the files that SQLite creates next to it', async ([, open, name]) => {
    const expected = { [name]: '600', [`${name}-shm`]: '600', [`${name}-wal`]: '600' };
    const first = await open();
    expect(modes()).toEqual(expected);
    // An earlier version left it open to others.
    for (const file of Object.keys(expected)) chmodSync(join(folder, file), 0o644);
    const second = await open();
    expect(modes()).toEqual(expected);
    await second.close();
    await first.close();
  });
});

describe('a private file', () => {
  it('is complete and private, and replaces an existing file', () => {
    const file = join(folder, 'secret');
    writeFileSync(file, 'old', { mode: 0o666 });
    writePrivateFile(file, 'new');
    expect(modes()).toEqual({ secret: '600' });
    expect(readPrivateFile(file)).toBe('new');
  });

  it('is created once, by the first process', () => {
    const file = join(folder, 'secret');
    expect([createPrivateFile(file, 'one'), createPrivateFile(file, 'two')]).toEqual([true, false]);
    expect(readFileSync(file, 'utf8')).toBe('one');
    expect(modes()).toEqual({ secret: '600' });
  });

  it('is not read if others could have read or placed it', () => {
    const file = join(folder, 'secret');
    expect(readPrivateFile(file)).toBeUndefined();
    writeFileSync(file, 'x', { mode: 0o640 });
    expect(() => readPrivateFile(file)).toThrow(
      `The file ${file} may be read by others (mode 640), so it is not used. Delete it to get a new one.`,
    );
    symlinkSync(file, join(folder, 'link'));
    expect(() => readPrivateFile(join(folder, 'link'))).toThrow('cannot be read: ELOOP');
  });

  it('is not read while it has a hard link in another folder, through which a search may read it', () => {
    const file = join(folder, 'secret');
    createPrivateFile(file, 'x');
    // The remains of a process that was killed while it created the file.
    linkSync(file, `${file}.draft.new`);
    expect(readPrivateFile(file)).toBe('x');
    mkdirSync(join(folder, 'searched'));
    linkSync(file, join(folder, 'searched/notes.txt'));
    expect(() => readPrivateFile(file)).toThrow(
      `The file ${file} has another name (a hard link) in another folder, so it is not used. Delete that name: find / -xdev -samefile "${file}"`,
    );
    rmSync(join(folder, 'searched/notes.txt'));
    expect(readPrivateFile(file)).toBe('x');
  });
});

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

it.runIf(process.platform === 'linux')('fails if no folder can be created', () => {
  expect(() => makeFolder('/proc/pegboard/data')).toThrow('ENOENT');
});
