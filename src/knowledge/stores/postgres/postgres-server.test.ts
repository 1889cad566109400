// Cases beyond one connection: many writers, crashes, a server without pgvector.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStore } from '../store-contract.test-helper.ts';
import { createDocument, TEST_EMBEDDING } from '../store-fixtures.test-helper.ts';
import { findPort, startPostgres, type TestServer } from '../../../platform/postgres/test-server.test-helper.ts';
import type { VectorStore } from '../../vector-store.ts';
import { openPostgresStore } from './postgres-store.ts';
import { PostgresServer } from '../../../platform/postgres/postgres-server.ts';
import { needs } from '../../../../test/needs.test-helper.ts';

describe('a PostgreSQL server without pgvector', needs('postgresql'), () => {
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

  it('says what is missing for vectors', needs('postgresql-without-pgvector'), async () => {
    const store = openPostgresStore({ url: server.url });
    await expect(store.ensureCollection('vectors', TEST_EMBEDDING)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message:
        'The PostgreSQL server has no pgvector, which vectors need. Install it on the server, or take rag.vectorizer out of the config to search by words alone.',
    });
    expect(await store.vectorProblem?.()).toMatch(/^The PostgreSQL server has no pgvector/);
    await store.close();
  });

  it('creates nothing when it is only read', async () => {
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

  it('reports that the words of a collection were read by other rules, and lets it be read and rebuilt', async () => {
    const store = openPostgresStore({ url: server.url, schema: 'other_words' });
    await store.ensureCollection('docs', undefined);
    await store.upsert('docs', [createDocument('a', ['fox'])]);
    const database = new PostgresServer({ url: server.url, maxConnections: 1, neededFor: 'This test', setting: 'url' });
    await database.run((query) => query('update other_words.collections set terms = 0'));
    await database.close();
    const message = 'which reads words by other rules. Rebuild it: pegboard rag reindex --collection docs';
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

  it('needs no more rights than the work requires, and names missing ones', async () => {
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
      [() => stranger.ensureCollection('docs', undefined), 'Grant its user the rights to create the schema'],
      [() => missing.collections(), 'refused: role "missing" does not exist. Check the user in endpoint_url'],
    ] as const) {
      await expect(refused()).rejects.toMatchObject({
        code: 'permission_denied',
        message: expect.stringContaining(message),
      });
    }
    await Promise.all([reader, writer, stranger, missing].map((store) => store.close()));
  });

  it('lets many boards start and write at once', async () => {
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

  it('starts again when the server ends a connection between two statements', async () => {
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

  it('has every acknowledged document after the server was killed, and continues when it is back', async () => {
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

// `npm test` starts this server.
const url = process.env['PEGBOARD_TEST_POSTGRES_URL'];
describe('a PostgreSQL server with pgvector', needs('pgvector'), () => {
  describeStore('postgres', {
    async open() {
      const store = openPostgresStore({ url: url ?? '' });
      for (const { name } of await store.collections()) await store.dropCollection(name);
      return store;
    },
  });

  describe('with many vectors', () => {
    const DIMENSION = 128;
    const schema = 'many_vectors';
    const direction = (seed: number): Float32Array =>
      Float32Array.from({ length: DIMENSION }, (_, place) => Math.sin((seed + 1) * (place + 1) * 1.7));
    const open = (at = url ?? ''): VectorStore => openPostgresStore({ url: at, schema, exactUpTo: 100 });
    const vectors = (): PostgresServer =>
      new PostgresServer({ url: url ?? '', maxConnections: 2, neededFor: 'This test', setting: 'url' });
    const indexes = (database: PostgresServer): Promise<unknown[]> =>
      database.run((query) =>
        query(
          `select indisvalid as valid from pg_index where indrelid = '${schema}.vectors_1'::regclass and not indisprimary`,
        ),
      );
    let database: PostgresServer;
    beforeAll(async () => {
      database = vectors();
      await database.run((query) => query(`drop schema if exists ${schema} cascade`));
      const store = open();
      await store.ensureCollection('docs', { embedder: 'test', dimension: DIMENSION, distance: 'cosine' });
      for (let from = 0; from < 6_000; from += 600) {
        const documents = Array.from({ length: 600 }, (_, n) => {
          const chunk = { text: 'x', headings: [], lines: undefined, embedding: direction(from + n) };
          return { ...createDocument(`d${from + n}`, []), tags: n % 3 === 0 ? ['third'] : [], chunks: [chunk] };
        });
        await store.upsert('docs', documents);
      }
      await store.close();
    });
    afterAll(async () => {
      await database.run((query) => query(`drop schema if exists ${schema} cascade`));
      await database.close();
    });

    it('rebuilds the leftover of a killed build', async () => {
      const [killed, next] = [open(), open()];
      const building = killed.optimize?.('docs');
      await expect
        .poll(
          () =>
            database.run((query) =>
              query(
                `select pg_terminate_backend(pid) from pg_stat_progress_create_index
                  where relid = '${schema}.vectors_1'::regclass and tuples_done > 0`,
              ),
            ),
          { interval: 5 },
        )
        .toHaveLength(1);
      expect(await building).toMatch(
        /^The index over the vectors of "docs" could not be built: .*Searches compare all/,
      );
      expect(await indexes(database)).toEqual([{ valid: false }]);
      const search = { by: 'vector', vector: direction(17), limit: 1 } as const;
      expect(await next.search('docs', search)).toMatchObject([{ chunkId: 'd17#0' }]);
      expect(await next.optimize?.('docs')).toBeUndefined();
      expect(await indexes(database)).toEqual([{ valid: true }]);
      await Promise.all([killed.close(), next.close()]);
    });

    it('builds one index even if several builds start, while documents are written and found', async () => {
      await database.run((query) => query(`drop index ${schema}.vectors_1_half`));
      const stores = [open(), open(), open()];
      const built = new AbortController();
      const write = async (): Promise<number> => {
        let count = 0;
        for (; !built.signal.aborted; count++) {
          const chunk = { text: 'x', headings: [], lines: undefined, embedding: direction(10_000 + count) };
          await stores[2]?.upsert('docs', [{ ...createDocument(`late${count}`, []), chunks: [chunk] }]);
        }
        return count;
      };
      const writing = write();
      expect(await Promise.all(stores.map(async (store) => store.optimize?.('docs')))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      built.abort();
      const count = await writing;
      expect(count).toBeGreaterThan(1);
      expect(await indexes(database)).toEqual([{ valid: true }]);
      const search = { by: 'vector', vector: direction(10_000 + count - 1), limit: 1 } as const;
      expect(await stores[0]?.search('docs', search)).toMatchObject([{ chunkId: `late${count - 1}#0` }]);
      await Promise.all(stores.map((store) => store.close()));
    });

    it('builds an index though another process changed the catalog at the same moment', async () => {
      // A sequence keeps counting when a statement fails, so that the first two builds fail as PostgreSQL does in that case.
      await database.run(async (query) => {
        await query(`drop index ${schema}.vectors_1_half`);
        await query(`create sequence ${schema}.builds`);
        await query(`create function ${schema}.collide() returns event_trigger language plpgsql as $$ begin
          if current_query() like '%${schema}%' then
            if nextval('${schema}.builds') <= 2 then
              raise exception 'tuple concurrently updated' using errcode = 'XX000';
            end if;
          end if;
        end $$`);
        await query(`create event trigger many_vectors_collide on ddl_command_start
          when tag in ('CREATE INDEX') execute function ${schema}.collide()`);
      });
      const store = open();
      try {
        expect(await store.optimize?.('docs')).toBeUndefined();
        expect(await indexes(database)).toEqual([{ valid: true }]);
        expect(await database.run((query) => query(`select last_value::int as builds from ${schema}.builds`))).toEqual([
          { builds: 3 },
        ]);
      } finally {
        await database.run((query) => query('drop event trigger many_vectors_collide'));
        await store.close();
      }
    });

    it('drops a collection whose index is being built', async () => {
      const store = open();
      const [from, to] = [(await store.read('docs', { limit: 1_000 })).slice(0, 900), 'going'];
      await store.ensureCollection(to, { embedder: 'test', dimension: DIMENSION, distance: 'cosine' });
      for (let copy = 0; copy < 6; copy++)
        await store.upsert(
          to,
          from.map((document) => ({ ...document, id: `${copy} ${document.id}` })),
        );
      const building = store.optimize?.(to);
      const running = `select 1 from pg_stat_progress_create_index p join pg_class c on c.oid = p.relid
        where relnamespace = '${schema}'::regnamespace and tuples_done > 0`;
      await expect.poll(() => database.run((query) => query(running)), { interval: 5 }).toHaveLength(1);
      expect(await store.dropCollection(to)).toBe(true);
      expect(await building).toMatch('canceling statement due to user request');
      await store.close();
    });

    it('works through PgBouncer, whose connections many share', needs('pgbouncer'), async () => {
      await database.run((query) => query(`drop index ${schema}.vectors_1_half`));
      const bouncer = await startBouncer(url ?? '');
      const store = open(bouncer.url);
      expect(await store.optimize?.('docs')).toBeUndefined();
      expect(await indexes(database)).toEqual([{ valid: true }]);
      const request = { by: 'vector', vector: direction(42), filter: { tags: ['third'] }, limit: 100 } as const;
      expect(await store.search('docs', request)).toMatchObject([
        { chunkId: 'd42#0' },
        ...Array.from({ length: 99 }, () => ({})),
      ]);
      const other = new PostgresServer({ url: bouncer.url, maxConnections: 1, neededFor: 'This test', setting: 'url' });
      const settings = await other.run((query) =>
        query(`select current_setting('enable_seqscan') as scan, current_setting('hnsw.iterative_scan', true) as on`),
      );
      expect(settings).toEqual([{ scan: 'on', on: 'off' }]);
      await Promise.all([store.close(), other.close()]);
      await bouncer.close();
    });
  });
});

/** Starts PgBouncer in transaction mode with two connections to the server, which all clients share. */
async function startBouncer(server: string): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(server);
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-bouncer-'));
  const own = await findPort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: own,
    auth_type: 'any',
    pool_mode: 'transaction',
    unix_socket_dir: '',
    default_pool_size: 2,
    max_client_conn: 50,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const database = `* = host=${hostname} port=${port} user=postgres`;
  writeFileSync(join(folder, 'ini'), ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  for (const path of [folder, join(folder, 'ini')]) chmodSync(path, 0o755);
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = spawn('/usr/sbin/pgbouncer', [...user, join(folder, 'ini')], { stdio: 'ignore' });
  const url = `postgresql://postgres@127.0.0.1:${own}/postgres`;
  const client = new PostgresServer({ url, maxConnections: 1, neededFor: 'This test', setting: 'url' });
  await expect
    .poll(() => client.run((query) => query('select 1 as one')).catch(() => []), { timeout: 20_000 })
    .toHaveLength(1);
  await client.close();
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
