import { isPlainObject, type JsonSchema } from '../json.ts';
import type { Parameter } from '../parameters/read-variants.ts';
import type { ToolIssue } from '../tool-error.ts';
import { describeValue } from './describe-value.ts';
import { editDistance } from './suggest.ts';

/** With more arguments, a partial list helps little. */
export const MANY = 30;

interface Known {
  readonly parameters: readonly Parameter[];
  /** The arguments of a command line without a flag; `undefined` for other tools. */
  readonly words: readonly string[] | undefined;
  readonly args: unknown;
}

const UNKNOWN = /^is not a known argument\b/;

/** Explains an unknown argument name, for example as a short flag of the command or as the one missing argument. */
export function explainUnknown(issue: ToolIssue, issues: readonly ToolIssue[], known: Known): ToolIssue {
  const { parameters, words } = known;
  const [key, ...below] = issue.path;
  if (typeof key !== 'string' || below.length > 0 || !UNKNOWN.test(issue.message)) return issue;
  const plain = key.replace(/^-+/, '').replaceAll('-', '_');
  const form = explainForm(key, plain, parameters);
  if (form !== undefined) return { ...issue, message: `is not a known argument${form}` };
  const near = words === undefined ? undefined : findNear(key, words, known);
  if (near?.isVague === false) return meaning(issue, near.name);
  const missing = issues.filter(({ path, message }) => path.length === 1 && message.startsWith('is required'));
  const strays = issues.filter(({ path, message }) => path.length === 1 && UNKNOWN.test(message));
  const [only] = missing;
  // A similar name may be a coincidence; the one missing name is the better hint.
  const isSaid = issue.message.endsWith(`Did you mean ${describeValue(only?.path[0])}?`);
  if (missing.length === 1 && strays.length === 1 && only !== undefined && !isSaid) return meaning(issue, only.path[0]);
  if (words !== undefined) return explainWords(issue, near?.name, known);
  return parameters.length > MANY ? { ...issue, message: issue.message.replace(/ Known: .*? more\./, '') } : issue;
}

function meaning(issue: ToolIssue, name: unknown): ToolIssue {
  return { ...issue, message: `is not a known argument. Did you mean ${describeValue(name)}?` };
}

/** Explains a name by its form: a flag, a negation, another spelling, or a part of another argument. */
function explainForm(key: string, plain: string, known: readonly Parameter[]): string | undefined {
  const flag = `-${key.replace(/^-+/, '')}`;
  const meant = known.filter(({ schema }) => shortFlags(schema).includes(flag)).map(({ name }) => describeValue(name));
  if (meant.length > 0) return `: ${flag} is ${meant.join(' or ')}.`;
  const denied = /^-*no[-_](.+)$/.exec(key)?.[1]?.replaceAll('-', '_');
  if (known.some(({ name, schema }) => name === denied && schema['type'] === 'boolean')) {
    return `. Send ${describeValue(denied)}: false for that.`;
  }
  if (plain !== key && known.some(({ name }) => name === plain)) return `. Did you mean ${describeValue(plain)}?`;
  const list = known.find(({ schema: { items } }) => isPlainObject(items) && hasProperty(items, plain));
  if (list !== undefined)
    return `: it belongs in the list ${JSON.stringify(list.name)}: [{${JSON.stringify(plain)}: …}].`;
  // `c:v` of a flag that can name its target.
  const [, base, part] = /^(\w+):(.+)$/.exec(plain) ?? [];
  const keyed = known.find(
    ({ name, schema }) =>
      base !== undefined && schema['type'] === 'object' && (name === base || name.startsWith(`${base}_`)),
  );
  return keyed && `. Send ${JSON.stringify(keyed.name)}: {${JSON.stringify(part)}: …} for that.`;
}

/** Finds the argument of a command line similar to a name, among those not given. */
function findNear(given: string, words: readonly string[], { parameters, args }: Known): ReturnType<typeof findMeant> {
  const likely = new Set([...words, ...parameters.flatMap(({ name, isRequired }) => (isRequired ? [name] : []))]);
  const value = isPlainObject(args) ? args[given] : undefined;
  // A text is not for a switch.
  const free = parameters.flatMap(({ name, schema }) =>
    isGiven(name, args) || (schema['type'] === 'boolean' && !isSwitch(value)) ? [] : [name],
  );
  return findMeant(given.replace(/^-+/, ''), free, (name) => likely.has(name));
}

/** Names the positional arguments that were not given. They have no flag, so callers invent names for them. */
function explainWords(issue: ToolIssue, near: string | undefined, { parameters, words = [], args }: Known): ToolIssue {
  const [key = ''] = issue.path;
  const isWord = !isPlainObject(args) || typeof args[key] !== 'boolean';
  const free = isWord ? words.filter((name) => !isGiven(name, args)) : [];
  const list = parameters.length > 12 ? '' : ` Known: ${parameters.map(({ name }) => name).join(', ')}.`;
  const hint = near === undefined ? '' : ` Did you mean ${describeValue(near)}?`;
  const form =
    free.length === 0 || (free.length === 1 && free[0] === near)
      ? ''
      : ` The positional ${free.length === 1 ? 'argument is' : 'arguments are'}: ${free.join(', ')}.`;
  return { ...issue, message: `is not a known argument.${list}${hint}${form}` };
}

function isSwitch(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean' || value === 'true' || value === 'false';
}

function isGiven(name: string, args: unknown): boolean {
  return isPlainObject(args) && Object.hasOwn(args, name);
}

function hasProperty({ properties }: JsonSchema, name: string): boolean {
  return isPlainObject(properties) && Object.hasOwn(properties, name);
}

/** Returns the short flags at the start of a description: `(-n) How many`. */
function shortFlags({ description }: JsonSchema): readonly string[] {
  const [, flags = ''] = (typeof description === 'string' ? /^\((-\S(?:, -\S)*)\)/.exec(description) : null) ?? [];
  return flags === '' ? [] : flags.split(', ');
}

interface MeantArgument {
  readonly name: string;
  /** True when only the first letters or the first word match, so that another argument may be intended. */
  readonly isVague: boolean;
}

/** Names that describe a kind of value: `name` is not short for `namespace`. */
const GENERIC: ReadonlySet<string> = new Set(['name', 'type', 'key', 'value']);

/**
 * Finds the argument of a command line that an unknown name means: a typing error, a short form (`cmd`), or the same words with more or
 * fewer after them. A shared ending is not enough (`filename` for `name`), unless a call is likely to give the argument.
 */
function findMeant(
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
