// Measures the quality and the cost of a ranked search for tools on five public sets, beside other libraries.
import { writeFileSync } from 'node:fs';
import { compare } from './discovery/compare.ts';
import { type Contestant, CONTESTANTS, openIndex, openSearch } from './discovery/contestants.ts';
import { drawQuality, type QualityGroup } from './discovery/draw-quality.ts';
import { measureSet, type Quality } from './discovery/measure-set.ts';
import { FLOODS, measureFloods } from './discovery/measure-flood.ts';
import { measureRefusal, sample } from './discovery/measure-refusal.ts';
import { measureSpeedApart } from './discovery/measure-speed-apart.ts';
import { measureSteps } from './discovery/measure-steps.ts';
import { measureTalk, SENTENCES } from './discovery/measure-talk.ts';
import { ASKED, measureTogether, type Together } from './discovery/measure-together.ts';
import { splitByOverlap } from './discovery/split-by-overlap.ts';
import { readMoreSets, readSets } from './discovery/read-sets.ts';
import { embedder, openMeantIndex, searchOf } from './discovery/with-embedder.ts';
import { atMost, type Bar, type BenchReport, formatFigure, publish } from './report.ts';

/** BM25 per field tuned by hand, recall@5 and nDCG@10: the figures to beat without an embedder. */
const HAND_TUNED: Readonly<Record<string, readonly [recall5: number, ndcg10: number]>> = {
  'azure-mcp': [97.9, 90.9],
  bfcl: [86.1, 79.8],
  livemcpbench: [38.9, 36.9],
  metatool: [64.9, 58.4],
  'toolret-apigen': [83.8, 79.6],
};
const LEAD = 3;

const OURS = 'Pegboard';

const sets = readSets();
// One more contestant here is one more column and one more bar of the chart.
const contestants: readonly Contestant[] = CONTESTANTS;
const { qualityOf, averageOf } = await compare(sets, contestants);
const speed = measureSpeedApart();
const MOST_LOST = 5;
/** Queries of a set that are asked with the local model. */
const MEANT = 200;
const hard = [];
for (const set of sets) {
  const { low, high } = splitByOverlap(set);
  const search = openSearch(set.tools);
  const { index } = openIndex(set.tools);
  const meant = await openMeantIndex(set.tools);
  const meantSearch = searchOf(meant, set.tools);
  hard.push({
    name: set.name,
    talk: await measureTalk(set),
    low: await measureSet(low, search),
    high: await measureSet(high, search),
    meant: {
      words: await measureSet(sample(set.queries, MEANT), search),
      all: await measureSet(sample(set.queries, MEANT), meantSearch),
      low: await measureSet(sample(low, MEANT / 2), meantSearch),
      high: await measureSet(sample(high, MEANT / 2), meantSearch),
    },
    refusal: await measureRefusal(set, sets, (query, options) => index.rank(query, options)),
    meantRefusal: await measureRefusal(set, sets, (query, options) =>
      meant.find(query, { ...options, wait: Infinity }),
    ),
    floods: await measureFloods(set, sets),
  });
  console.error(`${set.name}: measured`);
}
await embedder.close();
const tasks = sets.find(({ queries }) => queries.some(({ steps }) => steps !== undefined));
const steps = tasks === undefined ? [] : await measureSteps(tasks);
const together = await measureTogether([...sets, ...readMoreSets()]);

