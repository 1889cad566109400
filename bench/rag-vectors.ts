// A million vectors on PostgreSQL with pgvector, made by the server itself: writing a million chunks with their words takes
// an hour where this takes a minute. PEGBOARD_BENCH_POSTGRES_URL=… npm run bench -- rag-vectors
import { openPostgresStore } from '../src/knowledge/stores/postgres/postgres-store.ts';
import type { DocumentFilter, VectorStore } from '../src/knowledge/vector-store.ts';
import { PostgresServer } from '../src/platform/postgres/postgres-server.ts';
import { percentile } from './rag/percentile.ts';
import { CHUNKS_A_DOCUMENT, CLUSTERS, CLUSTERS_A_TOPIC, DIMENSION, SyntheticChunks } from './rag/synthetic-chunks.ts';
import { atLeast, formatFigure, publish } from './report.ts';

const COUNT = Number(process.env['PEGBOARD_BENCH_VECTORS'] ?? 1_000_000);
const url = process.env['PEGBOARD_BENCH_POSTGRES_URL'];
if (url === undefined) throw new Error('Set PEGBOARD_BENCH_POSTGRES_URL to a PostgreSQL server with pgvector.');
const SCHEMA = 'pegboard_vectors';
const TIMED = 100;
const JUDGED = 20;
const FILTERS: Readonly<Record<string, DocumentFilter | undefined>> = {
  'no filter': undefined,
  '0.1 %, by a tag': { tags: ['thousandth'] },
  '1 %, by a tag': { tags: ['rare'] },
  '1 %, one topic': { sourcePath: 'topic3/' },
  '10 %, by a tag': { tags: ['some'] },
  '11 %, eleven topics': { sourcePath: 'topic1*/**' },
};

const server = new PostgresServer({ url, maxConnections: 2, neededFor: 'This benchmark', setting: 'url' });
const ask = <Row extends Record<string, unknown>>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  server.run((query) => query<Row>(sql, values));
const store = openPostgresStore({ url, schema: SCHEMA });
const exact = openPostgresStore({ url, schema: SCHEMA, exactUpTo: Infinity });
const chunks = new SyntheticChunks();

await ask(`drop schema if exists ${SCHEMA} cascade`);
await ask(`alter role current_user set maintenance_work_mem = '4GB'`);
await store.ensureCollection('docs', { embedder: 'synthetic', dimension: DIMENSION, distance: 'cosine' });
const filling = await seconds(fill);
console.error(`filled in ${filling} s`);
const building = await seconds(async () => {
  const problem = await store.optimize?.('docs', {
    onProgress: (share) => process.stderr.write(`\r${Math.round(100 * share)} %`),
  });
  if (problem !== undefined) throw new Error(problem);
});
console.error(`built in ${building} s`);
const [size] = await ask<{ vectors: string; index: string }>(
  `select pg_table_size('${SCHEMA}.vectors_1') as vectors, pg_relation_size('${SCHEMA}.vectors_1_half') as index`,
);
const rows: string[][] = [];
const recalls: number[] = [];
for (const [name, filter] of Object.entries(FILTERS)) {
  const search = (from: VectorStore, vector: Float32Array): Promise<string[]> =>
    from.search('docs', { by: 'vector', vector, filter, limit: 100 }).then((hits) => hits.map((hit) => hit.chunkId));
  for (let round = 0; round < 10; round++) await search(store, chunks.vector());
  const times: number[] = [];
  for (let round = 0; round < TIMED; round++) times.push(1_000 * (await seconds(() => search(store, chunks.vector()))));
  let found = 0;
  const compared: number[] = [];
  for (let round = 0; round < JUDGED; round++) {
    const vector = chunks.vector();
    let right: string[] = [];
    compared.push(1_000 * (await seconds(async () => (right = await search(exact, vector)))));
    const given = new Set((await search(store, vector)).slice(0, 10));
    found += right.slice(0, 10).filter((id) => given.has(id)).length;
  }
  const recall = found / (JUDGED * 10);
  recalls.push(recall);
  const figures = [percentile(times, 0.5), percentile(times, 0.95), percentile(compared, 0.5)].map(formatFigure);
  rows.push([name, ...figures, recall.toFixed(3)]);
  console.error(rows.at(-1)?.join(' '));
}
await store.close();
await exact.close();
await ask(`alter role current_user reset maintenance_work_mem`);
await ask(`drop schema ${SCHEMA} cascade`);
await server.close();

