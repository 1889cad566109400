// The store as boards and people use it: several processes, PostgreSQL, a move from one database to another.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBoard } from '../src/index.ts';
import { openSession } from '../src/agent.ts';
import { startPostgres, type TestServer } from '../src/platform/postgres/test-server.test-helper.ts';
import { openBoardStore } from '../src/platform/store/open-board-store.ts';
import { checkStoreKey, readStoreKey, sealStore } from '../src/platform/store/sealed-space.ts';
import { CLI } from './cli-program.test-helper.ts';
import { needs } from './needs.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-store-story-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    'tools: [{ name: hello, type: cli, description: Hi, command: echo, risk: read }]',
  );
});

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  try {
    const options = {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...env },
    };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [CLI, ...args], options)) };
  } catch (error) {
    // The type that `execFile` rejects with when the program fails.
    return error as Outcome;
  }
}

describe('pegboard store', () => {
  it('shows what a board keeps, and gives space back', async () => {
    const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
    await openSession(board.store, 'ada').save([{ role: 'user', content: 'x'.repeat(500_000) }]);
    await openSession(board.store, 'ada').clear();
    await openSession(board.store, 'bob').save([{ role: 'user', content: 'Hello' }]);
    await board.close();
    const shown = await run(['store', 'status']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(`${join(dataOf(folder), 'board.db')} (sqlite)`);
    expect(shown.stdout).toMatch(/agent-sessions +1 record\n/);
    const { before, size } = JSON.parse((await run(['store', 'vacuum', '--json'])).stdout);
    expect(size).toBeLessThan(before);
    expect(await run(['store', 'migrate'])).toMatchObject({
      code: 0,
      stdout: `${join(dataOf(folder), 'board.db')} has tables of version 2.\n`,
    });
  });

  it('says what is wrong with an address, and shows no password', async () => {
    const unreachable = await run(['store', 'status'], { PEGBOARD_STORE: 'postgres://me:hunter22@127.0.0.1:1/team' });
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toContain(
      'The PostgreSQL server 127.0.0.1:1/team cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check that it runs and that store is right.',
    );
    expect(unreachable.stderr + unreachable.stdout).not.toContain('hunter22');
    const strange = await run(['store', 'status'], { PEGBOARD_STORE: 'postgres://h/db?schema=a-b' });
    expect(strange.stderr).toContain('store: the schema "a-b" is not a name.');
    writeFileSync(join(folder, 'pegboard.yaml'), 'store: ${TEAM_DB}\ntools: []');
    const unset = await run(['store', 'status']);
    expect(unset).toMatchObject({ code: 1, stderr: expect.stringContaining('TEAM_DB') });
  });
});

describe('what is sealed', () => {
  it('opens with the key of the board, in its own place only', async () => {
    const store = openBoardStore({ folder: join(folder, 'data') });
    const key = readStoreKey({ folder: join(folder, 'data'), env: {} });
    expect(statSync(join(folder, 'data', 'store.key')).mode & 0o777).toBe(0o600);
    expect(readStoreKey({ folder: join(folder, 'data'), env: {} })).toEqual(key);
    const open = async (): Promise<Buffer> => {
      await checkStoreKey(store, key);
      return key;
    };
    const sealed = sealStore(store, { open });
    const space = sealed.space('oauth');
    await space.set('a', { access: 'sesame-open' });
    expect(await space.get('a')).toEqual({ access: 'sesame-open' });
    expect((await space.entries())[0]?.value).toEqual({ access: 'sesame-open' });
    expect(JSON.stringify(await store.space('oauth').get('a'))).not.toContain('sesame');
    expect(readFileSync(join(folder, 'data', 'board.db-wal')).includes('sesame-open')).toBe(false);
    // A record that someone copied to another name.
    await store.space('oauth').set('b', await store.space('oauth').get('a'));
    await expect(space.get('b')).rejects.toMatchObject({ code: 'execution_failed' });
    await sealed.transaction(async (inside) => {
      await inside.space('oauth').set('c', await inside.space('oauth').get('a'));
    });
    expect(await space.get('c')).toEqual({ access: 'sesame-open' });
    expect(JSON.stringify(await store.space('oauth').get('c'))).not.toContain('sesame');
    // One who can write to the database must not log others in.
    await store.space('oauth').set('planted', { access: 'plain' });
    expect(await space.get('planted')).toBeUndefined();
    await store.close();
  });

  it('is refused with another key, and a key must be one', async () => {
    const store = openBoardStore({ folder: join(folder, 'data') });
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    await checkStoreKey(store, one);
    await checkStoreKey(store, one);
    await expect(checkStoreKey(store, other)).rejects.toMatchObject({
      code: 'invalid_config',
      message: `The board's store ${join(folder, 'data', 'board.db')} is sealed with another key. Set PEGBOARD_KEY to the key of the other processes of this board, or copy their store.key into the data folder.`,
    });
    expect(readStoreKey({ folder, env: { PEGBOARD_KEY: other.toString('hex') } })).toEqual(other);
    expect(() => readStoreKey({ folder, env: { PEGBOARD_KEY: 'short' } })).toThrow(
      'PEGBOARD_KEY is not a key of 32 bytes. Make one: openssl rand -base64 32',
    );
    await store.close();
  });
});

describe('a board on PostgreSQL', needs('postgresql'), () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it('keeps everything there, for every process, and makes no database of its own', async () => {
    writeFileSync(join(folder, 'pegboard.yaml'), 'store: ${TEAM_DB}\ntools: []');
    const url = `${server.url}?schema=team`;
    const open = () => openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, env: { TEAM_DB: url } });
    const [one, other] = [await open(), await open()];
    await openSession(one.store, 'ada').save([{ role: 'user', content: 'Hello' }]);
    expect((await openSession(other.store, 'ada').read()).messages).toHaveLength(1);
    await Promise.all([one.close(), other.close()]);
    const shown = await run(['store', 'status', '--json'], { TEAM_DB: url });
    expect(JSON.parse(shown.stdout)).toMatchObject({ driver: 'postgres', version: 2, spaces: { 'agent-sessions': 1 } });
    expect(() => statSync(join(dataOf(folder), 'board.db'))).toThrow('ENOENT');
  });

  it('takes over what a board kept in its folder, and back', async () => {
    const here = openBoardStore({ folder: join(folder, 'data') });
    for (let n = 0; n < 450; n++) await here.space(`s${n % 3}`).set(`k${n}`, { n });
    await here.bytes.write({ id: 'out', piece: 0, bytes: new Uint8Array([0, 1, 255]) });
    await here.journal.append(
      Array.from({ length: 250 }, (_, at) => ({ at, type: 'ended', call: `c${at}`, tool: 't', body: '{}' })),
    );
    await here.close();
    const url = `${server.url}?schema=moved`;
    expect(await run(['store', 'copy', 'data', url])).toMatchObject({ code: 0, stdout: 'Copied 701 rows.\n' });
    expect(await run(['store', 'copy', 'data', url])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty. Copy to one that is, so that nothing in it is lost.'),
    });
    expect((await run(['store', 'copy', url, 'back'])).code).toBe(0);
    const read = (data: string): unknown[] => {
      const database = new DatabaseSync(join(folder, data, 'board.db'));
      const rows = ['records', 'pieces', 'journal'].map((table) => database.prepare(`select * from ${table}`).all());
      database.close();
      return rows;
    };
    expect(read('back')).toEqual(read('data'));
  });

  it('says so while the database is away, and goes on when it is back', async () => {
    const store = openBoardStore({ folder, url: `${server.url}?schema=away` });
    await store.space('x').set('a', 1);
    let heard = 0;
    store.watch('news', () => heard++);
    await server.kill();
    // A backend may outlive its server for a moment, and answers then.
    await expect
      .poll(() =>
        store
          .space('x')
          .get('a')
          .catch((error: unknown) => error),
      )
      .toMatchObject({ code: 'upstream_unavailable' });
    await server.start();
    expect(await store.space('x').get('a')).toBe(1);
    const other = openBoardStore({ folder, url: `${server.url}?schema=away` });
    await expect
      .poll(async () => {
        await other.signal('news');
        return heard;
      })
      .toBeGreaterThan(0);
    await Promise.all([store.close(), other.close()]);
  });
});
