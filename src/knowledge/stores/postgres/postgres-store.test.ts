import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer, type Query } from '../../../platform/postgres/postgres-server.ts';
import type { DocumentFilter, KnowledgeDocument, SearchHit, VectorStore } from '../../vector-store.ts';
import { createMemoryStore } from '../sqlite/sqlite-store.ts';
import { describeStore } from '../store-contract.test-helper.ts';
import { createDocument } from '../store-fixtures.test-helper.ts';
import { getCollection } from './collections.ts';
import { startPglite } from './pglite-server.test-helper.ts';
import { openPostgresStore } from './postgres-store.ts';
import { nameTables } from './tables.ts';
import { searchVectors, type VectorSearch } from './vectors/search-vectors.ts';
import { findIndex } from './vectors/vector-index.ts';
import { scoreWords } from './words/search-words.ts';

const DIMENSION = 8;
const EMBEDDING = { embedder: 'test', dimension: DIMENSION, distance: 'cosine' } as const;
const COUNT = 1_200;
const FEW = 50;

let seed = 1;
const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
const direction = (): Float32Array => Float32Array.from({ length: DIMENSION }, () => random() - 0.5);

let pglite: Awaited<ReturnType<typeof startPglite>>;
let server: PostgresServer;
beforeAll(async () => {
  pglite = await startPglite(8);
  server = new PostgresServer({ url: pglite.url, maxConnections: 1, neededFor: 'This test', setting: 'url' });
});
afterAll(async () => {
  await server.close();
  await pglite.close();
});

describeStore('postgres with pgvector', {
  async open() {
    const store = openPostgresStore({ url: pglite.url, maxConnections: 1 });
    for (const { name } of await store.collections()) await store.dropCollection(name);
    return store;
  },
});

// Large collections: indexes are used, filters lose nothing, builds are repeated.
const open = (schema: string, exactUpTo?: number): VectorStore =>
  openPostgresStore({ url: pglite.url, schema, maxConnections: 1, ...(exactUpTo === undefined ? {} : { exactUpTo }) });

