import { splitWords } from '../text/split-words.ts';
import { browse, toFilterTest } from './filter-tools.ts';
import { countGroups, type GroupCounts, type ToolGroups } from './group-counter.ts';
import { type IndexedTool, toEntry } from './indexed-tool.ts';
import type { ClosestGroups, RankedHit, RankedResult, WordMatch } from './ranked-result.ts';
import type { QueryReading } from './ranking/query-reading.ts';
import { type Field, FIELDS } from './ranking/ranking-weights.ts';
import { readQuery } from './ranking/read-query.ts';
import type { Found, ToolRanker } from './ranking/tool-ranker.ts';
import { readToolText } from './read-tool-text.ts';
import { type RankOptions, readPage } from './search-options.ts';
import { DOUBT, sayFolded, sayLanguage, sayNothingFits } from './write-notes.ts';

const MOST = 5;
/** The certainty below which the best tool is a guess; with an embedder, certainty is scaled differently. */
const LEAST_CERTAIN = 0.2;
const LEAST_CERTAIN_MEANT = 0.28;
/** Above this, the best tool certainly fits. */
const CERTAIN = 0.5;

/** Characters of a query that are checked for odd words. */
const LONGEST_ODD = 2_000;

/** Orders tools by words, or by words and meanings. */
export type Ranker = Pick<ToolRanker, 'find' | 'needs' | 'reading'>;

/** The tools of a ranked search. */
export interface SearchedTools {
  /** Returns every tool, in the board's order. */
  readonly tools: () => Iterable<IndexedTool>;
  readonly size: number;
  readonly groups: () => ToolGroups;
  readonly ranker: () => Ranker;
  /** The certainty below which the best tool is a guess. Default: a value for most boards. */
  readonly doubtBelow?: number | undefined;
}

/** The found page, and the full answer on request. */
export interface RankedPage {
  readonly found: readonly Folded[];
  toResult(): RankedResult;
}

/** Ranks tools, folds duplicates and selects the page. A blank query returns the first tools of the board. */
export function rankTools(query: string, options: RankOptions, searched: SearchedTools): RankedPage {
  const { tools, size, ranker } = searched;
  const page = readPage(options);
  const { limit, offset } = page;
  const passes = toFilterTest(options);
  if (query.trim() === '') {
    const found = browse(tools(), page, passes).map((indexed) => ({ indexed, score: 0, duplicates: [] }));
    return { found, toResult: () => ({ hits: found.map((one) => toHit(one)) }) };
  }
  const ready = ranker();
  const {
    found: all,
    nearest,
    needs,
    certainty,
  } = ready.find(query, { count: Math.min(offset + limit, size), passes });
  const found = foldDuplicates(all).slice(offset, offset + limit);
  return {
    found,
    toResult: () => {
      // A tool that is found well in another language, by a model or by queries in that language, needs no advice.
      const hasOddWords = (): boolean => isOdd(query, ready.reading);
      const language = certainty >= CERTAIN ? undefined : sayLanguage({ query, tools, size, hasOddWords });
      if (all.length === 0) {
        const closest = findClosest(nearest, searched.groups);
        return { hits: [], ...toNote(sayNothingFits(size, closest), language), closest };
      }
      const hits = found.map((one) => toHit(one, options.explain === true ? { query, ready } : undefined));
      const folded = found.reduce((sum, { duplicates }) => sum + duplicates.length, 0);
      const usual = all.some(({ similarity }) => similarity !== undefined) ? LEAST_CERTAIN_MEANT : LEAST_CERTAIN;
      const isDoubtful = certainty < (searched.doubtBelow ?? usual);
      return {
        hits,
        certainty: round(certainty),
        ...toNote(folded === 0 ? undefined : sayFolded(folded), isDoubtful ? DOUBT : undefined, language),
        ...(needs.length > 1 ? { needs } : {}),
        ...(language === undefined ? {} : { language }),
        ...(isDoubtful ? { isDoubtful } : {}),
      };
    },
  };
}

/** Returns true if at least a third of the words are neither words of the board nor known English words. */
function isOdd(query: string, reading: QueryReading): boolean {
  const words = reading.reader.readQuery(query.slice(0, LONGEST_ODD));
  const odd = words.filter(({ stem }) => reading.index.numberOf(stem) === undefined && !reading.isKnown(stem));
  return odd.length * 3 >= words.length && odd.length > 0;
}

