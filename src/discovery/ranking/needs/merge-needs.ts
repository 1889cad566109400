import type { RankingWeights } from '../ranking-weights.ts';
import type { ReadQuery } from '../read-query.ts';
import type { RateTaught } from '../lessons.ts';
import type { Scored } from '../score-sheet.ts';

const WINDOW = 10;
/** Tools of a source that are not demoted. */
const FREE = 2;
/**
 * The bonus, as a share of the best score, of a tool with the query as an utterance: enough to be first without any of
 * its words.
 */
const ABOVE = 1.01;
/** Needs with a higher weight get a place among the first ten. */
export const CERTAIN = 0.5;

/** The tools found for one need, and the score of a tool with everything it asks for. */
export interface NeedScores {
  readonly scored: readonly (Scored & { readonly isBare: boolean })[];
  readonly full: number;
}

/** The tools found for one need, and its weight: 0 to 1. */
export interface WeighedNeed extends NeedScores {
  readonly text: string;
  readonly weight: number;
}

/** A tool with its scores for all needs. */
export interface Merged {
  readonly slot: number;
  /** The score that determines the order. */
  readonly merit: number;
  /** The share of the query, or of one of its needs, that the tool covers: 0 to 1. */
  readonly coverage: number;
  /** The need that it serves best. */
  readonly serves?: string | undefined;
}

interface Merging {
  readonly weights: RankingWeights;
  readonly orderOf: (slot: number) => number;
  readonly sourceOf: (slot: number) => string;
  /** Returns true if a tool is one of very many of its source with hardly more than one word. */
  readonly isOneOfMany: (slot: number) => boolean;
  /** Rates tools that have learned, if any. */
  readonly rate: RateTaught | undefined;
  /** Tools with the query as an utterance. */
  readonly uttered: readonly number[];
}

/** Merges the results for the whole query and its needs, so that the best tool for each need is among the first ten. */
export function mergeNeeds(
  whole: NeedScores,
  needs: readonly WeighedNeed[],
  { weights, orderOf, sourceOf, isOneOfMany, rate, uttered }: Merging,
): Merged[] {
  const merged = new Map<number, Mutable>();
  const top = highestOf(whole);
  for (const { slot, score, isBare } of whole.scored) {
    merged.set(slot, { slot, merit: score / top, coverage: Math.min(1, score / whole.full), need: 0, isBare });
  }
  for (const { text, scored, full, weight } of needs) {
    const highest = highestOf({ scored, full });
    for (const { slot, score, isBare } of scored) {
      let tool = merged.get(slot);
      if (tool === undefined) merged.set(slot, (tool = { slot, merit: 0, coverage: 0, need: 0, isBare }));
      if (!isBare) tool.isBare = false;
      tool.coverage = Math.max(tool.coverage, weight * Math.min(1, score / full));
      const share = (weight * score) / highest;
      if (share <= tool.need) continue;
      tool.need = share;
      if (weight >= CERTAIN) tool.serves = text;
    }
  }
  for (const slot of uttered) {
    // A query is converted to words that tools use, but an utterance is compared as it is: its tool need not contain any word of the query.
    if (!merged.has(slot)) merged.set(slot, { slot, merit: 0, coverage: 0, need: 0, isBare: false });
  }
  for (const tool of merged.values()) tool.merit += weights.need * tool.need;
  const all = [...merged.values()];
  // The order matters: tools that a query led to come before tools with a matching utterance.
  if (uttered.length > 0) liftUttered(all, uttered, sourceOf);
  if (rate !== undefined) rateTaught(all, rate);
  const sort = (): Mutable[] => all.sort((a, b) => b.merit - a.merit || orderOf(a.slot) - orderOf(b.slot));
  const sorted = demote(sort(), { sourceOf, isOneOfMany, weights }) ? sort() : all;
  const certain = needs.filter(({ weight }) => weight > CERTAIN);
  return certain.length > WINDOW / 2 ? bringForward(sorted, certain) : sorted;
}

function rateTaught(tools: readonly Mutable[], rate: RateTaught): void {
  let best = 0;
  for (const { merit } of tools) best = Math.max(best, merit);
  for (const tool of tools) {
    const rated = rate(tool.slot, tool.merit, best);
    if (rated === undefined) continue;
    tool.merit = rated.score;
    tool.coverage = Math.max(tool.coverage, rated.sameness);
  }
}

