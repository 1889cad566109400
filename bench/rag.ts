// Measures the quality and speed of finding knowledge, beside other libraries: node bench/rag.ts
import { CONTESTANTS } from './rag/contestants.ts';
import { forkPart } from './rag/fork-part.ts';
import type { ContestantFigures } from './rag/measure-contestant.ts';
import type { MixFigures } from './rag/measure-mixes.ts';
import type { ScaleFigures } from './rag/measure-scale.ts';
import { readRagSets } from './rag/read-rag-sets.ts';
import { readVectors } from './rag/read-vectors.ts';
import { atMost, type Bar, type BenchReport, formatFigure, publish, type Table } from './report.ts';

const SIZES = [1_000, 10_000, 100_000];
/** nDCG@10 to reach on sets that are known: careful BM25, and 0.4 BM25 + 0.6 vectors after min-max scaling. */
const KNOWN: Readonly<Record<string, readonly [words: number, hybrid: number]>> = {
  scifact: [0.687, 0.736],
  cranfield: [0.51, 0.564],
  cosqa: [0.388, 0.539],
};

const tables: Table[] = [];
const mixes = new Map<string, MixFigures>();
const bars: Bar[] = [];
for (const set of readRagSets()) {
  // Once, before the processes that need them start.
  await readVectors(set);
  const results = new Map<string, ContestantFigures>();
  for (const name of Object.keys(CONTESTANTS)) {
    // The type that the other process sends.
    results.set(name, (await forkPart('measure-contestant.ts', [name, set.name])) as ContestantFigures);
    console.error(`${set.name}: ${name} done`);
  }
  const of = (name: string): number => results.get(name)?.ndcg10 ?? 0;
  tables.push({
    caption: `${set.name}: ${set.documents.length.toLocaleString('en-US')} documents, ${set.queries.length} queries; milliseconds without embedding the query:`,
    head: ['Way', 'nDCG@10', 'recall@100', 'documents per CPU s', 'p50', 'p99', 'memory MB', 'on disk MB'],
    rows: Array.from(results, ([name, figures]) => [
      name,
      figures.ndcg10.toFixed(3),
      figures.recall100.toFixed(3),
      formatFigure(figures.documentsPerCpuSecond),
      formatFigure(figures.p50),
      formatFigure(figures.p99),
      formatFigure(figures.memory / 1e6),
      figures.bytes === 0 ? '–' : formatFigure(figures.bytes / 1e6),
    ]),
  });
  const mix = (await forkPart('measure-mixes.ts', [set.name])) as MixFigures;
  mixes.set(set.name, mix);
  const bestFixed = Math.max(...mix.fixed.map(([, figure]) => figure));
  const [words, hybrid] = KNOWN[set.name] ?? [of('FTS5, porter and stop words'), 0];
  const better = Math.max(of('Pegboard, words'), of('Pegboard, vectors'));
  bars.push(
    atLeast(`${set.name}: words reach careful BM25`, of('Pegboard, words'), words),
    atLeast(`${set.name}: hybrid reaches the weighted mix`, of('Pegboard, hybrid'), hybrid),
    atLeast(`${set.name}: hybrid is at most .02 below its better part`, of('Pegboard, hybrid'), better - 0.02),
    atLeast(
      `${set.name}: words reach FTS5 with Porter's stems`,
      of('Pegboard, words'),
      of('FTS5, porter and stop words'),
    ),
    atLeast(`${set.name}: the chosen mix is at most .005 below the best fixed one`, mix.chosen, bestFixed - 0.005),
  );
}
tables.push({
  caption: 'nDCG@10 by collection, at fixed parts of words and at the part that is chosen for each query:',
  head: [
    'Collection',
    'words alone',
    ...(mixes
      .values()
      .next()
      .value?.fixed.map(([part]) => part.toFixed(1)) ?? []),
    'chosen',
  ],
  rows: Array.from(mixes, ([name, { words, fixed, chosen }]) => [
    name,
    ...[words, ...fixed.map(([, figure]) => figure), chosen].map((figure) => figure.toFixed(3)),
  ]),
});
const scales = new Map<number, ScaleFigures>();
for (const size of SIZES) scales.set(size, (await forkPart('measure-scale.ts', [String(size)])) as ScaleFigures);
tables.push(
  {
    caption: 'The embedded store by size, with vectors of 384 numbers; milliseconds by the clock:',
    head: ['Chunks', 'words p50', 'words p95', 'vectors, first', 'vectors p50', 'vectors p95', 'store one, p50'],
    rows: Array.from(scales, ([size, { words, vector, store }]) => [
      size.toLocaleString('en-US'),
      ...[words.p50, words.p95, vector.first, vector.p50, vector.p95, store.p50].map(formatFigure),
    ]),
  },
  {
    caption: 'The same in milliseconds of CPU, which other work on the machine changes less; memory and disk:',
    head: ['Chunks', 'chunks per CPU s', 'words p95', 'vectors p50', 'store one, p50', 'memory MB', 'on disk MB'],
    rows: Array.from(scales, ([size, { chunksPerCpuSecond, words, vector, store, memory, bytes }]) => [
      size.toLocaleString('en-US'),
      ...[chunksPerCpuSecond, words.cpuP95, vector.cpuP50, store.cpuP50, memory / 1e6, bytes / 1e6].map(formatFigure),
    ]),
  },
);
const at = (size: number): ScaleFigures => {
  const figures = scales.get(size);
  if (figures === undefined) throw new Error(`${size} chunks were not measured.`);
  return figures;
};
bars.push(
  atMost('words at 10,000 chunks: p95 under 15 ms', at(10_000).words.p95, { limit: 15, unit: 'ms' }),
  atMost('words at 100,000 chunks: p95 under 60 ms', at(100_000).words.p95, { limit: 60, unit: 'ms' }),
  atMost('vectors at 10,000 chunks: p50 at most 0.9 ms', at(10_000).vector.p50, { limit: 0.9, unit: 'ms' }),
  atMost('vectors at 100,000 chunks: p50 at most 19 ms', at(100_000).vector.p50, { limit: 19, unit: 'ms' }),
  atLeast('10,000 chunks are indexed at 5,000 per CPU second', at(10_000).chunksPerCpuSecond, 5_000),
  atLeast('100,000 chunks are indexed at 5,000 per CPU second', at(100_000).chunksPerCpuSecond, 5_000),
  atMost('a store at 100,000 chunks costs at most twice one at 1,000', at(100_000).store.p50 / at(1_000).store.p50, {
    limit: 2,
    unit: '×',
  }),
);

const report: BenchReport = { name: 'rag', tables, bars };
publish(report);

function atLeast(promise: string, value: number, limit: number): Bar {
  const show = (figure: number): string => (limit < 10 ? figure.toFixed(3) : formatFigure(figure));
  return { promise: `${promise} (${show(limit)})`, measured: show(value), passed: value >= limit };
}
