/** The fields of a tool that a ranked search reads. */
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

/** The fields that all tools of a source share. They come last. */
export const SHARED_FIELDS: ReadonlySet<string> = new Set<Field>(['source', 'sourceDescription']);

/** A field of a tool that a search reads. */
export type Field = (typeof FIELDS)[number];

/** The weight of a word in a field, and the effect of the field's length. */
interface FieldWeight {
  readonly weight: number;
  /** 0: the length does not matter; 1: a word in a field twice as long counts half. */
  readonly lengthEffect: number;
  /** Words in such a field on most boards. A constant, so that a tool's postings never depend on other tools. */
  readonly usualLength: number;
}

/** Weights that separate the needs in a query from talk around them. */
export interface NeedWeights {
  /** With fewer parts than this, all of them count more. */
  readonly few: number;
  /** Parts below this share of the strongest one's strength do not count. */
  readonly least: number;
  /** Parts above this share count fully. */
  readonly enough: number;
  /** A part with this strength is always a need: measured in rare words in the name of a tool. */
  readonly certain: number;
  /** The bonus of a part whose sentence requests something. */
  readonly asks: number;
  /** The penalty of a part whose sentence only states something. */
  readonly tells: number;
}

/** Every number of the ranking. `bench/discovery` measures the effect of a change. */
export interface RankingWeights {
  readonly fields: Readonly<Record<Field, FieldWeight>>;
  /** Limits the effect of repeated words in a tool. */
  readonly saturation: number;
  /** Limits the effect of repeated words in the query. */
  readonly querySaturation: number;
  /** The share that a word with the same meaning as one of the query counts; less similar words count less. */
  readonly related: number;
  /** For a query of one word, less similar words do not stand for it: `user` for `delete`. */
  readonly leastLikeness: number;
  /** The weight of a tool with the meaning of the query, in the same words or others. */
  readonly meaning: number;
  /** In a query of more words, meaning counts less: sums of many words are all alike. */
  readonly meaningWords: number;
  /** The weight of a word of the board that shares a prefix with an unknown word. */
  readonly prefix: number;
  /** The weight of a word of the board that an unknown word may misspell. */
  readonly misspelt: number;
  /** The weight of two words that are adjacent in the query and in the tool. */
  readonly pair: number;
  /** The bonus of a tool whose whole name is in the query. */
  readonly nameCovered: number;
  /** The additional rarity that a name needs for its full bonus as the board grows. */
  readonly nameEnough: number;
  /** The bonus of a read-only tool if the query asks to see something. */
  readonly looks: number;
  /** The bonus of a tool that is among the most used of its source. */
  readonly common: number;
  /** The penalty of a tool with only one of a query's several words. */
  readonly thin: number;
  /** The same for a tool with hardly more text than its name. */
  readonly bare: number;
  /** The share of its score that each such tool keeps behind two others of the same source. */
  readonly bareNext: number;
  /** The same, from the first one on, if its source has very many tools with hardly more than one word. */
  readonly oneOfMany: number;
  /** The penalty of a tool that has learned, for words of the query that neither it nor its queries have. */
  readonly missing: number;
  /** The bonus, as a share of the best score, of a tool that the same query found before; less for a similar one. */
  readonly repeated: number;
  /** The weight of the best need beside the score for the whole query. */
  readonly need: number;
  readonly needs: NeedWeights;
  /** Tools that cover less of the query are left out. */
  readonly leastScore: number;
}

/** Tuned on other data sets than those of docs/discovery-figures.md, which describes how. */
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