describe('vectors of a large collection', () => {
  const tables = nameTables('large', '');
  let store: VectorStore;
  let exact: VectorStore;
  const centres = Array.from({ length: 10 }, direction);
  beforeAll(async () => {
    store = open('large', FEW);
    exact = open('large', Infinity);
    await store.ensureCollection('docs', EMBEDDING);
    const documents = Array.from({ length: COUNT }, (_, n): KnowledgeDocument => {
      const topic = n % centres.length;
      const vector = direction().map((value, place) => value * 0.4 + (centres[topic]?.[place] ?? 0));
      const tags = [
        'all',
        ...(topic > 4 ? ['far'] : []),
        ...(n % 7 === 3 ? ['seventh'] : []),
        ...(n % 100 === 42 ? ['rare'] : []),
      ];
      const chunk = { text: `chunk ${n} of topic${topic}`, headings: [], lines: undefined, embedding: vector };
      const sourcePath = `topic${topic}/${n}.md`;
      return { ...createDocument(`d${n}`, []), tags, sourcePath, chunks: [chunk] };
    });
    // Documents of another collection, between those of this one.
    await server.run((query) =>
      query(`insert into large.documents (collection, id, hash, type, tags, path, count)
        select 9, n::text, '', 'general', '["all"]', n::text, 1 from generate_series(1, 20000) as n`),
    );
    for (let from = 0; from < COUNT; from += 600) await store.upsert('docs', documents.slice(from, from + 600));
  });
  afterAll(async () => {
    await store.close();
    await exact.close();
  });

  const nearest = (from: VectorStore, vector: Float32Array, filter?: DocumentFilter): Promise<SearchHit[]> =>
    from.search('docs', { by: 'vector', vector, filter, limit: 10 });

  /** Runs the searches of the store, and explains each statement that reads vectors or documents. */
  const explain = (changes: Partial<VectorSearch> = {}): Promise<{ hits: SearchHit[]; plans: string[] }> =>
    server.transaction(async (query) => {
      const plans: string[] = [];
      const asked: string[] = [];
      const explaining: Query = async (sql, values) => {
        if (sql.includes('"large"."documents"')) {
          const rows = await query<{ 'QUERY PLAN': string }>(`explain ${sql}`, values);
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        } else asked.push(JSON.stringify(values));
        return query(sql, values);
      };
      const collection = await getCollection({ query, tables }, 'docs');
      const index = await findIndex({ query, tables }, collection.key, EMBEDDING);
      const search: VectorSearch = {
        collection,
        index,
        embedding: EMBEDDING,
        vector: centres[0] ?? direction(),
        exactUpTo: FEW,
        pgvector: 8,
        filter: undefined,
        among: undefined,
        limit: 10,
        ...changes,
      };
      const hits = await searchVectors({ query: explaining, tables }, search);
      return { hits, plans: [...plans, ...asked] };
    });
  const index = 'Index Scan using vectors_1_half on vectors_1';

  it('are all compared during a load, then found by an index that is built during reads and writes', async () => {
    expect((await explain()).plans.join()).not.toContain('vectors_1_half');
    expect(await store.optimize?.('docs')).toBeUndefined();
    const { plans } = await explain();
    expect(plans[0]).toContain(index);
    expect((await explain({ index: undefined })).plans.join()).not.toContain(index);
    // A second run does nothing.
    expect(await store.optimize?.('docs')).toBeUndefined();
  });

  it('are found through any filter as if all were compared', async () => {
    const filters: (DocumentFilter | undefined)[] = [
      undefined,
      { tags: ['all'] },
      { tags: ['seventh'] },
      { tags: ['rare'] },
      { sourcePath: 'topic4/' },
      { sourcePath: 'topic[1-3]*/**', tags: ['seventh'] },
      { type: 'none' },
    ];
    for (const filter of filters) {
      let [wanted, found] = [0, 0];
      for (const vector of [...centres.slice(0, 5), direction()]) {
        const right = (await nearest(exact, vector, filter)).map(({ chunkId }) => chunkId);
        const given = new Set((await nearest(store, vector, filter)).map(({ chunkId }) => chunkId));
        expect(given.size).toBe(right.length);
        wanted += right.length;
        found += right.filter((id) => given.has(id)).length;
      }
      expect(found).toBeGreaterThanOrEqual(wanted * 0.97);
    }
  });

  it('are scanned in order if a filter selects many, and compared if it selects few', async () => {
    const many = await explain({ filter: { tags: ['all'] } });
    expect(many.plans.find((plan) => plan.includes('vectors_1'))).toContain(index);
    expect(many.plans.join()).toContain('relaxed_order');
    const few = await explain({ filter: { tags: ['rare'] } });
    // Counted and listed by the index over tags.
    expect(few.plans.join('\n')).toContain('Bitmap Index Scan on documents_tags');
    expect(few.plans.join('\n')).not.toContain(index);
    expect(few.hits).toHaveLength(10);
  });

  it('are compared if a filter selects chunks far from the query', async () => {
    const filter = { tags: ['far'] };
    const [away, within] = [await explain({ filter }), await explain({ filter, vector: centres[7] ?? direction() })];
    expect(away.plans.join('\n')).toContain(" + '0'::double precision");
    expect(away.hits).toEqual(await nearest(exact, centres[0] ?? direction(), filter));
    expect(within.plans.join('\n')).not.toContain(" + '0'::double precision");
    expect(within.hits).toHaveLength(10);
  });

  it('are found with a pgvector without iterative scans: more are fetched, or all compared', async () => {
    const wide = await explain({ pgvector: 7, filter: { tags: ['all'] } });
    expect(wide.plans.join()).toContain(index);
    expect(wide.plans.join()).not.toContain('iterative_scan');
    const narrow = await explain({ pgvector: 7, limit: 100, filter: { tags: ['seventh'] } });
    expect(narrow.plans.join()).not.toContain(index);
    expect(narrow.hits).toHaveLength(100);
  });

  it('are compared while the index is a leftover of a killed build, which the next build replaces', async () => {
    const damage = `update pg_index set indisvalid = false where indexrelid = 'large.vectors_1_half'::regclass`;
    await server.run((query) => query(damage));
    const right = await nearest(exact, centres[3] ?? direction());
    expect(await nearest(store, centres[3] ?? direction())).toEqual(right);
    expect(await store.optimize?.('docs')).toBeUndefined();
    const [row] = await server.run((query) =>
      query(`select indisvalid as valid from pg_index where indexrelid = 'large.vectors_1_half'::regclass`),
    );
    expect(row).toEqual({ valid: true });
  });

  it('get an index automatically once a search finds that writing has ended', async () => {
    await server.run((query) => query('drop index large.vectors_1_half'));
    const later = openPostgresStore({
      url: pglite.url,
      schema: 'large',
      maxConnections: 1,
      exactUpTo: FEW,
      clock: { now: () => Date.now() + 61_000 },
    });
    await nearest(store, direction());
    await nearest(later, direction());
    await expect
      .poll(() => server.run((query) => query(`select 1 from pg_indexes where indexname = 'vectors_1_half'`)), {
        timeout: 20_000,
      })
      .toHaveLength(1);
    await later.close();
  });
});

