import type { Word } from '../../text/word-reader.ts';
import type { QueryReading } from './query-reading.ts';
import type { TermIndex } from './term-index.ts';

const MOST_TERMS = 48;

/** A word of the board that partly counts as one of the query's. */
interface Alternative {
  readonly term: number;
  readonly factor: number;
  /** True for another spelling of the word, false for a related word. */
  readonly isSpelling: boolean;
}

export interface QueryTerm extends Word {
  /** The word's number on the board, if a tool has it. */
  readonly term: number | undefined;
  readonly weight: number;
  readonly rarity: number;
  readonly alternatives: readonly Alternative[];
}

/** A query, or one of its needs, ready for scoring. */
export interface ReadQuery {
  readonly terms: readonly QueryTerm[];
  readonly pairs: readonly WordPair[];
}

/** The numbers of two adjacent words, and the weight of their part of the query. */
interface WordPair {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** A part of a query and its weight: 1 for a request, less for talk around it. */
export interface QueryPart {
  readonly text: string;
  readonly weight: number;
}

/** Reads a query into weighted terms. If a query has only wrapping words, such as `show me`, these are the terms. */
export function readQuery(query: string, reading: QueryReading): ReadQuery {
  return readParts([{ text: query, weight: 1 }], reading);
}

/** Reads the parts of a query into terms: a word counts as much as the parts that contain it. */
export function readParts(parts: readonly QueryPart[], reading: QueryReading): ReadQuery {
  const { index, reader, weights } = reading;
  const isOnBoard = (word: string): boolean => index.numberOf(reader.toWord(word).stem) !== undefined;
  let read = parts.map(({ text, weight }) => ({ words: reader.readQuery(joinVerbs(text, isOnBoard)), weight }));
  if (read.every(({ words }) => words.length === 0))
    read = parts.map(({ text, weight }) => ({ words: reader.read(text), weight }));
  const counted = new Map<string, { readonly word: Word; count: number }>();
  const pairs: WordPair[] = [];
  for (const { words, weight } of read) {
    for (const word of words) {
      const known = counted.get(word.stem);
      if (known === undefined) counted.set(word.stem, { word, count: weight });
      else known.count += weight;
    }
    addPairs(words, weight, { index, pairs });
  }
  const { querySaturation } = weights;
  const rarest = [...counted.values()]
    .map(({ word, count }) => {
      const term = index.numberOfWord(word);
      const weight = (count * (1 + querySaturation)) / (count + querySaturation);
      return { ...word, term, weight, rarity: index.rarityOfAsked(term) };
    })
    .toSorted(
      (a, b) =>
        Number(b.term !== undefined) - Number(a.term !== undefined) || b.rarity * b.weight - a.rarity * a.weight,
    )
    .slice(0, MOST_TERMS);
  // Among other words a vague match is fine; a single word must match well.
  const least = rarest.length > 1 ? 0 : weights.leastLikeness;
  const terms = rarest.map((term): QueryTerm => ({
    ...term,
    alternatives: [
      ...findRelated(term, { asked: counted, least }, reading),
      ...(term.term === undefined ? guess(term, reading) : []),
    ],
  }));
  return { terms, pairs };
}

/** Restricts the related words to use. */
interface RelatedRule {
  readonly asked: ReadonlyMap<string, unknown>;
  readonly least: number;
}

function findRelated({ stem }: Word, { asked, least }: RelatedRule, reading: QueryReading): Alternative[] {
  const { weights } = reading;
  const found: Alternative[] = [];
  for (const { stem: other, likeness, term } of reading.relatedTo(stem)) {
    if (likeness < least) break;
    if (!asked.has(other) && reading.mayAdd(term))
      found.push({ term, factor: weights.related * likeness * likeness, isSpelling: false });
  }
  return found;
}

function guess(word: Word, reading: QueryReading): Alternative[] {
  const { weights } = reading;
  const { prefixes, misspellings } = reading.similarTo(word);
  return [
    ...prefixes.map((term) => ({ term, factor: weights.prefix, isSpelling: true })),
    // A word with a known meaning is not misspelt.
    ...(reading.isKnown(word.stem) ? [] : misspellings).map((term) => ({
      term,
      factor: weights.misspelt,
      isSpelling: true,
    })),
  ];
}

function addPairs(
  words: readonly Word[],
  weight: number,
  { index, pairs }: { readonly index: TermIndex; readonly pairs: WordPair[] },
): void {
  for (let place = 0; place + 1 < words.length && pairs.length < MOST_TERMS; place++) {
    const [one, other] = [words[place], words[place + 1]];
    if (one === undefined || other === undefined) break;
    const first = index.numberOfWord(one);
    const second = index.numberOfWord(other);
    if (first !== undefined && second !== undefined && first !== second) pairs.push({ first, second, weight });
  }
}

/** A verb with its particle, where a verb can be: `log in` at the start or after `to`, but not `the log in …`. */
const VERB =
  /(?<=^\W*|[.!?;,]\s+|\b(?:to|i|we|you|and|then|or|please|can|cannot|let|me|should|must)\s+)([a-z]{2,12}) (in|out|on|off|up|down|back)\b/gi;
const SWITCH = /\b(?:turn|switch)(?:ed|ing|s|es)?(?: (?:it|them|this|that))? (on|off)\b/gi;
/** Opening a request or an issue means creating one. */
const OPEN =
  /\bopen(?:ing)? (?:an?|new|another) (?=(?:[\w-]+ ){0,2}(?:request|pr|issue|ticket|case|bug|incident|thread|discussion|account)\b)/gi;

/** Other phrases, with the names tools have for them. */
const PHRASES: readonly (readonly [said: RegExp, called: readonly string[]])[] = [
  [/\broll(?:ed|ing|s)?(?: (?:it|them|this|that))? ?back\b/gi, ['rollback', 'undo', 'revert']],
  [/\b(?:shut(?:ting|s)?|power(?:ed|ing|s)?)(?: (?:it|them|this|that))? ?(?:down|off)\b/gi, ['shutdown', 'poweroff']],
  [/\b(?:restart|start) (?:my|the|this|a) (?:machine|computer|server|host|pc|laptop)\b(?: again)?/gi, ['reboot']],
  [/\bwho (?:am i|i am)\b/gi, ['whoami']],
  [/\b(?:free(?:ing)?|save|reclaim)(?: up)?(?: disk| some| more)* space\b/gi, ['prune', 'clean']],
  [/\b(?:throw|put)(?:ing|s)? away\b/gi, ['discard', 'reset', 'stash']],
  [/\b(?:at|on|after) (?:boot|start-?up|every start)\b/gi, ['enable']],
];

/** A word of each phrase; most queries have none. */
const MAY_BE_PHRASE = /\b(?:roll|shut|power|restart|start|who|free|save|reclaim|throw|put|boot)/i;

/**
 * Writes phrasal verbs as tools name them: `log in` as `login` if a tool of the board has that word, `turn off` as
 * `disable`, `open an issue` with `create`, `at boot` with `enable`. By itself, `log` would find logs, and particles
 * are ignored.
 */
export function joinVerbs(query: string, isOnBoard: (word: string) => boolean): string {
  if (!query.includes(' ')) return query;
  const joined = query
    .replaceAll(VERB, (whole, verb: string, particle: string) => {
      const word = `${verb}${particle}`.toLowerCase();
      return isOnBoard(word) ? word : whole;
    })
    .replaceAll(SWITCH, (whole, particle: string) => {
      const verb = particle.toLowerCase() === 'on' ? 'enable' : 'disable';
      return isOnBoard(verb) ? `${whole} ${verb}` : whole;
    })
    .replaceAll(OPEN, (whole) => (isOnBoard('create') ? `${whole}create ` : whole));
  return MAY_BE_PHRASE.test(joined) ? addWords(joined, isOnBoard) : joined;
}

function addWords(query: string, isOnBoard: (word: string) => boolean): string {
  return PHRASES.reduce(
    (text, [said, called]) =>
      text.replaceAll(said, (whole) => [whole, ...called.filter((word) => isOnBoard(word))].join(' ')),
    query,
  );
}