const report: BenchReport = {
  name: 'discovery',
  tables: [
    {
      caption: 'recall@5 / nDCG@10 in percent, with the sets’ own queries:',
      head: ['Set (tools)', ...contestants.map(({ name }) => name), 'hand-tuned BM25'],
      rows: [
        ...sets.map(({ name, tools }) => [
          `${name} (${tools.length.toLocaleString('en-US')})`,
          ...contestants.map((one) => show(qualityOf(name, one.name))),
          (HAND_TUNED[name] ?? []).map((figure) => figure.toFixed(1)).join(' / '),
        ]),
        ['average', ...contestants.map(({ name }) => show(averageOf(name))), show(averageTuned())],
      ],
    },
    {
      caption: 'Pegboard, every measure:',
      head: ['Set', 'recall@1', 'recall@5', 'recall@10', 'nDCG@10', 'MRR', 'completeness@10'],
      rows: sets.map(({ name }) => {
        const { recall1, recall5, recall10, ndcg10, mrr, completeness10 } = qualityOf(name, OURS);
        return [name, ...[recall1, recall5, recall10, ndcg10, mrr, completeness10].map((figure) => figure.toFixed(1))];
      }),
    },
    {
      caption: `nDCG@10 in percent with ${SENTENCES} sentences of talk, and of queries of more than 60 words:`,
      head: [
        'Set',
        'as it is',
        'before',
        'after',
        'around',
        'BM25 over fields, before',
        'long queries',
        'BM25 over fields',
      ],
      rows: hard.map(({ name, talk }) => [
        name,
        ...[talk.clean, talk.before, talk.after, talk.around, talk.bm25Before].map((figure) => figure.toFixed(1)),
        talk.long === undefined ? '' : `${talk.long.ours.toFixed(1)} (${talk.long.count})`,
        talk.long?.bm25.toFixed(1) ?? '',
      ]),
    },
    {
      caption:
        'recall@5 / nDCG@10 of the half of the queries that shares few words with its tools, and of the other half:',
      head: ['Set', 'few words shared', 'many words shared'],
      rows: hard.map(({ name, low, high }) => [name, show(low), show(high)]),
    },
    {
      caption: `With the local model, at most ${MEANT} queries of a set; recall@5 / nDCG@10:`,
      head: ['Set', 'words', 'with the model', 'few words shared', 'many words shared'],
      rows: hard.map(({ name, meant: { words, all, low, high } }) => [name, ...[words, all, low, high].map(show)]),
    },
    {
      caption:
        'Percentage of queries for which the board says that no tool clearly fits: with the right tools there / with them removed / of other sets:',
      head: ['Set', 'words', 'words, own limit', 'with the model', 'with the model, own limit'],
      rows: hard.map(({ name, refusal, meantRefusal }) => [
        name,
        ...[refusal.usual, refusal.own, meantRefusal.usual, meantRefusal.own].map(({ there, removed, foreign }) =>
          [there, removed, foreign].map((figure) => figure.toFixed(0)).join(' / '),
        ),
      ]),
    },
    {
      caption:
        'Percentage of queries into whose first ten a source gets that has 200 tools named by words of queries, by what each says of itself:',
      head: ['Set', ...FLOODS],
      rows: hard.map(({ name, floods }) => [name, ...floods.map((share) => share.toFixed(1))]),
    },
    {
      caption: `nDCG@10 in percent on boards of their own, and on one board with the ${together.tools.toLocaleString('en-US')} tools of all these sets (at most ${ASKED} queries of each); in brackets what BM25 over fields has:`,
      head: ['Set', 'its own board', 'lead', 'one board', 'lead'],
      rows: [...together.sets, averageTogether()].map(({ name, alone, among }) => [
        name,
        ...[alone, among].flatMap(({ ours, bm25 }) => [
          `${ours.toFixed(1)} (${bm25.toFixed(1)})`,
          (ours - bm25).toFixed(1),
        ]),
      ]),
    },
    {
      caption: 'livemcpbench through search_tools, all tools shown:',
      head: ['How', 'recall', 'tokens of the answer'],
      rows: steps.map(({ name, recall, tokens }) => [name, recall.toFixed(1), tokens.toFixed(0)]),
    },
    {
      caption: 'A board of 17,000 tools, milliseconds:',
      head: ['What', 'p50', 'p99'],
      rows: [
        ['ranked query', formatFigure(speed.query.p50), formatFigure(speed.query.p99)],
        ['MiniSearch, the same queries', formatFigure(speed.miniSearch.p50), formatFigure(speed.miniSearch.p99)],
        ['update of one tool', speed.update.p50.toFixed(3), speed.update.p99.toFixed(3)],
      ],
    },
  ],
  bars: [
    atLeast(
      `nDCG@10 is at least ${LEAD} points above the hand-tuned average`,
      averageOf(OURS).ndcg10 - averageTuned().ndcg10,
      LEAD,
    ),
    ...sets.map(({ name }) =>
      atLeast(
        `${name}: nDCG@10 is not below the hand-tuned one`,
        qualityOf(name, OURS).ndcg10,
        HAND_TUNED[name]?.[1] ?? 0,
      ),
    ),
    ...hard.map(({ name, talk: { clean, before, after, around } }) =>
      atMost(
        `${name}: talk around a query costs at most ${MOST_LOST} points of nDCG@10`,
        clean - Math.min(before, after, around),
        { limit: MOST_LOST, unit: 'points' },
      ),
    ),
    ...together.sets.map(({ name, among: { ours, bm25 } }) =>
      atLeast(`${name} on one board with all sets: nDCG@10 is not below BM25 over fields`, ours - bm25, 0),
    ),
    atMost('a ranked query on 17,000 tools takes at most 2 ms (p50)', speed.query.p50, { limit: 2, unit: 'ms' }),
    atMost('no ranked query blocks for more than 10 ms', speed.query.max, { limit: 10, unit: 'ms' }),
    atLeast('a ranked query is at least 20 times faster than MiniSearch', speed.miniSearch.p50 / speed.query.p50, 20),
    atMost('10,000 tools are indexed in under a second', speed.build, { limit: 1_000, unit: 'ms' }),
    atMost('one tool is updated in under a millisecond (p50)', speed.update.p50, { limit: 1, unit: 'ms' }),
    atMost(
      'prepare() holds the event loop for at most 10 ms at a time, garbage collection included',
      speed.longestTurn,
      { limit: 10, unit: 'ms' },
    ),
  ],
};
if (process.argv.includes('--write')) {
  const chart = [
    ...sets.map(({ name }) => toGroup(name, (one) => qualityOf(name, one))),
    toGroup('average', averageOf),
  ];
  writeFileSync(new URL('../docs/discovery.svg', import.meta.url), drawQuality(chart));
}
publish(report);

