import type { Parameter } from './read-variants.ts';

/** With fewer parameters than this, the order of the author stands. */
const MANY = 20;
/** Words of a command and what an author puts first stand at the beginning. */
const LEADING = 2;

const REQUIRED = 100;
const ASKED = 20;
const SHOWN = 10;
const FIRST = 8;
const EVERYDAY = 4;
const LETTER = 2;
const MAX_MENTIONS = 6;

/** Names of what callers of any tool often want: fewer results, some of them, in another form. */
const EVERYDAY_NAME =
  /^(?:limit|count|tail|head|max_?(?:count|results?|items)|page_size|since|until|author|message|title|body|filter|query|search|select|output|format|sort|all|recursive)$/;

/** What tells which parameters a call will most likely give. */
export interface LikelyUse {
  readonly examples?: readonly { readonly input: object }[] | undefined;
  /** What a caller looks for: a query, or names that were tried. */
  readonly wanted?: string | undefined;
}

/**
 * Orders very many parameters by how likely a call gives them, for texts that name only some: what must be given, what the caller
 * asks for, what examples give, the first ones, then what is
 * often wanted of any tool, has a letter of its own or is mentioned by the others.
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

/** How many other descriptions name the flag of a parameter: `--oneline`. */
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

/** How many of the words are wanted, of one. */
function shareOf(words: readonly string[], wanted: readonly string[]): number {
  const found = words.filter((word) => wanted.some((other) => isAlike(word, other)));
  return words.length === 0 ? 0 : found.length / words.length;
}

/** `commit` and `commits` are one word. */
function isAlike(one: string, other: string): boolean {
  return one === other || one === `${other}s` || other === `${one}s`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
