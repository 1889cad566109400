import { editDistance } from './suggest.ts';

/** What a name that a command line does not have may mean. */
export interface MeantArgument {
  readonly name: string;
  /** Whether only the first letters or the first word of the name agree, so that something else may be meant. */
  readonly isVague: boolean;
}

/** Names that say what kind of value is meant and not which: `name` is not short for `namespace`. */
const GENERIC: ReadonlySet<string> = new Set(['name', 'type', 'key', 'value']);

/**
 * Finds the argument of a command line that is meant by a name it does not have: a slip of the keys, a short form (`cmd`),
 * or the same words with more or fewer behind them. What only ends alike means something else (`filename` for `name`), unless
 * a call is likely to give it.
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

/** How far a name is from the one that is wanted; `undefined` where they have nothing to do with each other. */
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

/** `cmd` of `command`, `msg` of `message`: the first letter, and consonants in their order. */
function isShortFor(short: string, word: string): boolean {
  if (short.length < 2 || short[0] !== word[0] || /[aeiou]/.test(short.slice(1)) || short.length >= word.length) {
    return false;
  }
  let at = 0;
  for (const letter of word) if (letter === short[at]) at++;
  return at === short.length;
}

/** `dir` of `directory` */
function isShortened(short: string, word: string): boolean {
  return short.length >= 3 && !GENERIC.has(short) && word.startsWith(short);
}

function isStart(few: readonly string[], many: readonly string[]): boolean {
  return few.length < many.length && few.every((part, index) => part === many[index]);
}

function isEnd(few: readonly string[], many: readonly string[]): boolean {
  return isStart(few.toReversed(), many.toReversed());
}

/** `packageSpec`, `package-spec` and `package_spec` as their words. */
function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
