import { editDistance } from './edit-distance.ts';

/** The argument that an unknown name probably means. */
export interface MeantArgument {
  readonly name: string;
  /** True when only the first letters or the first word match, so that something else may be meant. */
  readonly isVague: boolean;
}

/** Names that describe a kind of value: `name` is not short for `namespace`. */
const GENERIC: ReadonlySet<string> = new Set(['name', 'type', 'key', 'value']);

/**
 * Finds the argument of a command line that an unknown name means: a typing error, a short form (`cmd`), or the same words with more or
 * fewer after them. A shared ending is not enough (`filename` for `name`), unless a call is likely to give the argument.
 */
export function findMeant(
  key: string,
  known: readonly string[],
  isLikely: (name: string) => boolean,
): MeantArgument | undefined {
  const wanted = splitName(key);
  let best: { readonly name: string; readonly score: number } | undefined;
  for (const name of known) {
    const rank = rankOf(wanted, splitName(name), isLikely(name));
    if (rank === undefined) continue;
    const score = rank - (isLikely(name) ? 0.5 : 0);
    if (best === undefined || score < best.score) best = { name, score };
  }
  return best && { name: best.name, isVague: best.score >= VAGUE };
}

const VAGUE = 4;

/** Rates the distance between names; `undefined` for unrelated ones. */
function rankOf(wanted: readonly string[], parts: readonly string[], isLikely: boolean): number | undefined {
  const text = wanted.join('');
  const whole = parts.join('');
  if (text === '' || whole === '') return undefined;
  if (text === whole || `${text}s` === whole || text === `${whole}s`) return 0;
  const longer = Math.max(text.length, whole.length);
  const most = Math.floor(longer / 4);
  if (most > 0 && editDistance(text.slice(0, MAX), whole.slice(0, MAX), most) <= most) return 1;
  if (wanted.length === 1 && isShortFor(text, parts[0] ?? '')) return parts.length === 1 ? 2 : 2.5;
  // `image_name` for `image`, `resource_type` for `type`.
  if (isStart(parts, wanted) || isEnd(parts, wanted)) return 3;
  if (isStart(wanted, parts)) return VAGUE + 0.5;
  if (isShortened(text, whole) || isShortened(whole, text)) return VAGUE + 1;
  return isLikely && isEnd(wanted, parts) ? VAGUE + 1.5 : undefined;
}

const MAX = 64;

/** Matches `cmd` for `command`, `msg` for `message`: the first letter, and consonants in order. */
function isShortFor(short: string, word: string): boolean {
  if (short.length < 2 || short[0] !== word[0] || /[aeiou]/.test(short.slice(1)) || short.length >= word.length) {
    return false;
  }
  let at = 0;
  for (const letter of word) if (letter === short[at]) at++;
  return at === short.length;
}

/** Matches `dir` for `directory`. */
function isShortened(short: string, word: string): boolean {
  return short.length >= 3 && !GENERIC.has(short) && word.startsWith(short);
}

function isStart(few: readonly string[], many: readonly string[]): boolean {
  return few.length < many.length && few.every((part, index) => part === many[index]);
}

function isEnd(few: readonly string[], many: readonly string[]): boolean {
  return isStart(few.toReversed(), many.toReversed());
}

/** Splits `packageSpec`, `package-spec` and `package_spec` into words. */
function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
