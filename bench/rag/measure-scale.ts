// Measures the embedded store with many chunks, in a process of its own: node measure-scale.ts CHUNKS
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/knowledge/stores/sqlite/sqlite-store.ts';
import { sizeOf } from './contestants.ts';
import { toDocument } from './own-store.ts';
import { percentile } from './percentile.ts';
import { readRagSets } from './read-rag-sets.ts';

/** The figures of the store at one size. Milliseconds, bytes. */
export interface ScaleFigures {
  readonly chunksPerCpuSecond: number;
  readonly words: { readonly p50: number; readonly p95: number; readonly cpuP95: number };
  readonly vector: { readonly first: number; readonly p50: number; readonly p95: number; readonly cpuP50: number };
  readonly store: { readonly p50: number; readonly cpuP50: number };
  readonly memory: number;
  readonly bytes: number;
  readonly longestTurn: number;
}

const DIMENSION = 384;
const BATCH = 250;
const count = Number(process.argv[2]);
const [set] = readRagSets();
if (set === undefined) throw new Error('There is no set to take texts from.');
let seed = 1;
const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
const toVector = (): Float32Array => Float32Array.from({ length: DIMENSION }, random);
// The front of one text and the end of another: as many different texts as are needed, with the words real ones have.
const texts = set.documents.map(({ text }) => text.split(/(?<=\n)/));
const toText = (n: number): string => {
  const front = texts[n % texts.length] ?? [];
  const end = texts[(n * 7 + 3 + Math.floor(n / texts.length)) % texts.length] ?? [];
  return (
    `${front.slice(0, Math.ceil(front.length / 2)).join('')}${end.slice(Math.floor(end.length / 2)).join('')}` || 'x'
  );
};

const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-'));
const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
const wallOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

// Without an embedder first: that is what the rate of indexing is about.
const plain = openSqliteStore({ file: join(folder, 'plain', 'knowledge.db') });
await plain.ensureCollection('docs', undefined);
let indexing = 0;
for (let from = 0; from < count; from += BATCH) {
  const batch = Array.from({ length: BATCH }, (_, n) => toDocument(`d${from + n}`, toText(from + n), undefined));
  indexing += await cpuOf(() => plain.upsert('docs', batch));
}
await plain.close();
rmSync(join(folder, 'plain'), { recursive: true });

const file = join(folder, 'knowledge.db');
const filling = openSqliteStore({ file });
await filling.ensureCollection('docs', { embedder: 'random', dimension: DIMENSION, distance: 'cosine' });
for (let from = 0; from < count; from += BATCH) {
  await filling.upsert(
    'docs',
    Array.from({ length: BATCH }, (_, n) => toDocument(`d${from + n}`, toText(from + n), toVector())),
  );
}
await filling.close();
globalThis.gc?.();
const before = process.memoryUsage().rss;
const store = openSqliteStore({ file });
const wall: number[] = [];
const cpu: number[] = [];
const near: number[] = [];
const nearCpu: number[] = [];
const stores: number[] = [];
const storesCpu: number[] = [];
for (const { text } of set.queries.slice(0, 200)) {
  const search = (): Promise<unknown> => store.search('docs', { by: 'words', text, limit: 100 });
  wall.push(await wallOf(search));
  cpu.push(await cpuOf(search));
}
let longestTurn = 0;
let lastTurn = performance.now();
const watch = setInterval(() => {
  longestTurn = Math.max(longestTurn, performance.now() - lastTurn - 1);
  lastTurn = performance.now();
}, 1);
lastTurn = performance.now();
const first = await wallOf(() => store.search('docs', { by: 'vector', vector: toVector(), limit: 10 }));
for (let round = 0; round < 100; round++) {
  const vector = toVector();
  const search = (): Promise<unknown> => store.search('docs', { by: 'vector', vector, limit: 10 });
  near.push(await wallOf(search));
  nearCpu.push(await cpuOf(search));
}
clearInterval(watch);
globalThis.gc?.();
const memory = Math.max(0, process.memoryUsage().rss - before);
for (let n = 0; n < 100; n++) {
  const document = toDocument(`new${n}`, toText(n), toVector());
  const keep = (): Promise<unknown> => store.upsert('docs', [document]);
  if (n % 2 === 0) stores.push(await wallOf(keep));
  else storesCpu.push(await cpuOf(keep));
}
await store.close();
const figures: ScaleFigures = {
  chunksPerCpuSecond: count / (indexing / 1_000),
  words: { p50: percentile(wall, 0.5), p95: percentile(wall, 0.95), cpuP95: percentile(cpu, 0.95) },
  vector: { first, p50: percentile(near, 0.5), p95: percentile(near, 0.95), cpuP50: percentile(nearCpu, 0.5) },
  store: { p50: percentile(stores, 0.5), cpuP50: percentile(storesCpu, 0.5) },
  memory,
  bytes: sizeOf(folder),
  longestTurn,
};
rmSync(folder, { recursive: true, force: true });
process.send?.(figures, () => process.exit());