describe('words of a large collection', () => {
  it('rank as in the other stores while documents are added, changed and removed', async () => {
    const [store, memory] = [open('words'), createMemoryStore()];
    const both = [store, memory];
    const pick = (from: number): number => Math.floor(random() * from);
    // A few words in nearly all chunks, many in few: lists of several blocks, which grow and shrink.
    const toText = (): string =>
      Array.from({ length: 6 }, () => `word${['a', 'b', 'c', 'd'][pick(5)] ?? `x${pick(60)}x`}`).join(' ');
    for (const each of both) await each.ensureCollection('docs', undefined);
    for (let round = 0; round < 12; round++) {
      const documents = Array.from({ length: 1 + pick(4) }, (_, n) =>
        createDocument(`d${(round + n) % 12}`, Array.from({ length: pick(80) }, toText)),
      );
      const documentIds = [`d${pick(12)}`, `d${pick(12)}`];
      for (const each of both) {
        await each.upsert('docs', [...new Map(documents.map((document) => [document.id, document])).values()]);
        if (round % 3 === 2) await each.delete('docs', { documentIds });
      }
      const request = { by: 'words', text: toText(), limit: 1_000 } as const;
      const [here, there] = await Promise.all(both.map((each) => each.search('docs', request)));
      expect(toScores(here)).toEqual(toScores(there));
    }
    const rows = await server.run((query) =>
      query<{ blocks: string; kept: string }>(
        `select count(*) as blocks, sum(count) as kept from words.words where term = 'worda'`,
      ),
    );
    // Small blocks are joined: on average, at most a quarter of each is empty.
    expect(Number(rows[0]?.blocks)).toBeLessThanOrEqual(Math.ceil(Number(rows[0]?.kept) / 32) + 1);
    await store.close();
  });

  it('are scored the same if the lists of common ones are read only for few chunks', async () => {
    const store = open('pruned');
    await store.ensureCollection('docs', undefined);
    const texts = Array.from({ length: 900 }, (_, n) => {
      const rare = n < 100 && n % 10 === 0 ? 'rare rare' : '';
      return `common ${n % 3 === 0 ? 'third' : ''} ${rare} own${n}x ${'filler '.repeat(n % 9)}`;
    });
    await store.upsert('docs', [createDocument('a', texts)]);
    const tables = nameTables('pruned', '');
    await server.transaction(async (query) => {
      let bytes = 0;
      const counting: Query = async (sql, values) => {
        const rows = await query<{ block?: Uint8Array }>(sql, values);
        bytes += rows.reduce((sum, { block }) => sum + (block?.length ?? 0), 0);
        // The rows of the caller's own statement.
        return rows as never;
      };
      const collection = await getCollection({ query, tables }, 'docs');
      const scope = { collection, text: 'rare third common', only: undefined, limit: 5, signal: undefined };
      const whole = await scoreWords({ query: counting, tables }, scope);
      const read = bytes;
      bytes = 0;
      const pruned = await scoreWords(
        { query: counting, tables },
        { ...scope, reading: { page: 1, few: 0, lookup: 0 } },
      );
      expect(pruned).toEqual(whole);
      expect(pruned).toHaveLength(5);
      expect(bytes).toBeLessThan(read / 2);
      const only = [pruned[4]?.key ?? 0, pruned[1]?.key ?? 0];
      const those = await scoreWords({ query, tables }, { ...scope, only });
      expect(those).toEqual([pruned[1], pruned[4]]);
      const plan = await query<{ 'QUERY PLAN': string }>(
        `explain select term, first, block from ${tables.words} where collection = $1 and term = any($2::text[])
          and (term, first) > ($3, $4::bigint) order by term, first limit $5`,
        [collection.key, ['rare', 'third'], '', -1, 4_000],
      );
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('words_pkey');
    });
    await store.close();
  });
});

/** Returns scores by chunk, rounded: sums in another order differ in the last digits. */
function toScores(hits: readonly SearchHit[] | undefined): Record<string, string> {
  return Object.fromEntries((hits ?? []).map(({ chunkId, score }) => [chunkId, score.toFixed(9)]));
}
