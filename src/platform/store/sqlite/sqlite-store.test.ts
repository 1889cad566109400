import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBoardStore } from '../open-board-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a separate program that has the store open as `store`. */
function program(name: string, work: string): string {
  const file = join(folder, `${name}.mjs`);
  const source = JSON.stringify(join(import.meta.dirname, '..', 'open-board-store.ts'));
  writeFileSync(
    file,
    `import { statSync } from 'node:fs';
     import { openBoardStore } from ${source};
     const store = openBoardStore({ folder: ${JSON.stringify(folder)} });
     ${work}`,
  );
  return file;
}

describe('a store in SQLite', () => {
  it('keeps everything over a restart', async () => {
    const first = openBoardStore({ folder });
    await first.space('tasks').set('a', { state: 'working' });
    await first.journal.append([{ at: 1, type: 'started', call: 'c', body: '{}' }]);
    await first.close();
    const second = openBoardStore({ folder });
    expect(await second.space('tasks').get('a')).toEqual({ state: 'working' });
    expect(await second.journal.read({})).toHaveLength(1);
    await second.close();
  });

  it('deletes leases free for a day, and still issues higher tokens', async () => {
    let time = Date.now();
    const store = openBoardStore({ folder, clock: { now: () => time } });
    const held = await store.takeLease('held', { holder: 'a', ttl: 3 * 86_400_000 });
    const old = await store.takeLease('old', { holder: 'a', ttl: 1_000 });
    const released = await store.takeLease('released', { holder: 'a', ttl: 1_000 });
    await released?.release();
    expect(await released?.renew()).toBe(false);
    time += 2 * 86_400_000;
    await store.vacuum();
    const database = new DatabaseSync(join(folder, 'board.db'), { readOnly: true });
    expect(database.prepare('select name from leases').all()).toMatchObject([{ name: 'held' }]);
    database.close();
    expect(await held?.renew()).toBe(true);
    const again = await store.takeLease('released', { holder: 'b', ttl: 1_000 });
    expect(again?.token).toBeGreaterThan(released?.token ?? Infinity);
    if (old === undefined) throw new Error('The lease was not given.');
    await expect(store.transaction((inside) => inside.fence(old))).rejects.toMatchObject({ code: 'outcome_unknown' });
    await store.close();
  });

  it('copies its log to the file while it is written, and loses nothing', async () => {
    const store = openBoardStore({ folder });
    const log = join(folder, 'board.db-wal');
    const body = JSON.stringify('x'.repeat(2_000));
    let count = 0;
    for (let batch = 0; batch < 20; batch++) {
      const lines = Array.from({ length: 500 }, () => ({ at: 1, type: 'ended', call: `c-${++count}`, body }));
      await store.journal.append(lines, { durable: false });
    }
    // Twenty megabytes were written.
    expect(statSync(log).size).toBeLessThan(10 * 2 ** 20);
    expect((await store.status()).lines).toBe(count);
    await store.close();
    expect(existsSync(log)).toBe(false);
    const again = openBoardStore({ folder });
    expect((await again.journal.read({ limit: 1 }))[0]?.call).toBe(`c-${count}`);
    await again.close();
  });

  it('closes with a large log, in an otherwise idle process', async () => {
    const work = `const body = JSON.stringify('x'.repeat(200_000));
      const lines = Array.from({ length: 100 }, (_, at) => ({ at, type: 'ended', call: 'c', body }));
      await store.journal.append(lines, { durable: false });
      await store.close();
      console.log('closed');`;
    const { stdout } = await promisify(execFile)(process.execPath, [program('closing', work)]);
    expect(stdout).toBe('closed\n');
  });

  it('refuses a file of a version that it cannot read', async () => {
    const store = openBoardStore({ folder });
    await store.space('x').set('a', 1);
    await store.close();
    const newer = new DatabaseSync(join(folder, 'board.db'));
    newer.exec('insert into store_versions values (99, 98)');
    newer.close();
    const again = openBoardStore({ folder });
    await expect(again.space('x').get('a')).rejects.toMatchObject({
      code: 'invalid_config',
      message: `The board's store ${join(folder, 'board.db')} was written by a newer Pegboard (tables of version 99, this one knows 2). Update Pegboard, or give this board another store.`,
    });
    await again.close();
  });

  it('refuses a file of a version before the first that was published', async () => {
    const old = new DatabaseSync(join(folder, 'board.db'));
    old.exec('create table store_versions (version bigint primary key, readable_from bigint not null)');
    old.exec('insert into store_versions values (1, 1)');
    old.close();
    const store = openBoardStore({ folder });
    await expect(store.space('x').get('a')).rejects.toMatchObject({
      code: 'invalid_config',
      message: `The board's store ${join(folder, 'board.db')} was written by an earlier Pegboard (tables of version 1). Give this board another store, or delete that one.`,
    });
    await store.close();
  });

  it('loses no increment of three concurrent processes', async () => {
    const file = program(
      'count',
      `for (let round = 0; round < 30; round++)
        await store.transaction(async (inside) => {
          const space = inside.space('x');
          await space.set('count', ((await space.get('count')) ?? 0) + 1);
        });
      await store.close();`,
    );
    const run = promisify(execFile);
    await Promise.all([1, 2, 3].map(() => run(process.execPath, [file])));
    const store = openBoardStore({ folder });
    expect(await store.space('x').get('count')).toBe(90);
    await store.close();
  });

  it('waits for another process without blocking this one', async () => {
    const store = openBoardStore({ folder });
    await store.space('x').set('a', 1);
    const holder = new DatabaseSync(join(folder, 'board.db'));
    holder.exec('begin immediate');
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const written = store.space('x').set('a', 2);
    // Existing data can be read meanwhile.
    expect(await store.space('x').get('a')).toBe(1);
    await expect.poll(() => turns).toBeGreaterThan(5);
    holder.exec('commit');
    await written;
    clearInterval(timer);
    holder.close();
    expect(await store.space('x').get('a')).toBe(2);
    await store.close();
  });

  it('keeps the writes of a killed process and frees its leases at once', async () => {
    const file = program(
      'die',
      `await store.takeLease('turn', { holder: 'dead', ttl: 600_000 });
       let n = 0;
       for (;;) {
         await store.journal.append([{ at: ++n, type: 'x', call: 'c', body: '{}' }]);
         await store.space('x').set('last', n);
         console.log(n);
       }`,
    );
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (data: Buffer) => (said += data.toString()));
    await expect.poll(() => said.split('\n').length).toBeGreaterThan(20);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const told = Number(said.trimEnd().split('\n').at(-1));
    const store = openBoardStore({ folder });
    expect(Number(await store.space('x').get('last'))).toBeGreaterThanOrEqual(told);
    expect((await store.journal.read({ limit: 100_000 })).length).toBeGreaterThanOrEqual(told);
    expect(await store.leaseHolder('turn')).toBeUndefined();
    expect(await store.takeLease('turn', { holder: 'next', ttl: 1_000 })).toMatchObject({ token: expect.any(Number) });
    await store.close();
  });

  it('refuses to wait for itself inside a transaction', async () => {
    const store = openBoardStore({ folder });
    await expect(store.transaction(() => store.space('x').get('a'))).rejects.toThrow(
      'Inside a transaction use the store that the function was given: the outer one would wait for it.',
    );
    expect(await store.space('x').get('a')).toBeUndefined();
    await store.close();
  });

  it('keeps its folder out of version control', async () => {
    const store = openBoardStore({ folder: join(folder, 'data') });
    await store.space('x').get('a');
    await store.close();
    expect(readFileSync(join(folder, 'data', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('names the setting to change when the folder cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = openBoardStore({ folder: join(folder, 'file', 'data') });
    await expect(store.space('x').get('a')).rejects.toThrow(
      /cannot be opened: .*Set data in pegboard\.yaml, or PEGBOARD_DATA, to a folder that can be written\./,
    );
    await store.close();
  });

  it('creates nothing before its first use', async () => {
    await openBoardStore({ folder: join(folder, 'never') }).close();
    expect(execFileSync('ls', [folder], { encoding: 'utf8' })).toBe('');
  });
});