/** Searches that find nothing at all would be bars without a length. */
function toGroup(name: string, read: (contestant: string) => Quality): QualityGroup {
  const tuned = HAND_TUNED[name]?.[1] ?? averageTuned().ndcg10;
  return {
    name,
    bars: [
      ...contestants
        .filter((one) => one.name !== 'substring')
        .map((one) => ({ name: one.name, percent: read(one.name).ndcg10, isOurs: one.name.startsWith(OURS) })),
      { name: 'hand-tuned BM25', percent: tuned, isOurs: false },
    ],
  };
}

function averageTuned(): Pick<Quality, 'recall5' | 'ndcg10'> {
  const all = Object.values(HAND_TUNED);
  const average = (place: 0 | 1): number => all.reduce((sum, figures) => sum + figures[place], 0) / all.length;
  return { recall5: average(0), ndcg10: average(1) };
}

function averageTogether(): Together {
  const all = together.sets;
  const average = (read: (set: Together) => number): number =>
    all.reduce((sum, set) => sum + read(set), 0) / all.length;
  return {
    name: 'average',
    alone: { ours: average(({ alone }) => alone.ours), bm25: average(({ alone }) => alone.bm25) },
    among: { ours: average(({ among }) => among.ours), bm25: average(({ among }) => among.bm25) },
  };
}

function show({ recall5, ndcg10 }: Pick<Quality, 'recall5' | 'ndcg10'>): string {
  return `${recall5.toFixed(1)} / ${ndcg10.toFixed(1)}`;
}

function atLeast(promise: string, value: number, limit: number): Bar {
  return { promise, measured: formatFigure(value), passed: value >= limit };
}
