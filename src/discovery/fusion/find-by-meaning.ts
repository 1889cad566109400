import { counted } from '../../tool/texts/counted.ts';
import { setTimeout } from 'node:timers/promises';
import { type RankedResult, type Ranker, rankTools, type SearchedTools } from '../rank-tools.ts';
import type { FindOptions } from '../search-options.ts';
import type { Closeness, ToolVectors } from './tool-vectors.ts';
import type { IndexedTool } from '../indexed-tool.ts';
import type { QueryPart } from '../ranking/read-query.ts';
import type { Findings, Found, RankScope } from '../ranking/tool-ranker.ts';

const WAIT = 10_000;
/** Characters of a query that are embedded. */
const LONGEST_QUERY = 2_000;
/** The weight of a tool's meaning beside its words, if the best tool has all words of the query. */
const MEANING = 1;
/** The additional weight if the best tool has few of the words: the query then uses other words. */
const MEANING_OF_OTHER_WORDS = 2;
/** The similarity a tool needs to be considered beside others with matching words: 0 is the board's average, 1 the same. */
const LEAST_BESIDE_WORDS = 0.1;
/**
 * The same if no tool has a word of the query. Nonsense reaches 0.33 on boards of 200 to 3,600 tools, fitting tools
 * have 0.3 to 0.6.
 */
const LEAST_ALONE = 0.35;
const CANDIDATES = 100;
/** The weight of the closest meaning in the certainty of a search; the rest is the word score of the best tool. */
const MEANING_CERTAIN = 0.8;
/** The most parts of a query that are embedded separately, and the least weight they need. */
const MOST_NEEDS = 8;
const LEAST_WEIGHT = 0.5;

/** Tools with their words and vectors. */
interface Searched {
  /** Called after the vectors are computed: tools may be added or removed meanwhile. */
  readonly tools: () => SearchedTools;
  readonly vectors: ToolVectors;
}

/** Ranks by words and meanings; by words alone, with a note, if there are no vectors. */
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

/** Selects the texts to embed: the parts that count as one text, and each of them if there are several. */
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
  if (failure !== undefined) return `Ranked by words alone, because the embedder failed: ${failure}`;
  return `Ranked by words alone: the vectors of ${counted(missing, 'tool')} are still being computed.`;
}

/** Waits for work, but only as long as requested. The work continues. */
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

/** Combines the hits by words with similarities of meaning: best first, with descending scores. */
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
  // Uses the cosine, not the scaled similarity: on a board about one topic all tools are close, and none stands out.
  const byMeaning = MEANING_CERTAIN * closeness.highest(passes);
  const certainty = named.length > 0 ? 1 : byMeaning + (1 - MEANING_CERTAIN) * (lexical.found[0]?.score ?? 0);
  return { ...lexical, found: [...named, ...found], certainty };
}
