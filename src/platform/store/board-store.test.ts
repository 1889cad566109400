import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBoardStore } from './board-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('openBoardStore', () => {
  it('keeps records over a restart, each in its space', () => {
    const first = openBoardStore({ folder });
    first.space('tasks').set('a', { state: 'working' });
    first.space('sessions').set('a', [1, null, 'ü']);
    first.close();
    const second = openBoardStore({ folder });
    expect(second.space('tasks').get('a')).toEqual({ state: 'working' });
    expect(second.space('sessions').get('a')).toEqual([1, null, 'ü']);
    second.space('tasks').clear();
    expect(second.space('tasks').get('a')).toBeUndefined();
    expect(second.space('sessions').delete('a')).toBe(true);
    expect(second.space('sessions').delete('a')).toBe(false);
    second.close();
  });

  it('forgets a record when its time is over', () => {
    let now = 1_000;
    const store = openBoardStore({ folder, clock: { now: () => now } });
    store.space('tasks').set('a', 1, { ttl: 100 });
    store.space('tasks').set('b', 2);
    now = 1_100;
    expect(store.space('tasks').get('a')).toBeUndefined();
    expect(store.space('tasks').entries()).toEqual([{ key: 'b', value: 2, changedAt: 1_000 }]);
    store.close();
  });

  it('lists the longest unchanged first', () => {
    let now = 0;
    const store = openBoardStore({ folder, clock: { now: () => ++now } });
    for (const key of ['a', 'b', 'c', 'a']) store.space('x').set(key, key);
    expect(
      store
        .space('x')
        .entries()
        .map(({ key }) => key),
    ).toEqual(['b', 'c', 'a']);
    store.close();
  });

  it('undoes a transaction that fails', () => {
    const store = openBoardStore({ folder });
    store.space('x').set('a', 1);
    expect(() =>
      store.transaction(() => {
        store.space('x').set('a', 2);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(store.space('x').get('a')).toBe(1);
    store.close();
  });

  it('loses no count when two processes add up at once', () => {
    const script = `
      import { openBoardStore } from ${JSON.stringify(join(import.meta.dirname, 'board-store.ts'))};
      const store = openBoardStore({ folder: ${JSON.stringify(folder)} });
      for (let round = 0; round < 50; round++)
        store.transaction(() => store.space('x').set('count', (store.space('x').get('count') ?? 0) + 1));
      store.close();`;
    const file = join(folder, 'count.mjs');
    writeFileSync(file, script);
    const node = process.execPath;
    execFileSync('sh', ['-c', `"${node}" "${file}" & "${node}" "${file}" & wait`]);
    const store = openBoardStore({ folder });
    expect(store.space('x').get('count')).toBe(100);
    store.close();
  });

  it('keeps its folder out of version control', () => {
    openBoardStore({ folder: join(folder, 'data') }).close();
    expect(readFileSync(join(folder, 'data', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('says what to set when the folder cannot be used', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => openBoardStore({ folder: join(folder, 'file', 'data') })).toThrow(
      /cannot be opened: .*Set data in pegboard\.yaml, or PEGBOARD_DATA, to a folder that can be written\./,
    );
  });
});