function toNote(...remarks: readonly (string | undefined)[]): { readonly note?: string } {
  const said = remarks.filter((remark) => remark !== undefined);
  return said.length === 0 ? {} : { note: said.join(' ') };
}

function toHit(folded: Folded, why?: { query: string; ready: Ranker }): RankedHit {
  const { indexed, score, duplicates, similarity, need } = folded;
  // Not spread, which would convert the schema immediately.
  return Object.assign(toEntry(indexed), {
    score: round(score),
    ...(similarity === undefined ? {} : { similarity: round(similarity) }),
    ...(duplicates.length === 0 ? {} : { duplicates }),
    ...(need === undefined ? {} : { need }),
    ...(why === undefined ? {} : { matches: explainMatch(why.query, indexed, why.ready.reading) }),
  });
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}

/** Returns the categories and sources of the nearest tools, or the largest of the board if there are none. */
function findClosest(nearest: readonly IndexedTool[], all: () => ToolGroups): ClosestGroups {
  const { category, source } = nearest.length > 0 ? countGroups(nearest) : all();
  return { categories: largest(category), sources: largest(source) };
}

function largest(counts: GroupCounts): string[] {
  return counts.slice(0, MOST).map(([name]) => name);
}

/** Returns the words of a query that a tool has, with their fields and forms. */
function explainMatch(query: string, indexed: IndexedTool, reading: QueryReading): WordMatch[] {
  const text = readToolText(indexed, reading.reader);
  const fieldsOf = (stem: string): Field[] => FIELDS.filter((field) => text[field].some((word) => word.stem === stem));
  return readQuery(query, reading).terms.flatMap(({ word, stem, term, alternatives }): WordMatch[] => {
    const own = term === undefined ? [] : fieldsOf(stem);
    if (own.length > 0) return [{ word, fields: own }];
    for (const alternative of alternatives.toSorted((a, b) => b.factor - a.factor)) {
      const list = reading.index.lists[alternative.term];
      const fields = list === undefined ? [] : fieldsOf(list.stem);
      if (list !== undefined && fields.length > 0) return [{ word, as: list.word, fields }];
    }
    return [];
  });
}

const ALIKE = 0.9;
const COMPARED = 30;

/** A found tool with its duplicates from other sources. */
interface Folded extends Found {
  readonly duplicates: string[];
}

/** Folds tools of different sources with nearly the same name and description into the better one. */
function foldDuplicates(found: readonly Found[]): Folded[] {
  const kept: Folded[] = [];
  const words = new Map<IndexedTool, ReadonlySet<string>>();
  const wordsOf = (tool: IndexedTool): ReadonlySet<string> => {
    const known = words.get(tool) ?? readOwnWords(tool);
    words.set(tool, known);
    return known;
  };
  for (const [place, one] of found.entries()) {
    const same =
      place < COMPARED
        ? kept.find(
            ({ indexed }) => mayBeAlike(indexed, one.indexed) && areAlike(wordsOf(indexed), wordsOf(one.indexed)),
          )
        : undefined;
    if (same === undefined) kept.push({ ...one, duplicates: [] });
    else same.duplicates.push(one.indexed.name);
  }
  return kept;
}

/** Excludes most pairs cheaply. */
function mayBeAlike(one: IndexedTool, other: IndexedTool): boolean {
  const lengths = [one.tool.metadata.description.length, other.tool.metadata.description.length];
  return one.source !== other.source && Math.min(...lengths) > 0.8 * Math.max(...lengths);
}

/** Reads the words of a tool without those of its source: names often begin with it, which says nothing about the tool. */
function readOwnWords({ name, source, tool }: IndexedTool): Set<string> {
  const sourceWords = new Set(splitWords(source));
  const own = splitWords(name).filter((word) => !sourceWords.has(word));
  return new Set([...own, ...splitWords(tool.metadata.description.slice(0, 1_000))]);
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (Math.min(one.size, other.size) < 3) return false;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared / (one.size + other.size - shared) >= ALIKE;
}
