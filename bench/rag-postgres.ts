// A million chunks on PostgreSQL with pgvector, such as scripts/postgres-with-pgvector.sh starts:
// PEGBOARD_BENCH_POSTGRES_URL=… [PEGBOARD_BENCH_CHUNKS=…] npm run bench -- rag-postgres
import { searchKnowledge } from '../src/knowledge/retrieval/search-knowledge.ts';
import { openPostgresStore } from '../src/knowledge/stores/postgres/postgres-store.ts';
import type { DocumentFilter, SearchHit, VectorStore } from '../src/knowledge/vector-store.ts';
import { PostgresServer } from '../src/platform/postgres/postgres-server.ts';
import type { Embedder } from '../src/vectors/embedder.ts';
import { percentile } from './rag/percentile.ts';
import { CHUNKS_A_DOCUMENT, DIMENSION, SyntheticChunks } from './rag/synthetic-chunks.ts';
import { atLeast, atMost, type BenchReport, formatFigure, publish, type Table } from './report.ts';

const CHUNKS = Number(process.env['PEGBOARD_BENCH_CHUNKS'] ?? 1_000_000);
const url = process.env['PEGBOARD_BENCH_POSTGRES_URL'];
if (url === undefined) throw new Error('Set PEGBOARD_BENCH_POSTGRES_URL to a PostgreSQL server with pgvector.');
const SCHEMA = 'pegboard_bench';
const DOCUMENTS_A_BATCH = 50;
const TIMED = 100;
const WAYS = ['vectors', 'words', 'hybrid'] as const;
const JUDGED = 30;
const NEAREST = 10;
const EMBEDDING = { embedder: 'synthetic', dimension: DIMENSION, distance: 'cosine' } as const;
/** By tags that documents of all topics have, and by folders of topics, far from what most queries are about. */
const FILTERS: Readonly<Record<string, DocumentFilter | undefined>> = {
  'no filter': undefined,
  '1 %, by a tag': { tags: ['rare'] },
  '1 %, one topic': { sourcePath: 'topic3/' },
  '10 %, by a tag': { tags: ['some'] },
  '11 %, eleven topics': { sourcePath: 'topic1*/**' },
};

const server = new PostgresServer({ url, maxConnections: 2, neededFor: 'This benchmark', setting: 'url' });
const ask = <Row extends Record<string, unknown>>(sql: string): Promise<Row[]> =>
  server.run((query) => query<Row>(sql));
const store = openPostgresStore({ url, schema: SCHEMA });
const exact = openPostgresStore({ url, schema: SCHEMA, exactUpTo: Infinity });
const chunks = new SyntheticChunks();

await ask(`drop schema if exists ${SCHEMA} cascade`);
// Otherwise the graph does not fit, and building takes many times as long.
await ask(`alter role current_user set maintenance_work_mem = '3GB'`);
const loading = await seconds(load);
console.error(`loaded in ${loading} s`);
const building = await build();
console.error(`index built in ${building.seconds} s`);
await ask(`vacuum analyze`);
const sizes = await measureSizes();
const searches = await timeSearches();
const recalls = await judge();
const version = await describeServer();
await store.close();
await exact.close();
await ask(`alter role current_user reset maintenance_work_mem`);
await ask(`drop schema ${SCHEMA} cascade`);
await server.close();

const millions = (count: number): string => count.toLocaleString('en-US');
const tables: Table[] = [
  {
    caption: `${millions(CHUNKS)} chunks of 60 words with vectors of ${DIMENSION} numbers, on ${version}:`,
    head: ['What', 'Seconds', 'MB', 'Bytes a chunk'],
    rows: [
      ['texts and documents', '–', ...bytes(sizes.texts)],
      ['words', '–', ...bytes(sizes.words)],
      ['vectors', '–', ...bytes(sizes.vectors)],
      ['all written by `upsert`', formatFigure(loading), ...bytes(sizes.texts + sizes.words + sizes.vectors)],
      ['HNSW, built after it', formatFigure(building.seconds), ...bytes(sizes.index)],
    ],
  },
  {
    caption: `Milliseconds of a search for 100 chunks, one at a time, hybrid with reading the ten best passages; recall@${NEAREST} of vectors against comparing all of them, ${JUDGED} queries:`,
    head: ['Filter', ...WAYS.flatMap((way) => [`${way} p50`, 'p95']), 'recall@10'],
    rows: Object.keys(FILTERS).map((filter, place) => [
      filter,
      ...(searches[place] ?? []),
      recalls[place]?.toFixed(3) ?? '',
    ]),
  },
];
const report: BenchReport = {
  name: 'rag-postgres',
  tables,
  bars: [
    ...recalls.map((recall, place) =>
      atLeast(`recall@10, ${Object.keys(FILTERS)[place]}: at least 0.95`, recall, { limit: 0.95, unit: '' }),
    ),
    atMost('the longest write while the index is built: under 2 s', building.longestWrite, {
      limit: 2_000,
      unit: 'ms',
    }),
    atMost('the longest search by words meanwhile: under 2 s', building.longestSearch, { limit: 2_000, unit: 'ms' }),
  ],
};
publish(report);

