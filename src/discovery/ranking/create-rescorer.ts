import type { RankingWeights } from './ranking-weights.ts';
import type { ReadQuery } from './read-query.ts';
import type { TermIndex } from './term-index.ts';
import type { ToolShape } from './tool-shapes.ts';

const IN_FRONT = 1.6;
const IN_DETAILS = 0.6;
/** The rarity of a word that one of 200 tools has. */
const SMALL_BOARD = 6;
/** The length, with separators, of the name and description of a tool that says almost nothing. */
const FEW_WORDS = 5;
/** If the board knows this many words of a query, one of them says little. */
const SEVERAL = 3;

/** Scores a candidate again, from its first score and details that would cost too much to compute for every tool. */
type Rescore = (tool: ToolShape, score: number) => Rescored;

/** The second score of a candidate. */
interface Rescored {
  readonly score: number;
  /** True if the tool has only one word of a query with several. */
  readonly isThin: boolean;
  /** True if it also says little else: such tools could be made for every word. */
  readonly isBare: boolean;
}

/** Creates the second scoring for a query: adjacent words, and the share of a tool's name that the query covers. */
export function createRescorer(read: ReadQuery, index: TermIndex, weights: RankingWeights): Rescore {
  const asked = new Set<number>();
  for (const { term, alternatives } of read.terms) {
    if (term !== undefined) asked.add(term);
    // A misspelt or shortened word stands for another; a related one only hints at it.
    else for (const other of alternatives) if (other.isSpelling) asked.add(other.term);
  }
  const worth: PairWorth = new Map();
  for (const { first, second, weight } of read.pairs) {
    const pair = { worth: weights.pair * weight * (index.rarityOf(first) + index.rarityOf(second)) };
    const others = worth.get(first);
    if (others === undefined) worth.set(first, new Map([[second, pair]]));
    else others.set(second, pair);
  }
  // On a small board a covered name means much; the more tools there are, the more are covered by chance.
  const enough = weights.nameEnough * Math.max(0, index.rarityOf(undefined) - SMALL_BOARD);
  const hasOneWord = createThinTest(read);
  return (tool, first) => {
    const isThin = hasOneWord(tool);
    const isBare = isThin && saysLittle(tool);
    const score = first * (1 - (isBare ? weights.bare : isThin ? weights.thin : 0));
    const paired = score + (worth.size === 0 ? 0 : addPairs(tool, worth));
    return { score: paired * (1 + weights.nameCovered * coverName(tool, asked, { index, enough })), isThin, isBare };
  };
}

/** Returns true if a tool's text is hardly more than its name. */
function saysLittle({ front, end }: ToolShape): boolean {
  return end - front <= FEW_WORDS;
}

/** Creates a test for tools that have only one of the query's words, or of its alternatives. */
function createThinTest({ terms }: ReadQuery): (tool: ToolShape) => boolean {
  const placeOf = new Map<number, number>();
  let known = 0;
  for (const [place, { term, alternatives }] of terms.entries()) {
    if (term !== undefined || alternatives.length > 0) known++;
    if (term !== undefined) placeOf.set(term, place);
    for (const other of alternatives) if (!placeOf.has(other.term)) placeOf.set(other.term, place);
  }
  if (known < SEVERAL) return () => false;
  return ({ words, name, end }) => {
    let first = -1;
    for (let at = name; at < end; at++) {
      const place = placeOf.get(words[at] ?? -1);
      if (place === undefined || place === first) continue;
      if (first >= 0) return false;
      first = place;
    }
    return true;
  };
}

/** By the first word, then by the second. */
type PairWorth = Map<number, Map<number, { readonly worth: number }>>;

/** Adds up the word pairs of a tool, each once, at its first position. */
function addPairs({ words, front, details, end }: ToolShape, worth: PairWorth): number {
  const seen: { readonly worth: number }[] = [];
  let total = 0;
  for (let place = front; place + 1 < end; place++) {
    const pair = worth.get(words[place] ?? -1)?.get(words[place + 1] ?? -1);
    if (pair === undefined || seen.includes(pair)) continue;
    seen.push(pair);
    total += pair.worth * (place < details ? IN_FRONT : IN_DETAILS);
  }
  return total;
}

/** Returns the share of the name that the query covers. A name of few or common words counts less on a large board. */
function coverName(
  { words, name, front }: ToolShape,
  asked: ReadonlySet<number>,
  { index, enough }: { readonly index: TermIndex; readonly enough: number },
): number {
  let [covered, whole] = [0, 0];
  for (let place = name; place < front; place++) {
    const term = words[place] ?? 0;
    const rarity = index.rarityOf(term);
    whole += rarity;
    if (asked.has(term)) covered += rarity;
  }
  if (whole === 0) return 0;
  return (covered / whole) * (covered < enough ? covered / enough : 1);
}
