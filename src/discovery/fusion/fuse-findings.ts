import type { IndexedTool } from '../indexed-tool.ts';
import type { FindOptions, Findings, Found } from '../ranking/tool-ranker.ts';
import type { Closeness } from './closeness.ts';

/** What a tool's meaning counts beside its words. */
const MEANING = 2;
/** How close a tool must come to be looked at beside others whose words fit: 0 is the board's average, 1 the same. */
const LEAST_BESIDE_WORDS = 0.1;
/**
 * The same where no tool has a word of the query. Nonsense comes up to 0.33 on boards of 200 to 3,600 tools, what fits has
 * 0.3 to 0.6.
 */
const LEAST_ALONE = 0.35;
/** On a board of few tools the average says nothing of tools that do not fit. */
const FEW = 8;
const USUAL_AVERAGE = 0.1;
const CANDIDATES = 100;

/** Joins what words found with how close meanings are: best first, scores falling along the list. */
export function fuseFindings(lexical: Findings, closeness: Closeness, { count, passes }: FindOptions): Findings {
  const similarityOf = toSimilarity(closeness);
  const named = lexical.found.filter(({ merit }) => merit === undefined);
  const highest = Math.max(...lexical.found.map(({ merit = 0 }) => merit)) || 1;
  const fused = new Map<string, Found & { readonly merit: number }>();
  const add = (indexed: IndexedTool, words: { readonly score: number; readonly merit?: number }): void => {
    const similarity = similarityOf(closeness.of(indexed.name) ?? closeness.average);
    const merit = (words.merit ?? 0) / highest + MEANING * similarity;
    fused.set(indexed.name, { indexed, merit, similarity, score: Math.max(words.score, similarity) });
  };
  for (const found of lexical.found) if (found.merit !== undefined) add(found.indexed, found);
  const isNamed = new Set(named.map(({ indexed }) => indexed.name));
  const least = lexical.found.length === 0 ? LEAST_ALONE : LEAST_BESIDE_WORDS;
  for (const { tool, cosine } of closeness.nearest(Math.max(count, CANDIDATES), passes)) {
    if (similarityOf(cosine) < least) break;
    if (!fused.has(tool.name) && !isNamed.has(tool.name)) add(tool, { score: 0 });
  }
  const sorted = [...fused.values()].sort((a, b) => b.merit - a.merit || a.indexed.order - b.indexed.order);
  let lowest = 1;
  const found = sorted.map((one) => ({ ...one, score: (lowest = Math.min(lowest, one.score)) }));
  return { found: [...named, ...found], nearest: lexical.nearest };
}

/** 0 for what is as far off as most tools are, 1 for the same; whatever range a model's cosines have. */
function toSimilarity(closeness: Closeness): (cosine: number) => number {
  const average = closeness.size < FEW ? Math.min(USUAL_AVERAGE, closeness.average) : closeness.average;
  const room = Math.max(0.05, 1 - average);
  return (cosine) => Math.max(0, Math.min(1, (cosine - average) / room));
}
