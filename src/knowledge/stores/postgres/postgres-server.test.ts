// What one connection cannot show: many writers, crashes, a server without pgvector. Skipped where no PostgreSQL server
// is installed (Debian: apt-get install postgresql).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStore } from '../store-contract.test-helper.ts';
import { createDocument, TEST_EMBEDDING } from '../store-fixtures.test-helper.ts';
import { POSTGRES_BIN, startPostgres, type TestServer } from '../../../platform/postgres/test-server.test-helper.ts';
import type { VectorStore } from '../../vector-store.ts';
import { openPostgresStore } from './postgres-store.ts';
import { PostgresServer } from '../../../platform/postgres/postgres-server.ts';

describe.skipIf(POSTGRES_BIN === undefined)('a PostgreSQL server without pgvector', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  describeStore('postgres without pgvector', {
    async open() {
      const store = openPostgresStore({ url: server.url, maxConnections: 4 });
      for (const { name } of await store.collections()) await store.dropCollection(name);
      return store;
    },
    hasVectors: false,
  });

  it('says what is missing for vectors', async () => {
    const store = openPostgresStore({ url: server.url });
    await expect(store.ensureCollection('vectors', TEST_EMBEDDING)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message:
        'The PostgreSQL server has no pgvector, which vectors need. Install it on the server, or take rag.vectorizer out of the config to search by words alone.',
    });
    expect(await store.vectorProblem?.()).toMatch(/^The PostgreSQL server has no pgvector/);
    await store.close();
  });

  it('makes nothing when it is only looked at', async () => {
    const store = openPostgresStore({ url: server.url, schema: 'unseen' });
    expect(await store.collections()).toEqual([]);
    expect(await store.dropCollection('docs')).toBe(false);
    for (const look of [
      () => store.stats('docs'),
      () => store.documents('docs'),
      () => store.read('docs'),
      () => store.chunks('docs', ['a#0']),
      () => store.search('docs', { by: 'words', text: 'x', limit: 1 }),
    ]) {
      await expect(look()).rejects.toMatchObject({ code: 'not_found' });
    }
    const database = new PostgresServer({ url: server.url, maxConnections: 1, neededFor: 'This test', setting: 'url' });
    const schemas = await database.run((query) => query(`select 1 from pg_namespace where nspname = 'unseen'`));
    expect(schemas).toEqual([]);
    await database.close();
    await store.ensureCollection('docs', undefined);
    expect(await store.collections()).toEqual([{ name: 'docs', embedding: undefined }]);
    await store.close();
  });

  it('says so when the words of a collection were read by other rules, and lets it be read and made anew', async () => {
    const store = openPostgresStore({ url: server.url, schema: 'other_words' });
    await store.ensureCollection('docs', undefined);
    await store.upsert('docs', [createDocument('a', ['fox'])]);
    const database = new PostgresServer({ url: server.url, maxConnections: 1, neededFor: 'This test', setting: 'url' });
    await database.run((query) => query('update other_words.collections set terms = 0'));
    await database.close();
    const message = 'which reads words otherwise. Index it anew: pegboard rag reindex --collection docs';
    await expect(store.search('docs', { by: 'words', text: 'fox', limit: 1 })).rejects.toThrow(message);
    await expect(store.ensureCollection('docs', undefined)).rejects.toThrow(message);
    expect(await store.read('docs')).toMatchObject([{ id: 'a' }]);
    expect(await store.dropCollection('docs')).toBe(true);
    await store.close();
  });

  it('loses no write and no search while collections exchange their names', async () => {
    const open = (): VectorStore => openPostgresStore({ url: server.url, schema: 'exchange' });
    const [here, writer, reader] = [open(), open(), open()];
    for (const name of ['docs', 'next']) {
      await here.ensureCollection(name, undefined);
      await here.upsert(name, [createDocument(`of ${name}`, ['common'])]);
    }
    const exchange = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) {
        await here.renameCollections?.([
          { from: 'docs', to: 'before' },
          { from: 'next', to: 'docs' },
          { from: 'before', to: 'next' },
        ]);
      }
    };
    const write = async (): Promise<void> => {
      for (let n = 0; n < 40; n++) await writer.upsert('docs', [createDocument(`${n}`, [`word${n}`])]);
    };
    const search = async (): Promise<void> => {
      for (let n = 0; n < 40; n++)
        expect(await reader.search('docs', { by: 'words', text: 'common', limit: 5 })).toHaveLength(1);
    };
    await Promise.all([exchange(), write(), search()]);
    const counts = await Promise.all(['docs', 'next'].map(async (name) => (await here.stats(name)).documents));
    expect(counts.reduce((sum, count) => sum + count)).toBe(42);
    await Promise.all([here, writer, reader].map((store) => store.close()));
  });

  it('needs no more rights than what is done, and says which are missing', async () => {
    const owner = openPostgresStore({ url: server.url, schema: 'rights' });
    await owner.ensureCollection('docs', undefined);
    await owner.upsert('docs', [createDocument('a', ['fox'])]);
    await owner.close();
    const database = new PostgresServer({ url: server.url, maxConnections: 1, neededFor: 'This test', setting: 'url' });
    await database.run(async (query) => {
      await query('create role reader login; create role writer login');
      await query('grant usage on schema rights to reader, writer');
      await query('grant select on all tables in schema rights to reader, writer');
      await query('grant insert, update, delete on all tables in schema rights to writer');
    });
    await database.close();
    const as = (user: string, schema = 'rights'): ReturnType<typeof openPostgresStore> =>
      openPostgresStore({ url: server.url.replace('postgres@', `${user}@`), schema });
    const [reader, writer, stranger, missing] = [as('reader'), as('writer'), as('writer', 'strange'), as('missing')];
    expect(await reader.search('docs', { by: 'words', text: 'fox', limit: 1 })).toHaveLength(1);
    await writer.ensureCollection('docs', undefined);
    await writer.upsert('docs', [createDocument('b', ['fox'])]);
    for (const [refused, message] of [
      [() => reader.upsert('docs', [createDocument('c', ['x'])]), 'refused: permission denied for table'],
      [() => stranger.ensureCollection('docs', undefined), 'Grant its user what is needed: to make the schema'],
      [() => missing.collections(), 'refused: role "missing" does not exist. Check the user in endpoint_url'],
    ] as const) {
      await expect(refused()).rejects.toMatchObject({
        code: 'permission_denied',
        message: expect.stringContaining(message),
      });
    }
    await Promise.all([reader, writer, stranger, missing].map((store) => store.close()));
  });

  it('lets many boards begin and write at once', async () => {
    const stores = Array.from({ length: 6 }, () =>
      openPostgresStore({ url: server.url, schema: 'crowd', maxConnections: 3 }),
    );
    await Promise.all(stores.map((store) => store.ensureCollection('docs', undefined)));
    await Promise.all(
      stores.flatMap((store, who) =>
        Array.from({ length: 8 }, async (_, n) => {
          await store.upsert('docs', [
            createDocument(`${who}-${n}`, ['common fox', `own${who}`]),
            createDocument('shared', [`shared by ${who}`, 'common']),
          ]);
          await store.search('docs', { by: 'words', text: 'common', limit: 10 });
        }),
      ),
    );
    const [store] = stores;
    expect(await store?.stats('docs')).toMatchObject({ documents: 49, chunks: 98 });
    expect(await store?.search('docs', { by: 'words', text: 'common', limit: 1_000 })).toHaveLength(49);
    expect(await store?.search('docs', { by: 'words', text: 'shared', limit: 1_000 })).toHaveLength(1);
    await Promise.all(stores.map((each) => each.close()));
  });

  it('keeps tenants apart by schema or prefix', async () => {
    const options = [{ schema: 'tenant_a' }, { schema: 'tenant_b' }, { schema: 'tenant_b', prefix: 'team_' }];
    const stores = options.map((each) => openPostgresStore({ url: server.url, ...each }));
    for (const [place, store] of stores.entries()) {
      await store.ensureCollection('docs', undefined);
      await store.upsert('docs', [createDocument(`${place}`, ['fox'])]);
    }
    for (const [place, store] of stores.entries()) {
      expect((await store.documents('docs')).map(({ id }) => id)).toEqual([`${place}`]);
      await store.close();
    }
    for (const wrong of [
      { schema: 'a"; drop schema public; --' },
      { schema: 'pg_x' },
      { prefix: 'A-' },
      { schema: '' },
    ]) {
      expect(() => openPostgresStore({ url: server.url, ...wrong })).toThrow(
        'use up to 30 small letters, digits and "_"',
      );
    }
  });

  it('begins again when the server ends a connection between two statements', async () => {
    const [here, there] = [server.url, server.url].map(
      (url) => new PostgresServer({ url, maxConnections: 2, neededFor: 'This test', setting: 'url' }),
    );
    let attempts = 0;
    const answer = await here?.transaction(async (query) => {
      const [row] = await query<{ pid: number }>('select pg_backend_pid() as pid');
      if (++attempts === 1) await there?.run((other) => other('select pg_terminate_backend($1, 5000)', [row?.pid]));
      return query('select 1 as one');
    });
    expect({ answer, attempts }).toEqual({ answer: [{ one: 1 }], attempts: 2 });
    await Promise.all([here?.close(), there?.close()]);
  });

  it('has every acknowledged document after the server was killed, and goes on when it is back', async () => {
    const store = openPostgresStore({ url: server.url, schema: 'crash', maxConnections: 4 });
    await store.ensureCollection('docs', undefined);
    const said: string[] = [];
    let failure: unknown;
    const enough = Promise.withResolvers<void>();
    const writing = (async () => {
      for (let n = 0; failure === undefined; n++) {
        try {
          await store.upsert('docs', [createDocument(`d${n}`, [`mark${n}x first`, `mark${n}x second`])]);
          said.push(`d${n}`);
          if (said.length === 40) enough.resolve();
        } catch (error) {
          failure = error;
        }
      }
    })();
    await enough.promise;
    await server.kill();
    await writing;
    expect(failure).toMatchObject({
      code: 'upstream_unavailable',
      message: expect.stringMatching(/^The PostgreSQL server 127\.0\.0\.1:\d+\/postgres cannot be reached: /),
    });
    await server.start();
    const ids = new Set((await store.documents('docs')).map(({ id }) => id));
    expect(said.filter((id) => !ids.has(id))).toEqual([]);
    for (const id of ids) {
      const hits = await store.search('docs', { by: 'words', text: `mark${id.slice(1)}x`, limit: 2 });
      expect(hits.map(({ chunkId }) => chunkId).toSorted()).toEqual([`${id}#0`, `${id}#1`]);
    }
    expect((await store.stats('docs')).chunks).toBe(ids.size * 2);
    await store.close();
  });
});

// A server with pgvector, such as scripts/postgres-with-pgvector.sh starts.
const url = process.env['PEGBOARD_TEST_POSTGRES_URL'];
describe.skipIf(url === undefined)('a PostgreSQL server with pgvector', () => {
  describeStore('postgres', {
    async open() {
      const store = openPostgresStore({ url: url ?? '' });
      for (const { name } of await store.collections()) await store.dropCollection(name);
      return store;
    },
  });
});
