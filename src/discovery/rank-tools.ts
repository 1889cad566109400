import { splitWords } from '../text/split-words.ts';
import { browse, type RankOptions, readPage, toFilterTest } from './search-options.ts';
import { countGroups, type GroupCounts, type ToolGroups } from './group-counter.ts';
import { type IndexedTool, toEntry, type ToolIndexEntry } from './indexed-tool.ts';
import type { QueryReading } from './ranking/query-reading.ts';
import { type Field, FIELDS } from './ranking/ranking-weights.ts';
import { readQuery } from './ranking/read-query.ts';
import type { Found, ToolRanker } from './ranking/tool-ranker.ts';
import { readToolText } from './read-tool-text.ts';
import { guessLanguage, type Language } from '../text/guess-language.ts';
import type { Tool } from '../tool/tool.ts';

/** A word of the query, and the fields of the tool that contain it. */
export interface WordMatch {
  /** The word in the query. */
  readonly word: string;
  /** The word in the tool, if it differs: another form, a related word, the right spelling. */
  readonly as?: string;
  readonly fields: readonly Field[];
}

/** A tool found by a ranked search. */
export interface RankedHit extends ToolIndexEntry {
  /** The share of the query, or of one of its needs, that the tool covers: 0 to 1, descending along the list. */
  readonly score: number;
  /** The similarity of its meaning to the query: 0 for the average tool, 1 for the same. Only with an embedder. */
  readonly similarity?: number;
  /** Tools of other sources that do the same and were folded into this one. */
  readonly duplicates?: readonly string[];
  /** The part of the query that it serves best, if the query asks for several things. */
  readonly need?: string;
  /** The reasons it was found; only with `explain`. */
  readonly matches?: readonly WordMatch[];
}

/** The nearest categories and sources, if no tool fits. */
export interface ClosestGroups {
  readonly categories: readonly string[];
  readonly sources: readonly string[];
}

/** The result of a ranked search, best first. */
export interface RankedResult {
  readonly hits: readonly RankedHit[];
  /** A note for the reader: no tool fits, none clearly does, hits were folded, or another language helps. */
  readonly note?: string;
  /** The needs of a query that asks for several things, without talk around them. */
  readonly needs?: readonly string[];
  /** A note that the query is in another language than the tools, if it is. */
  readonly language?: string;
  /** The certainty that the best hit fits: 0 to 1, and 1 for a tool that the query names. */
  readonly certainty?: number;
  /** True if the certainty is below the limit of the index: no tool clearly fits. */
  readonly isDoubtful?: boolean;
  /** Only if nothing fits. */
  readonly closest?: ClosestGroups;
}

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
interface RankedPage {
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
      const language = certainty >= CERTAIN ? undefined : languageNote({ query, tools, size, hasOddWords });
      if (all.length === 0) {
        const closest = findClosest(nearest, searched.groups);
        return { hits: [], ...toNote(noMatchNote(size, closest), language), closest };
      }
      const hits = found.map((one) => toHit(one, options.explain === true ? { query, ready } : undefined));
      const folded = found.reduce((sum, { duplicates }) => sum + duplicates.length, 0);
      const usual = all.some(({ similarity }) => similarity !== undefined) ? LEAST_CERTAIN_MEANT : LEAST_CERTAIN;
      const isDoubtful = certainty < (searched.doubtBelow ?? usual);
      return {
        hits,
        certainty: round(certainty),
        ...toNote(folded === 0 ? undefined : foldedNote(folded), isDoubtful ? DOUBT : undefined, language),
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

/** Tools whose language is checked. */
const SAMPLE = 300;
/** The share of tools in a language from which a board counts as having it. */
const SHARE = 0.05;

/** Writes that nothing was found, with the closest groups. */
function noMatchNote(size: number, { categories, sources }: ClosestGroups): string {
  if (size === 0) return 'The board has no tools.';
  const groups = [
    ...(categories.length === 0 ? [] : [`Closest categories: ${categories.join(', ')}.`]),
    ...(sources.length === 0 ? [] : [`Closest sources: ${sources.join(', ')}.`]),
  ];
  return ['No tool fits this query.', ...groups, 'Say what the tool should do in other words.'].join(' ');
}

/** Writes that tools were folded into others. */
function foldedNote(count: number): string {
  return count === 1
    ? 'One equivalent tool of another source is listed under duplicates.'
    : `${count} equivalent tools of other sources are listed under duplicates.`;
}

/** The note that the hits are a guess. */
export const DOUBT =
  'No tool clearly fits: these match little of the query. Rephrase it; if none fits then, the board has no tool for it.';

/** The query and the tools whose languages are compared. */
interface Languages {
  readonly query: string;
  readonly tools: () => Iterable<IndexedTool>;
  readonly size: number;
  /** Returns true if the query has words that neither English nor the board has. */
  readonly hasOddWords: () => boolean;
}

/**
 * Writes that the query is in a language without tools on the board; `undefined` if there are some. The language of a
 * few words is unknown: if many of them are odd, the note names the language of the tools.
 */
function languageNote({ query, tools, size, hasOddWords }: Languages): string | undefined {
  const asked = guessLanguage(query);
  if (asked === undefined && !hasOddWords()) return undefined;
  const enough = Math.max(1, SHARE * Math.min(size, SAMPLE));
  const spoken = countLanguages(tools(), { size, asked, enough });
  const [most] = [...spoken].toSorted((a, b) => b[1] - a[1]);
  if (most === undefined) return undefined;
  if (asked === undefined) {
    if (most[0] !== 'English' || [...spoken].some(([other, count]) => other !== most[0] && count >= enough))
      return undefined;
    return 'The tools of this board are described in English: if the query is in another language, search again in English.';
  }
  if ((spoken.get(asked) ?? 0) >= enough) return undefined;
  return `The tools of this board are described in ${most[0]}, not in ${asked}: search again in ${most[0]}.`;
}

/** Cached for each tool, because uncertain searches ask again and again. */
const guessed = new WeakMap<Tool, Language | undefined>();

function languageOf(tool: Tool): Language | undefined {
  if (!guessed.has(tool)) guessed.set(tool, guessLanguage(tool.metadata.description));
  return guessed.get(tool);
}

/** The limits of counting: most boards have tools in the query's language and need no further check. */
interface Counting {
  readonly size: number;
  readonly asked: Language | undefined;
  readonly enough: number;
}

/** Counts the languages of tool descriptions, in a sample over the whole board, because sources follow one another. */
function countLanguages(tools: Iterable<IndexedTool>, { size, asked, enough }: Counting): Map<Language, number> {
  const step = Math.max(1, Math.ceil(size / SAMPLE));
  const spoken = new Map<Language, number>();
  let place = 0;
  for (const { tool } of tools) {
    if (place++ % step !== 0) continue;
    const language = languageOf(tool);
    if (language === undefined) continue;
    const count = (spoken.get(language) ?? 0) + 1;
    spoken.set(language, count);
    if (language === asked && count >= enough) break;
  }
  return spoken;
}
