import { TOOL_STOP_WORDS } from '../../text/stop-words.ts';
import { loadWordMeanings, type WordMeanings } from '../../text/word-meanings.ts';
import { WordReader } from '../../text/word-reader.ts';
import type { IndexedTool } from '../indexed-tool.ts';
import { readToolText } from '../read-tool-text.ts';
import { CellPool } from './cell-pool.ts';
import { createRescorer } from './create-rescorer.ts';
import { type EverydayWords, QueryReading, readEverydayWords } from './query-reading.ts';
import { Lessons } from './lessons.ts';
import { MeaningTable } from './meaning-table.ts';
import { NameLookup, UtteranceLookup } from './name-lookup.ts';
import {
  CERTAIN,
  fullImpact,
  fullScore,
  type Merged,
  mergeNeeds,
  type NeedScores,
  toRest,
  type WeighedNeed,
} from './needs/merge-needs.ts';
import { asksToLook, type Need, splitNeeds, weighNeeds, weighUnknown } from './needs/weigh-needs.ts';
import { RANKING_WEIGHTS, type RankingWeights } from './ranking-weights.ts';
import { type QueryPart, readParts, readQuery, type ReadQuery } from './read-query.ts';
import { ScoreSheet, type SlotTest } from './score-sheet.ts';
import { TermIndex } from './term-index.ts';
import { TerseSources } from './terse-sources.ts';
import { TermWeigher, ToolShapes } from './tool-shapes.ts';

/** Characters of a query that are read: half at its beginning, half at its end. */
const LONGEST_QUERY = 16_000;
/** Parts of a query that are searched separately. */
const MOST_NEEDS = 48;
const CANDIDATES = 100;
/** In a query with more parts, each part gets fewer candidates, to limit the time. */
const MANY_NEEDS = 8;
const CANDIDATES_OF_MANY = 30;

/** A found tool, and the share of the query it covers. */
export interface Found {
  readonly indexed: IndexedTool;
  /** 0 to 1. */
  readonly score: number;
  /** The score that determines the order, including needs; a tool named in the query has none. */
  readonly merit?: number;
  /** The similarity of the tool's meaning to the query: 0 for the average tool, 1 for the same; only with an embedder. */
  readonly similarity?: number;
  /** The part of the query that it serves best, if the query asks for several things. */
  readonly need?: string;
}

export interface Findings {
  readonly found: readonly Found[];
  /** Tools that match a little of the query; only if nothing was found. */
  readonly nearest: readonly IndexedTool[];
  /** The needs of a query that asks for several things. */
  readonly needs: readonly string[];
  /** The certainty that the best tool fits: 0 to 1, and 1 for a tool that the query names. */
  readonly certainty: number;
}

/** The tools that may be found, and the number wanted. */
export interface RankScope {
  readonly count: number;
  readonly passes?: ((tool: IndexedTool) => boolean) | undefined;
}

/** Ranks tools for queries in natural language. Adding or removing a tool takes time proportional to its words. */
export class ToolRanker {
  readonly #weights: RankingWeights;
  readonly #pool = new CellPool();
  readonly #index = new TermIndex(this.#pool);
  readonly #reader = new WordReader({ stopWords: TOOL_STOP_WORDS, koreanPairs: true, mild: true });
  readonly #weigher: TermWeigher;
  readonly #sheet = new ScoreSheet();
  readonly #names = new NameLookup((slot) => this.#tools[slot]?.name);
  readonly #shapes = new ToolShapes(this.#index, this.#pool);
  readonly #lessons = new Lessons(this.#index);
  readonly #utterances = new UtteranceLookup(this.#reader);
  readonly #terse = new TerseSources();
  readonly #tools: (IndexedTool | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  #meanings: WordMeanings | undefined;
  #everyday: EverydayWords | undefined;
  #table: MeaningTable | undefined;

  constructor(weights: RankingWeights = RANKING_WEIGHTS) {
    this.#weights = weights;
    this.#weigher = new TermWeigher(this.#index, weights);
  }