publish({
  name: 'rag-vectors',
  tables: [
    {
      caption: `${COUNT.toLocaleString('en-US')} vectors of ${DIMENSION} numbers, ${formatFigure(Number(size?.vectors) / 1e6)} MB; HNSW built in ${formatFigure(building)} s, ${formatFigure(Number(size?.index) / 1e6)} MB; milliseconds of a search for 100 chunks, of comparing all that the filter means, and recall@10:`,
      head: ['Filter', 'p50', 'p95', 'all compared, p50', 'recall@10'],
      rows,
    },
  ],
  bars: recalls.map((recall, place) =>
    atLeast(`recall@10, ${Object.keys(FILTERS)[place]}: at least 0.95`, recall, { limit: 0.95, unit: '' }),
  ),
});

/** Documents with tags and paths as in the other benchmark, and vectors that are sums of the same parts. */
async function fill(): Promise<void> {
  const { documents, chunks: parts } = { documents: `${SCHEMA}.documents`, chunks: `${SCHEMA}.chunks` };
  const topics = CLUSTERS / CLUSTERS_A_TOPIC;
  await ask(`create unlogged table ${SCHEMA}.parts (kind integer, number integer, vector vector(${DIMENSION}))`);
  for (const [kind, vectors] of chunks.parts.entries()) {
    for (let from = 0; from < vectors.length; from += 1_000) {
      const texts = vectors.slice(from, from + 1_000).map((vector) => `[${vector.join(',')}]`);
      await ask(
        `insert into ${SCHEMA}.parts select $1, $2::integer + place - 1, text::vector
          from unnest($3::text[]) with ordinality as t (text, place)`,
        [kind, from, texts],
      );
    }
  }
  await ask(`analyze ${SCHEMA}.parts`);
  await ask(
    `insert into ${documents} (collection, id, hash, type, tags, path, count)
      select 1, id, '', 'general', tags, id, ${CHUNKS_A_DOCUMENT} from (
        select 'topic' || abs(hashint4(n)) % ${topics} || '/' || n as id, '["usual"]'::jsonb
          || case when random() < 0.001 then '["thousandth"]'::jsonb else '[]' end
          || case when random() < 0.01 then '["rare"]'::jsonb else '[]' end
          || case when random() < 0.1 then '["some"]'::jsonb else '[]' end as tags
        from generate_series(1, ${COUNT / CHUNKS_A_DOCUMENT}) as n) as made`,
  );
  await ask(
    `insert into ${parts} (document, position, headings, text)
      select key, position, '[]', '' from ${documents} cross join generate_series(0, ${CHUNKS_A_DOCUMENT - 1}) as position`,
  );
  await ask(
    `insert into ${SCHEMA}.vectors_1 select key, l2_normalize(a.vector + b.vector + c.vector) from (
        select k.key, substring(d.id from '\\d+')::integer * ${CLUSTERS_A_TOPIC} + floor(random() * ${CLUSTERS_A_TOPIC})::integer as one,
          floor(random() * ${chunks.parts[1]?.length})::integer as two, floor(random() * ${chunks.parts[2]?.length})::integer as three
        from ${parts} k join ${documents} d on d.key = k.document) as n
      join ${SCHEMA}.parts a on a.kind = 0 and a.number = one join ${SCHEMA}.parts b on b.kind = 1 and b.number = two
      join ${SCHEMA}.parts c on c.kind = 2 and c.number = three`,
  );
  await ask(`update ${SCHEMA}.collections set documents = ${COUNT / CHUNKS_A_DOCUMENT}, chunks = ${COUNT}, words = 0`);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}
