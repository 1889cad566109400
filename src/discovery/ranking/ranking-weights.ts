/** The fields of a tool that a ranked search looks into. */
export const FIELDS = [
  'name',
  'description',
  'details',
  'parameters',
  'parameterDescriptions',
  'values',
  'tags',
  'category',
  'examples',
  'notes',
  'learned',
  'options',
  'source',
  'sourceDescription',
] as const;

/** The fields that all tools of a source have alike. They stand last. */
export const SHARED_FIELDS: ReadonlySet<string> = new Set<Field>(['source', 'sourceDescription']);

/** One of the fields that a ranked search looks into. */
export type Field = (typeof FIELDS)[number];

/** What a word in a field is worth, and how much less in a field longer than is usual. */
interface FieldWeight {
  readonly weight: number;
  /** 0: the length does not matter; 1: a word in a field twice as long counts half. */
  readonly lengthEffect: number;
  /** Words in such a field on most boards. A constant, so that a tool's postings never depend on other tools. */
  readonly usualLength: number;
}

/** How the parts of a query are told from talk around them. */
export interface NeedWeights {
  /** With fewer parts than this, all of them count more. */
  readonly few: number;
  /** Parts whose strength is below this share of the strongest do not count. */
  readonly least: number;
  /** Parts whose strength is above this share count whole. */
  readonly enough: number;
  /** A part of this strength is a need, however strong others are: so many rare words in the name of a tool. */
  readonly certain: number;
  /** How much stronger a part of a sentence is that asks for something. */
  readonly asks: number;
  /** How much weaker a part of a sentence is that tells something. */
  readonly tells: number;
}

/** Every figure of the ranking. `bench/discovery` tells what a change to one of them does. */
export interface RankingWeights {
  readonly fields: Readonly<Record<Field, FieldWeight>>;
  /** How soon further occurrences of a word stop counting. */
  readonly saturation: number;
  /** The same for a word repeated in the query. */
  readonly querySaturation: number;
  /** The share that a word with the same meaning as one of the query counts; less alike words count less. */
  readonly related: number;
  /** For a query of one word, words that are less alike than this do not stand for it: `user` for `delete`. */
  readonly leastLikeness: number;
  /** How much a tool counts whose meaning is that of the query, in the same words or others. */
  readonly meaning: number;
  /** In a query of more words than this, meaning counts less: sums of many words are all alike. */
  readonly meaningWords: number;
  /** A word of the board that an unknown word begins, or that begins with it. */
  readonly prefix: number;
  /** A word of the board that an unknown word may be a misspelling of. */
  readonly misspelt: number;
  /** Two words side by side in the query and in the tool. */
  readonly pair: number;
  /** A name whose every word is in the query lifts the tool by this share. */
  readonly nameCovered: number;
  /** How much rarer the words of a name must be for its whole share as the board grows. */
  readonly nameEnough: number;
  /** How much a tool that only reads is lifted where the query asks to see something. */
  readonly looks: number;
  /** How much a tool is lifted that is one of the most used of its source. */
  readonly common: number;
  /** What a tool loses that has only one of a query's several words. */
  readonly thin: number;
  /** The same for a tool that says hardly more of itself than its name. */
  readonly bare: number;
  /** What each such tool keeps of its score behind two others of the same source. */
  readonly bareNext: number;
  /** The same, from the first one on, where its source has very many tools that say hardly more than one word. */
  readonly oneOfMany: number;
  /** What a tool that has learned loses of its score where neither it nor a query that led to it has a word of the query. */
  readonly missing: number;
  /** How much a tool gains, in shares of the best score, that was found by the same query before; less for one that is alike. */
  readonly repeated: number;
  /** The best of each need beside the score for the whole query. */
  readonly need: number;
  /** What makes a part of the query count. */
  readonly needs: NeedWeights;
  /** Tools that cover less of the query than this are left out. */
  readonly leastScore: number;
}

/** Chosen on sets that are not those of docs/discovery-figures.md, which says how. */
export const RANKING_WEIGHTS: RankingWeights = {
  fields: {
    name: { weight: 1.8, lengthEffect: 0.6, usualLength: 3.5 },
    description: { weight: 1, lengthEffect: 0.7, usualLength: 11 },
    details: { weight: 0.2, lengthEffect: 0.6, usualLength: 18 },
    parameters: { weight: 0.9, lengthEffect: 0.9, usualLength: 4.5 },
    parameterDescriptions: { weight: 0.5, lengthEffect: 0.6, usualLength: 20 },
    values: { weight: 0.3, lengthEffect: 0.6, usualLength: 6 },
    tags: { weight: 1.5, lengthEffect: 0.3, usualLength: 4 },
    category: { weight: 0.5, lengthEffect: 0, usualLength: 1 },
    source: { weight: 2, lengthEffect: 0.3, usualLength: 2 },
    sourceDescription: { weight: 0.3, lengthEffect: 0.5, usualLength: 20 },
    examples: { weight: 1.5, lengthEffect: 0.3, usualLength: 20 },
    learned: { weight: 0.6, lengthEffect: 0.1, usualLength: 20 },
    notes: { weight: 0.2, lengthEffect: 0.6, usualLength: 18 },
    options: { weight: 0.6, lengthEffect: 0.6, usualLength: 20 },
  },
  saturation: 1,
  querySaturation: 1,
  related: 0.7,
  leastLikeness: 0.55,
  meaning: 0.3,
  meaningWords: 8,
  prefix: 0.4,
  misspelt: 0.4,
  pair: 0.19,
  nameCovered: 0.5,
  nameEnough: 5,
  looks: 0.3,
  common: 0.3,
  thin: 0.1,
  bare: 0.6,
  bareNext: 0.6,
  oneOfMany: 0.4,
  missing: 0.2,
  repeated: 1,
  need: 0.75,
  needs: { few: 5, least: 0.1, enough: 0.5, certain: 2.5, asks: 1, tells: 0.75 },
  leastScore: 0.08,
};