  /** The context for reading the query of one search. */
  get reading(): QueryReading {
    return new QueryReading({
      index: this.#index,
      reader: this.#reader,
      weights: this.#weights,
      meanings: this.#meanings,
      everyday: (this.#everyday ??= readEverydayWords(this.#reader)),
    });
  }

  /** Adds a tool, replacing one with the same name. */
  put(indexed: IndexedTool): void {
    this.remove(indexed.name);
    this.#openMeanings();
    const slot = this.#free.pop() ?? this.#tools.length;
    const text = readToolText(indexed, this.#reader);
    this.#index.add(slot, this.#weigher.weigh(text));
    this.#shapes.put(slot, text);
    this.#terse.put(slot, indexed.source, text);
    this.#lessons.put(
      slot,
      (indexed.learned ?? []).map((query) => this.#reader.readQuery(query)),
    );
    this.#utterances.put(slot, indexed.tool.metadata.utterances ?? []);
    this.#tools[slot] = indexed;
    this.#table?.put(slot, text);
    this.#slots.set(indexed.name, slot);
    this.#names.add(indexed.name, slot);
  }

  remove(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#index.remove(slot);
    this.#shapes.remove(slot);
    this.#terse.remove(slot);
    this.#lessons.remove(slot);
    this.#utterances.remove(slot);
    this.#tools[slot] = undefined;
    this.#slots.delete(name);
    this.#names.remove(name, slot);
    this.#free.push(slot);
  }

  /** Finds every tool that matches part of the query, best first; tools named in the query come before all others. */
  find(query: string, { count, passes }: RankScope): Findings {
    const text = cutMiddle(query);
    const reading = this.reading;
    const passesSlot: SlotTest = passes === undefined ? undefined : (slot) => this.#passes(slot, passes);
    const needs = this.#findNeeds(text, reading, passesSlot);
    const read = readParts(needs.parts, reading);
    const whole = this.#score(read, { passes: passesSlot, text });
    // The number of candidates is fixed, so that the pages of one search agree; other tools follow them.
    const rest = count > CANDIDATES ? this.#sheet.select(count, passesSlot) : [];
    const orderOf = (slot: number): number => this.#tools[slot]?.order ?? 0;
    const sourceOf = (slot: number): string => this.#tools[slot]?.source ?? '';
    const merged = mergeNeeds(whole, needs.found, {
      weights: this.#weights,
      orderOf,
      sourceOf,
      isOneOfMany: (slot) => this.#terse.isOneOfMany(slot),
      rate: this.#lessons.rate(read, this.#weights),
      uttered: [...this.#utterances.find(text)].filter((slot) => passesSlot?.(slot) !== false),
    });
    return this.#finish([...merged, ...toRest(rest, merged, { full: whole.full, orderOf })], {
      named: this.#names.find(text).filter((slot) => passesSlot?.(slot) !== false),
      needs: needs.found.filter(({ weight }) => weight >= CERTAIN).map(({ text: need }) => need),
    });
  }

  /** Returns the parts of a query with their weights; empty for a query that asks for one thing. */
  needs(query: string): readonly QueryPart[] {
    const { parts } = this.#findNeeds(cutMiddle(query), this.reading, undefined);
    return parts.length > 1 ? parts.map(({ text, weight }) => ({ text, weight })) : [];
  }

  /** Splits a query into needs, and weighs each by how well tools answer it. */
  #findNeeds(text: string, reading: QueryReading, passes: SlotTest): FoundNeeds {
    const read = this.#chooseNeeds(splitNeeds(text, (part) => this.#isNeed(part)))
      .map((need) => ({ ...need, read: readQuery(need.text, reading) }))
      .map((need) => ({ ...need, isKnown: need.read.terms.some(({ term }) => term !== undefined) }));
    const candidates = read.length > MANY_NEEDS ? CANDIDATES_OF_MANY : CANDIDATES;
    const scored = read
      .filter(({ isKnown }) => isKnown)
      .map((need) => ({ ...need, ...this.#score(need.read, { passes, text: need.text, candidates }) }));
    if (scored.length === 0) return { parts: [{ text, weight: 1 }], found: [] };
    const { needs } = this.#weights;
    const counts = weighNeeds(scored, needs, this.#index.rarityOf(undefined) * fullImpact(this.#weights));
    const found = scored.map((need, place) => ({ ...need, weight: counts[place] ?? 0 }));
    const unknown = read.filter(({ isKnown }) => !isKnown);
    const guessed = unknown.map((need) => ({ text: need.text, weight: weighUnknown(need, read.length, needs) }));
    return { parts: [...found, ...guessed], found: found.length > 1 ? found : [] };
  }

  /** Scores every tool, then scores the best again in more detail. */
  #score(read: ReadQuery, { passes, text, candidates = CANDIDATES }: ScoreScope): NeedScores {
    const isLook = asksToLook(text);
    this.#sheet.score(read.terms, this.#index, this.#tools.length);
    const look = createRescorer(read, this.#index, this.#weights);
    const full = fullScore(read, this.#weights);
    const asked = this.#table?.read(read.terms);
    const { meaning, meaningWords } = this.#weights;
    const words = read.terms.reduce((sum, { weight }) => sum + Math.min(1, weight), 0);
    const worth = full * meaning * Math.min(1, Math.sqrt(meaningWords / words));
    const scored = this.#sheet.select(candidates, passes).map(({ slot, score }) => {
      const shape = this.#shapes.read(slot);
      if (shape === undefined) return { slot, score: 0, isBare: false };
      const alike = asked === undefined ? 0 : (this.#table?.compare(asked, slot) ?? 0);
      const { score: again, isThin, isBare } = look(shape, score);
      const isDemoted = isBare || (isThin && this.#terse.isOneOfMany(slot));
      return { slot, score: (again + worth * alike) * this.#lift(slot, isLook), isBare: isDemoted };
    });
    return { scored, full };
  }

  /** Returns the bonus of a tool for its metadata. */
  #lift(slot: number, isLook: boolean): number {
    const metadata = this.#tools[slot]?.tool.metadata;
    const { looks, common } = this.#weights;
    return (isLook && metadata?.risk === 'read' ? 1 + looks : 1) * (metadata?.common === true ? 1 + common : 1);
  }

  /** Loads meanings with the first tool: a board that is only listed does not read the file. */
  #openMeanings(): void {
    if (this.#table !== undefined) return;
    this.#meanings = loadWordMeanings();
    if (this.#meanings !== undefined) this.#table = new MeaningTable(this.#meanings);
  }

  /** Selects the parts to search if there are very many: those with the rarest words of the board, in their order. */
  #chooseNeeds(needs: readonly Need[]): readonly Need[] {
    if (needs.length <= MOST_NEEDS) return needs;
    const worth = new Map(needs.map((need) => [need, this.#worthOf(need.text)]));
    const chosen = new Set(needs.toSorted((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0)).slice(0, MOST_NEEDS));
    return needs.filter((need) => chosen.has(need));
  }

  #worthOf(part: string): number {
    let worth = 0;
    for (const term of this.#knownTerms(part)) worth += this.#index.rarityOf(term);
    return worth;
  }

  #isNeed(part: string): boolean {
    return this.#knownTerms(part).size > 1;
  }

  #knownTerms(part: string): ReadonlySet<number> {
    const known = new Set<number>();
    for (const word of this.#reader.readQuery(part)) known.add(this.#index.numberOfWord(word) ?? -1);
    known.delete(-1);
    return known;
  }

  #passes(slot: number, passes: (tool: IndexedTool) => boolean): boolean {
    const tool = this.#tools[slot];
    return tool !== undefined && passes(tool);
  }

  /** Puts named tools first and makes scores descend along the list. */
  #finish(
    merged: readonly Merged[],
    { named, needs }: { readonly named: readonly number[]; readonly needs: readonly string[] },
  ): Findings {
    const found: Found[] = [];
    const add = (slot: number, scores: Omit<Found, 'indexed'>): void => {
      const indexed = this.#tools[slot];
      if (indexed !== undefined) found.push({ indexed, ...scores });
    };
    for (const slot of named) add(slot, { score: 1 });
    let lowest = 1;
    for (const { slot, merit, coverage, serves } of merged) {
      if (named.includes(slot)) continue;
      lowest = Math.min(lowest, coverage);
      const need = needs.length > 1 && serves !== undefined ? { need: serves } : {};
      if (coverage >= this.#weights.leastScore) add(slot, { score: lowest, merit, ...need });
    }
    const nearest = found.length > 0 ? [] : merged.flatMap(({ slot }) => this.#tools[slot] ?? []);
    return {
      found,
      nearest: nearest.slice(0, CANDIDATES / 10),
      needs: needs.length > 1 ? needs : [],
      certainty: found[0]?.score ?? 0,
    };
  }
}

interface ScoreScope {
  readonly passes: SlotTest;
  readonly text: string;
  readonly candidates?: number;
}

/** The parts of a query, and the tools found for those that are searched separately. */
interface FoundNeeds {
  readonly parts: readonly QueryPart[];
  readonly found: readonly WeighedNeed[];
}

/** Returns the beginning and the end of a query that is too long: people ask first or last. */
function cutMiddle(query: string): string {
  if (query.length <= LONGEST_QUERY) return query;
  return `${query.slice(0, LONGEST_QUERY / 2)}\n${query.slice(-LONGEST_QUERY / 2)}`;
}
