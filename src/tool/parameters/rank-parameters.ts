import type { Parameter } from './read-variants.ts';

/** With fewer parameters, the author's order is kept. */
const MANY = 20;
/** Number of leading parameters that get a bonus: authors put the main ones first. */
const LEADING = 2;

const REQUIRED = 100;
const ASKED = 20;
const SHOWN = 10;
const FIRST = 8;
const EVERYDAY = 4;
const LETTER = 2;
const MAX_MENTIONS = 6;

/** Names that callers of any tool often need: fewer results, a selection, or another format. */
const EVERYDAY_NAME =
  /^(?:limit|count|tail|head|max_?(?:count|results?|items)|page_size|since|until|author|message|title|body|filter|query|search|select|output|format|sort|all|recursive)$/;

/** Hints about the parameters that a call will most likely give. */
export interface LikelyUse {
  readonly examples?: readonly { readonly input: object }[] | undefined;
  /** A query, or names that the caller tried. */
  readonly wanted?: string | undefined;
}

/**
 * Orders long parameter lists by how likely a call gives each, for texts that name only some: required ones, those asked for, those in
 * examples, the first ones, then common names, those with a short flag, and those mentioned by others.
 */
export function rankParameters<T extends Parameter>(parameters: readonly T[], use: LikelyUse = {}): readonly T[] {
  if (parameters.length < MANY) return parameters;
  const wanted = wordsOf(use.wanted ?? '');
  const shown = new Set((use.examples ?? []).flatMap(({ input }) => Object.keys(input)));
  const mentions = countMentions(parameters);
  const scores = new Map(
    parameters.map(({ name, schema, isRequired }, place) => {
      const hasLetter = /^\(-\S/.test(textOf(schema['description']));
      const score =
        (isRequired ? REQUIRED : 0) +
        ASKED * shareOf(wordsOf(name), wanted) ** 2 +
        (shown.has(name) ? SHOWN : 0) +
        (place < LEADING ? FIRST : 0) +
        (EVERYDAY_NAME.test(name) ? EVERYDAY : 0) +
        (hasLetter ? LETTER : 0) +
        Math.min(MAX_MENTIONS, mentions.get(name) ?? 0);
      return [name, score];
    }),
  );
  return parameters.toSorted((a, b) => (scores.get(b.name) ?? 0) - (scores.get(a.name) ?? 0));
}

/** Counts how many other descriptions mention the flag of a parameter: `--oneline`. */
function countMentions(parameters: readonly Parameter[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, schema } of parameters) {
    const flags = textOf(schema['description']).match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
    for (const flag of new Set(flags.map((one) => one.slice(2).replaceAll('-', '_')))) {
      if (flag !== name) counts.set(flag, (counts.get(flag) ?? 0) + 1);
    }
  }
  return counts;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? [];
}

/** Returns the share of words that are wanted. */
function shareOf(words: readonly string[], wanted: readonly string[]): number {
  const found = words.filter((word) => wanted.some((other) => isAlike(word, other)));
  return words.length === 0 ? 0 : found.length / words.length;
}

/** Treats `commit` and `commits` as one word. */
function isAlike(one: string, other: string): boolean {
  return one === other || one === `${other}s` || other === `${one}s`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
