import { counted } from '../../tool/texts/counted.ts';
import { setTimeout } from 'node:timers/promises';
import { type SearchedTools, type Ranker, rankTools } from '../rank-tools.ts';
import type { RankedResult } from '../ranked-result.ts';
import type { FindOptions } from '../search-options.ts';
import type { Closeness } from './closeness.ts';
import type { ToolVectors } from './tool-vectors.ts';
import type { IndexedTool } from '../indexed-tool.ts';
import type { QueryPart } from '../ranking/read-query.ts';
import type { Findings, Found, RankScope } from '../ranking/tool-ranker.ts';

const WAIT = 10_000;
/** Characters of a query that are embedded. */
const LONGEST_QUERY = 2_000;
/** What a tool's meaning counts beside its words, where the best tool has all words of the query. */
const MEANING = 1;
/** What it counts more the fewer words the best tool has: the query then has other words for what is asked. */
const MEANING_OF_OTHER_WORDS = 2;
/** How close a tool must come to be looked at beside others whose words fit: 0 is the board's average, 1 the same. */
const LEAST_BESIDE_WORDS = 0.1;
/**
 * The same where no tool has a word of the query. Nonsense comes up to 0.33 on boards of 200 to 3,600 tools, what fits has
 * 0.3 to 0.6.
 */
const LEAST_ALONE = 0.35;
const CANDIDATES = 100;
/** What the closest meaning counts for how sure a search is; the rest is what the best tool has of the words. */
const MEANING_CERTAIN = 0.8;
/** Parts of a query that are embedded by themselves: the ones that count most, and not less than this. */
const MOST_NEEDS = 8;
const LEAST_WEIGHT = 0.5;

/** What is searched: tools with their words, and their vectors. */
interface Searched {
  /** Read after the vectors are computed: tools may be added or removed meanwhile. */
  readonly tools: () => SearchedTools;
  readonly vectors: ToolVectors;
}

/** Ranks by words and meanings; by words alone, with a note, when there are no vectors. */
export async function findByMeaning(
  query: string,
  options: FindOptions,
  { tools, vectors }: Searched,
): Promise<RankedResult> {
  const { wait = WAIT, signal } = options;
  const parts = toMeantTexts(query, tools().ranker().needs(query));
  const embedded = vectors.embedQuery([parts.whole, ...parts.needs.map(({ text }) => text)], signal);
  await waitFor(Promise.all([vectors.prepare(), embedded]), { wait, signal });
  const isReady = vectors.missing === 0 && vectors.failure === undefined;
  const [vector, ...others] = (isReady ? await embedded : undefined) ?? [];
  const needs = others.map((other, place) => ({ vector: other, weight: parts.needs[place]?.weight ?? 0 }));
  const closeness = vector === undefined ? undefined : vectors.compare(vector, needs);
  const words = tools();
  if (closeness !== undefined) return rankTools(query, options, withMeaning(words, closeness)).toResult();
  const result = rankTools(query, options, words).toResult();
  if (words.size === 0) return result;
  return { ...result, note: [result.note, explain(vectors)].filter((text) => text !== undefined).join(' ') };
}

/** What is embedded of a query: the parts that count as one text, and each of them where there are several. */
function toMeantTexts(
  query: string,
  parts: readonly QueryPart[],
): { readonly whole: string; readonly needs: readonly QueryPart[] } {
  const counting = parts.filter(({ weight }) => weight >= LEAST_WEIGHT);
  if (counting.length === 0) return { whole: query.slice(0, LONGEST_QUERY), needs: [] };
  const whole = counting.map(({ text }) => text).join('. ');
  const best = counting.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_NEEDS);
  return { whole: whole.slice(0, LONGEST_QUERY), needs: counting.length === 1 ? [] : best };
}

function withMeaning(words: SearchedTools, closeness: Closeness): SearchedTools {
  const ranker = words.ranker();
  const fused: Ranker = {
    reading: ranker.reading,
    needs: (query) => ranker.needs(query),
    find: (query, options) => fuseFindings(ranker.find(query, options), closeness, options),
  };
  return { ...words, ranker: () => fused };
}

function explain({ failure, missing }: ToolVectors): string {
  if (failure !== undefined) return `Ranked by words alone, for the embedder failed: ${failure}`;
  return `Ranked by words alone: the vectors of ${counted(missing, 'tool')} are still being computed.`;
}

/** Waits for work, but not longer than asked. The work goes on. */
async function waitFor(
  work: Promise<unknown>,
  { wait, signal }: { readonly wait: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const stop = new AbortController();
  const signals = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  try {
    await Promise.race([
      work,
      wait === Infinity ? new Promise(() => {}) : setTimeout(wait, undefined, { signal: signals }),
    ]);
  } finally {
    stop.abort();
  }
}

/** Joins what words found with how close meanings are: best first, scores falling along the list. */
function fuseFindings(lexical: Findings, closeness: Closeness, { count, passes }: RankScope): Findings {
  const named = lexical.found.filter(({ merit }) => merit === undefined);
  const highest = Math.max(...lexical.found.map(({ merit = 0 }) => merit)) || 1;
  const covered = Math.max(0, ...lexical.found.map(({ score }) => score));
  const weight = MEANING + MEANING_OF_OTHER_WORDS * (1 - covered);
  const fused = new Map<string, Found & { readonly merit: number }>();
  const add = (indexed: IndexedTool, words: Pick<Found, 'score' | 'merit' | 'need'>): void => {
    const similarity = Math.max(0, Math.min(1, closeness.of(indexed.name) ?? 0));
    const merit = (words.merit ?? 0) / highest + weight * similarity;
    fused.set(indexed.name, { ...words, indexed, merit, similarity, score: Math.max(words.score, similarity) });
  };
  for (const found of lexical.found) if (found.merit !== undefined) add(found.indexed, found);
  const isNamed = new Set(named.map(({ indexed }) => indexed.name));
  const least = lexical.found.length === 0 ? LEAST_ALONE : LEAST_BESIDE_WORDS;
  for (const { tool, similarity } of closeness.nearest(Math.max(count, CANDIDATES), passes)) {
    if (similarity < least) break;
    if (!fused.has(tool.name) && !isNamed.has(tool.name)) add(tool, { score: 0 });
  }
  const sorted = [...fused.values()].sort((a, b) => b.merit - a.merit || a.indexed.order - b.indexed.order);
  let lowest = 1;
  const found = sorted.map((one) => ({ ...one, score: (lowest = Math.min(lowest, one.score)) }));
  // Not how close it is beside the others: on a board about one thing all tools are close, and none is by comparison.
  const meant = MEANING_CERTAIN * closeness.highest(passes);
  const certainty = named.length > 0 ? 1 : meant + (1 - MEANING_CERTAIN) * (lexical.found[0]?.score ?? 0);
  return { ...lexical, found: [...named, ...found], certainty };
}