async function load(): Promise<void> {
  await store.ensureCollection('docs', EMBEDDING);
  let writing: Promise<void> | undefined;
  for (let from = 0; from < CHUNKS / CHUNKS_A_DOCUMENT; from += DOCUMENTS_A_BATCH) {
    const batch = Array.from({ length: DOCUMENTS_A_BATCH }, (_, number) => chunks.document(from + number));
    // As an index run does: one batch is written while the next is made.
    await writing;
    writing = store.upsert('docs', batch);
    if ((from * CHUNKS_A_DOCUMENT) % 50_000 === 0) console.error(`${from * CHUNKS_A_DOCUMENT} chunks`);
  }
  await writing;
}

/** Builds the index while notes are written and words are looked for. */
async function build(): Promise<{ seconds: number; longestWrite: number; longestSearch: number }> {
  const built = new AbortController();
  const used = async (work: () => Promise<unknown>): Promise<number> => {
    let longest = 0;
    while (!built.signal.aborted) {
      longest = Math.max(longest, 1_000 * (await seconds(work)));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return longest;
  };
  let number = CHUNKS;
  const writes = used(() => store.upsert('docs', [chunks.document(number++)]));
  const reads = used(() => store.search('docs', { by: 'words', text: chunks.text(4), limit: 100 }));
  const took = await seconds(async () => {
    const problem = await store.optimize?.('docs', {
      onProgress: (share) => console.error(`index ${Math.round(100 * share)} %`),
    });
    if (problem !== undefined) throw new Error(problem);
  });
  built.abort();
  return { seconds: took, longestWrite: await writes, longestSearch: await reads };
}

async function measureSizes(): Promise<Record<'texts' | 'words' | 'vectors' | 'index', number>> {
  const rows = await ask<{ name: string; bytes: string }>(
    `select c.relname as name, case c.relkind when 'i' then pg_relation_size(c.oid) else pg_total_relation_size(c.oid) end as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = '${SCHEMA}' and c.relkind in ('r', 'i')`,
  );
  const of = (matches: RegExp): number =>
    rows.filter(({ name }) => matches.test(name)).reduce((sum, row) => sum + Number(row.bytes), 0);
  const index = of(/_(?:half|near)$/);
  return { texts: of(/^(?:chunks|documents)$/), words: of(/^words$/), vectors: of(/^vectors_\d+$/) - index, index };
}

async function timeSearches(): Promise<string[][]> {
  const embedder: Embedder = {
    id: EMBEDDING.embedder,
    dimension: DIMENSION,
    embed: (texts) => Promise.resolve(texts.map(() => chunks.vector())),
    close: () => Promise.resolve(),
  };
  const ways: Readonly<Record<(typeof WAYS)[number], (filter: DocumentFilter | undefined) => Promise<unknown>>> = {
    vectors: (filter) => store.search('docs', { by: 'vector', vector: chunks.vector(), filter, limit: 100 }),
    words: (filter) => store.search('docs', { by: 'words', text: chunks.text(4), filter, limit: 100 }),
    hybrid: (filter) => searchKnowledge(store, { collection: 'docs', query: chunks.text(4), filter, embedder }),
  };
  const rows: string[][] = [];
  for (const filter of Object.values(FILTERS)) {
    const cells: string[] = [];
    for (const way of WAYS) {
      for (let round = 0; round < 5; round++) await ways[way](filter);
      const times: number[] = [];
      for (let round = 0; round < TIMED; round++) times.push(1_000 * (await seconds(() => ways[way](filter))));
      cells.push(formatFigure(percentile(times, 0.5)), formatFigure(percentile(times, 0.95)));
    }
    rows.push(cells);
    console.error(cells.join(' '));
  }
  return rows;
}

async function judge(): Promise<number[]> {
  const nearest = (from: VectorStore, vector: Float32Array, filter: DocumentFilter | undefined): Promise<SearchHit[]> =>
    from.search('docs', { by: 'vector', vector, filter, limit: 100 });
  const recalls: number[] = [];
  for (const filter of Object.values(FILTERS)) {
    let found = 0;
    for (let round = 0; round < JUDGED; round++) {
      const vector = chunks.vector();
      const right = (await nearest(exact, vector, filter)).slice(0, NEAREST).map(({ chunkId }) => chunkId);
      const given = new Set((await nearest(store, vector, filter)).slice(0, NEAREST).map(({ chunkId }) => chunkId));
      found += right.filter((id) => given.has(id)).length;
    }
    recalls.push(found / (JUDGED * NEAREST));
  }
  console.error(`recall ${recalls.join(' ')}`);
  return recalls;
}

async function describeServer(): Promise<string> {
  const [row] = await ask<{ postgres: string; pgvector: string }>(
    `select current_setting('server_version') as postgres, extversion as pgvector from pg_extension where extname = 'vector'`,
  );
  return `PostgreSQL ${row?.postgres.split(' ')[0]} with pgvector ${row?.pgvector}`;
}

function bytes(size: number): string[] {
  return [formatFigure(size / 1e6), formatFigure(size / CHUNKS)];
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}
