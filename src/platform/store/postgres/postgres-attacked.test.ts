// Attacks on a board by someone with write access to the database, by another board in it, or by a hanging server.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../../postgres/postgres-server.ts';
import { POSTGRES_BIN, startPostgres, type TestServer } from '../../postgres/test-server.test-helper.ts';
import type { BoardStore } from '../board-store.ts';
import { sealStore } from '../sealed-space.ts';
import { SqlStore } from '../sql-store.ts';
import { PostgresDatabase } from './postgres-database.ts';

describe.skipIf(POSTGRES_BIN === undefined)('a store on an attacked PostgreSQL', () => {
  let postgres: TestServer;
  let admin: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    admin = new PostgresServer({ url: postgres.url, maxConnections: 2, neededFor: 'A test', setting: 'url' });
  }, 120_000);
  afterAll(async () => {
    await admin.close();
    await postgres.close();
  });

  const run = (sql: string, values: readonly unknown[] = []): Promise<unknown[]> =>
    admin.run((query) => query(sql, values));
  function open(
    schema: string,
    { url = postgres.url, patience }: { url?: string; patience?: number } = {},
  ): BoardStore {
    const store = new SqlStore(new PostgresDatabase({ url: `${url}?schema=${schema}`, patience }));
    onTestFinished(() => store.close());
    return store;
  }
  const seal = (store: BoardStore, key = Buffer.alloc(32, 7)): ReturnType<typeof sealStore> =>
    sealStore(store, { open: async () => key });

  it('separates boards in different schemas: records, lines, leases and signals', async () => {
    const [one, other] = [open('one'), open('other')];
    await one.space('x').set('a', 1, { owner: 'ada' });
    await one.journal.append([{ at: 1, type: 'ended', call: 'c', body: '{}' }]);
    expect(await one.takeLease('turn', { holder: 'one', ttl: 60_000 })).toBeDefined();
    expect(await other.space('x').get('a')).toBeUndefined();
    expect(await other.space('x').count()).toEqual({ records: 0, bytes: 0 });
    expect(await other.journal.read({})).toEqual([]);
    expect(await other.takeLease('turn', { holder: 'other', ttl: 60_000 })).toBeDefined();
    let heard = 0;
    const own = Promise.withResolvers<void>();
    other.watch('news', () => heard++);
    one.watch('news', () => own.resolve());
    await one.signal('news');
    await own.promise;
    // Its own signal comes after that of the other board.
    const echo = Promise.withResolvers<void>();
    other.watch('echo', () => echo.resolve());
    await other.signal('echo');
    await echo.promise;
    expect(heard).toBe(0);
  });

  it('opens no record that was moved, cut or assigned to another owner', async () => {
    const store = open('moved');
    const sealed = seal(store).space('logins');
    await sealed.set('ada', 'token of ada', { owner: 'ada' });
    await sealed.set('bob', 'token of bob', { owner: 'bob' });
    // The database does not contain the owner's name.
    expect(await run("select 1 from moved.records where owner in ('ada', 'bob')")).toEqual([]);
    await run("update moved.records set value = (select value from moved.records where key = 'ada') where key = 'bob'");
    await expect(sealed.get('bob')).rejects.toMatchObject({ code: 'execution_failed' });
    await run("update moved.records set value = left(value, 40) || '\"}' where key = 'ada'");
    await expect(sealed.get('ada')).rejects.toMatchObject({ code: 'execution_failed' });
    await run("update moved.records set value = '\"planted\"' where key = 'ada'");
    expect(await sealed.get('ada')).toBeUndefined();
    // With another key, the same owner has no records.
    expect(await seal(store, Buffer.alloc(32, 8)).space('logins').count({ owner: 'ada' })).toMatchObject({
      records: 0,
    });
  });

  it('finds lines by time even if one has the greatest possible number', async () => {
    const store = open('numbered');
    const lines = Array.from({ length: 6_000 }, (_, at) => ({ at, type: 'ended', call: `c${at}`, body: '{}' }));
    await store.journal.append(lines);
    await run(
      "insert into numbered.journal (number, at, type, call, body) overriding system value values (9223372036854775807, 1, 'ended', 'last', '{}')",
    );
    expect(await store.journal.read({ since: 5_998, order: 'oldest' })).toMatchObject([{ at: 5_998 }, { at: 5_999 }]);
  });

  it('reads few rows for a prefix or an owner among many others', async () => {
    const store = open('planned');
    await store.space('x').set('mine 1', 1, { owner: 'ada' });
    await run(
      "insert into planned.records (space, key, value, changed, owner, size) select 'x', 'other ' || n, '1', n, 'mallory', 1 from generate_series(1, 20000) n",
    );
    await run('analyze planned.records');
    const plan = async (where: string): Promise<string> =>
      JSON.stringify(await run(`explain select key from planned.records where space = 'x' and ${where}`));
    expect(await plan(`key collate "C" >= 'mine ' and key collate "C" < 'mine z'`)).toContain('records_prefix');
    expect(await plan(`owner = 'ada'`)).toContain('records_owner');
    expect(await store.space('x').keys({ prefix: 'mine ' })).toHaveLength(1);
    expect(await store.space('x').count({ owner: 'ada' })).toEqual({ records: 1, bytes: 1 });
  });

  it('reports a locked database as busy, and continues once it is free', async () => {
    const store = open('locked');
    await store.space('x').set('a', 1);
    await run("alter role postgres set lock_timeout = '200ms'");
    onTestFinished(async () => void (await run('alter role postgres reset lock_timeout')));
    const limited = open('locked');
    await admin.transaction(async (query) => {
      await query('lock table locked.records in access exclusive mode');
      await expect(limited.space('x').get('a')).rejects.toMatchObject({
        code: 'upstream_unavailable',
        message: expect.stringMatching(/is too busy: canceling statement due to lock timeout\. Try again/),
      });
    });
    expect(await limited.space('x').get('a')).toBe(1);
  });

  it('abandons a hanging server, and continues once it answers', async () => {
    const proxy = await startProxy(postgres.url);
    onTestFinished(() => proxy.close());
    const store = open('hanging', { url: proxy.url, patience: 300 });
    await store.space('x').set('a', 1);
    proxy.isHanging = true;
    await expect(store.space('x').get('a')).rejects.toMatchObject({ code: 'upstream_unavailable' });
    proxy.isHanging = false;
    expect(await store.space('x').get('a')).toBe(1);
  }, 60_000);
});

/** Starts a proxy in front of a server that forwards nothing while it hangs. */
async function startProxy(url: string): Promise<{ url: string; isHanging: boolean; close(): void }> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => open.delete(socket));
    }
    client.on('data', (chunk) => proxy.isHanging || upstream.write(chunk));
    upstream.on('data', (chunk) => proxy.isHanging || client.write(chunk));
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = new URL(url);
  // A server on TCP has one.
  address.port = String((server.address() as AddressInfo).port);
  const proxy = {
    url: address.href,
    isHanging: false,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
  return proxy;
}