/**
 * Puts tools with the query as an utterance first: only the best one of each source, so that a source that adds common
 * queries to all its tools gains one place.
 */
function liftUttered(tools: readonly Mutable[], uttered: readonly number[], sourceOf: Merging['sourceOf']): void {
  const slots = new Set(uttered);
  const lifted = new Map<string, Mutable>();
  let best = 0;
  for (const tool of tools) {
    best = Math.max(best, tool.merit);
    if (!slots.has(tool.slot)) continue;
    const source = sourceOf(tool.slot);
    if (tool.merit > (lifted.get(source)?.merit ?? -1)) lifted.set(source, tool);
  }
  for (const tool of lifted.values()) {
    tool.merit += ABOVE * best;
    tool.coverage = 1;
  }
}

interface Mutable {
  readonly slot: number;
  merit: number;
  coverage: number;
  need: number;
  isBare: boolean;
  serves?: string;
}

/**
 * Demotes tools with one word of the query and little other text behind others of their source: a source must not fill
 * the first places with a tool for every word. Other tools are not affected, however many a source has.
 */
function demote(
  sorted: readonly Mutable[],
  { sourceOf, isOneOfMany, weights: { bareNext, oneOfMany } }: Pick<Merging, 'sourceOf' | 'isOneOfMany' | 'weights'>,
): boolean {
  const counts = new Map<string, number>();
  let isChanged = false;
  for (const tool of sorted) {
    if (!tool.isBare) continue;
    const source = sourceOf(tool.slot);
    const before = counts.get(source) ?? 0;
    counts.set(source, before + 1);
    const isFlood = isOneOfMany(tool.slot);
    const held = Math.max(0, before + 1 - (isFlood ? 0 : FREE));
    tool.merit *= (isFlood ? oneOfMany : bareNext) ** held;
    isChanged ||= held > 0;
  }
  return isChanged;
}

/**
 * Moves the best tool of each need to one of the last of the first ten places, because with many needs one of them
 * could fill all ten.
 */
function bringForward(sorted: Merged[], needs: readonly NeedScores[]): Merged[] {
  const front = new Set(sorted.slice(0, WINDOW));
  const missing = new Set<Merged>();
  for (const { scored } of needs) {
    const slots = new Map(scored.map(({ slot, score }) => [slot, score]));
    let best: Merged | undefined;
    for (const tool of sorted) {
      if ((slots.get(tool.slot) ?? 0) > (best === undefined ? 0 : (slots.get(best.slot) ?? 0))) best = tool;
    }
    if (best !== undefined && !front.has(best)) missing.add(best);
  }
  if (missing.size === 0) return sorted;
  const rest = sorted.filter((tool) => !missing.has(tool));
  rest.splice(Math.max(0, WINDOW - missing.size), 0, ...missing);
  return rest;
}

/** Returns the score of a tool with each word in its name. Words that no tool has count half: many are values. */
export function fullScore({ terms }: ReadQuery, weights: RankingWeights): number {
  let full = 0;
  for (const { term, rarity, weight } of terms) full += rarity * weight * (term === undefined ? 0.5 : 1);
  return full * fullImpact(weights) || 1;
}

/** Returns the factor by which a word's rarity counts for a tool with it in a name that the query covers. */
export function fullImpact({ fields, saturation, nameCovered }: RankingWeights): number {
  return ((fields.name.weight * (saturation + 1)) / (fields.name.weight + saturation)) * (1 + nameCovered);
}

/** Returns the tools that were not among the candidates, by their first score. */
export function toRest(
  scored: readonly Scored[],
  merged: readonly Merged[],
  { full, orderOf }: { readonly full: number; readonly orderOf: (slot: number) => number },
): Merged[] {
  if (scored.length === 0) return [];
  const seen = new Set(merged.map(({ slot }) => slot));
  return scored
    .filter(({ slot }) => !seen.has(slot))
    .toSorted((a, b) => b.score - a.score || orderOf(a.slot) - orderOf(b.slot))
    .map(({ slot, score }) => ({ slot, merit: 0, coverage: Math.min(1, score / full) }));
}

/** Returns the best score of a need, or 1 if nothing was found. */
export function highestOf({ scored }: NeedScores): number {
  let highest = 0;
  for (const { score } of scored) if (score > highest) highest = score;
  return highest === 0 ? 1 : highest;
}
