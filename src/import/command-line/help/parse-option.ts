import { matches, matching } from '../../packs/knowledge.ts';
import type { OptionValue, PageOption } from '../command-page.ts';

const FLAG = /^-{1,2}(?:\[no-?\])?[A-Za-z0-9?#@][\w-]*(?:\.[\w-]+)*/;
/** A text that looks like the name of a value rather than a sentence. */
const VALUE_NAME =
  /^(?:<[^>]*>\S*|\[[^\]]*\]\S*|\{[^}]*\}|"[^"]*"|'[^']*'|[A-Z][A-Z0-9_:|./=-]*|\w+(?:,\w+)+|\w[\w|/:=-]*(?:\[[^\s\]]*\])*)(?:\.\.\.|…)?$/;
const MAX_VALUES = 4;

/** Parses the left column of an option's line, `-f, --file=FILE`; `undefined` for anything else. */
export function parseOption(spec: string, description: string): PageOption | undefined {
  const flags: string[] = [];
  let negated: string | undefined;
  let value: OptionValue | undefined;
  let isCompound = false;
  let isDotted = false;
  let isGreedy = false;
  let isSpread = false;
  for (const part of spec.split(/(?:,\s*|\s?\|\s?|\s+or\s+|(?<=\w)\s*\/\s*|(?<=^-\w)\s+)(?=-{1,2}[A-Za-z0-9?#[])/)) {
    const flag = FLAG.exec(part.trim())?.[0];
    // `-NUM` means any number, not a flag.
    if (flag === undefined || flag === '-NUM') return undefined;
    const plain = flag.replace(/\[no-?\]/, '');
    if (flag !== plain) negated = plain.replace(/^-+/, '--no-');
    flags.push(plain);
    const rest = part.trim().slice(flag.length);
    if (rest === '') continue;
    isDotted ||= /(?:\.\.\.|…)[\]>]*$/.test(rest);
    // commander and clap: takes all words up to the next flag. A long one is written with `=`, which ends it.
    isGreedy ||= /^ <[\w-]+(?:\.\.\.>|>\.\.\.)$/.test(rest);
    const read = readValue(rest, description);
    if (read === undefined) return undefined;
    negated ??= read.isBoolean === true ? `${plain}=false` : undefined;
    value = read.value ?? value;
    isCompound ||= read.isCompound;
    isSpread ||= read.isSpread === true;
  }
  const { names, no } = splitNegation([...new Set(flags)]);
  const unique = inOrder(names);
  const [longest = ''] = unique;
  if (longest === '') return undefined;
  negated ??= no;
  return {
    flags: unique,
    ...(negated === undefined || value !== undefined ? {} : { negated }),
    value,
    isRepeatable: value !== undefined && (isDotted || isRepeatable(longest, value, description)),
    isRequired: /\[required\]|\(required\)/i.test(description),
    description,
    isCompound,
    ...(isSpread || (isGreedy && !longest.startsWith('--')) ? { isSpread: true } : {}),
    ...(value === undefined && negated === undefined && mentionsValue(unique, description)
      ? { mayTakeValue: true }
      : {}),
  };
}

/** Orders the spellings of an option, best known first: long ones as listed, `--gzip` before `--gunzip`; then the longest. */
export function inOrder(flags: readonly string[]): string[] {
  const isLong = (flag: string): boolean => flag.startsWith('--');
  return [...flags.filter(isLong), ...flags.filter((flag) => !isLong(flag)).toSorted((a, b) => b.length - a.length)];
}

/** `--color, --no-color` is one option and its opposite; `--no-cache` alone is an option of that name. */
function splitNegation(flags: readonly string[]): {
  readonly names: readonly string[];
  readonly no: string | undefined;
} {
  const no = flags.find((flag) => /^--no-?/.test(flag) && flags.includes(flag.replace(/^--no-?/, '--')));
  return { names: flags.filter((flag) => flag !== no), no };
}

function isRepeatable(flag: string, { name, isPair, choices }: OptionValue, description: string): boolean {
  // As a list it works whether the command accepts one value or several.
  if (matches('list_flag', flag) && choices.length === 0) return true;
  if (matches('list_type', name) || isPair || /^key:value$/i.test(name)) return true;
  if (name === flag.replace(/^-+/, '') && matches('list_name', name)) return true;
  return matches('repeatable_text', description) || (choices.length === 0 && matches('plural_text', description));
}

interface ReadValue {
  readonly value: OptionValue | undefined;
  readonly isCompound: boolean;
  /** `NAME [NAME ...]`: all values follow one flag. */
  readonly isSpread?: boolean;
  /** `-lock=false`: on or off. */
  readonly isBoolean?: boolean;
}

/** Types of Click, which appends dots if a fixed number of values follows the flag. */
const CLICK_TYPE = /^(?:INTEGER|FLOAT|TEXT|PATH|FILE|FILENAME|DIRECTORY|UUID|BOOLEAN|<[A-Z]+(?: [A-Z]+)+>)\.\.\.$/;

function readValue(written: string, description: string): ReadValue | undefined {
  // Click: a number with limits, which follow the text.
  const rest = written.replace(/^ (INTEGER|FLOAT) RANGE$/, ' $1');
  // `--verbose...`: may be repeated, takes nothing.
  if (/^(?:\.\.\.|…)$/.test(rest)) return { value: undefined, isCompound: false };
  const joined = /^(\[?)=(.*)$/s.exec(rest);
  if (joined !== null) {
    const isOptional = joined[1] === '[';
    const name = (joined[2] ?? '').replace(isOptional ? /\]$/ : /$/, '');
    // `--cert=file --key=file`: a sentence that begins with options.
    if (/\s-/.test(name)) return undefined;
    if (/^(?:true|false)$/i.test(name)) return { value: undefined, isCompound: false, isBoolean: true };
    return { value: toValue(name, { isOptional, isJoined: true }, description), isCompound: false };
  }
  // `-u<mode>`, `-S[<keyid>]`: attached to a short flag.
  if (/^[<[]/.test(rest)) {
    const name = rest.replace(/^\[=?(.*)\]$/, '$1');
    return {
      value: toValue(name, { isOptional: rest.startsWith('['), isJoined: true }, description),
      isCompound: false,
    };
  }
  const words = rest.trim().match(/<[^>]*>\S*|\[[^\]]*\]\S*|\{[^}]*\}|"[^"]*"|'[^']*'|\S+/g) ?? [];
  if (!/^\s/.test(rest) || words.length > MAX_VALUES || !words.every((word) => VALUE_NAME.test(word))) return undefined;
  const [first = '', second] = words;
  // `-X NAME [NAME ...]`, `<file> ...`: one value, repeated.
  const isMore = second !== undefined && words.length === 2 && /(?:\.\.\.|…)\]?$/.test(second);
  // Click writes choices this way: `[fast|slow]`.
  const isOptional = /^\[[^\]|]*\]$/.test(first) && !/[.…]\]?$/.test(first);
  if (first === 'bool') return { value: undefined, isCompound: false, isBoolean: true };
  return {
    value: toValue(first, { isOptional, isJoined: false }, description),
    isCompound: words.length > 1 && !isMore,
    isSpread:
      (isMore && first === second?.replaceAll(/[[\]]|\s*(?:\.\.\.|…)/g, '')) ||
      (words.length === 1 && CLICK_TYPE.test(first)),
  };
}

function toValue(
  name: string,
  how: { readonly isOptional: boolean; readonly isJoined: boolean },
  description: string,
): OptionValue {
  const own = parseChoices(name);
  const bare = name.replace(/(?:\.\.\.|…)$/, '');
  const whole = /^(?:<([^<>]*)>|\[([^[\]]*)\]|\{([^{}]*)\}|"([^"]*)"|'([^']*)')$/.exec(bare);
  // `[<bind>:]<port>` keeps the brackets around its optional part.
  const plain = (whole?.slice(1).find((part) => part !== undefined) ?? bare).replaceAll(/[<>]/g, '');
  const type = matches('integer_type', plain) ? 'integer' : matches('number_type', plain) ? 'number' : undefined;
  return {
    name: plain,
    ...(type === undefined ? {} : { type }),
    ...how,
    isPair:
      /^(?:key|name|foo|k|variable|var)=(?:<?value>?|val|bar|v)$/i.test(plain) || /^(?:map|stringTo\w+)$/.test(plain),
    choices:
      own.length > 0 ? own : /^(?:duration|bytes|int|uint\d*|float\d*)$/.test(plain) ? [] : findChoices(description),
  };
}

/** Names of option values. */
const THING = String.raw`(?:arguments?|values?|parameters?|strings?|names?|numbers?|integers?|files?(?:names?)?|paths?|director(?:y|ies)|lists?|patterns?|expressions?|formats?|options?|releases?|architectures?|commands?|programs?|scripts?|urls?|uris?|hosts?|ports?|users?|keys?|types?|levels?|sizes?|words?)`;

/** Texts that mention a value: they would not be written for a switch. */
const SPEAKS: readonly RegExp[] = [
  // `This option takes a list of packages`, `which requires an argument`.
  new RegExp(
    String.raw`\b(?:takes|requires|accepts|expects|needs|(?:must|should) be followed by|is followed by)\b(?: \S+){0,3} ${THING}\b`,
    'i',
  ),
  // `Configuration File; Specify a configuration file to use.`
  /(?:^|[.;:]\s+)specif(?:y|ies)\b(?! that\b)/i,
  /^(?:use this option to |this (?:option|flag|switch) )(?:specif|controls?\b|sets?\b|define|select|choose|names?\b|gives?\b|determines?\b|indicates? (?:the|which|what)\b|allows? (?:you|one|the user) to (?:specify|set|choose|select)\b)/i,
  /^(?:sets?|defines?|assigns?|gives?) (?:an?|which|what|the (?:name|number|value|path|file|list|type|size|maximum|minimum|default|format|level))\b/i,
  /^(?:selects?|chooses?) (?:an?|the|which|what)\b/i,
  // `the specified release string`, `the given file`.
  new RegExp(
    String.raw`\b(?:given|specified|supplied|provided) (?:\w+ )?(?:argument|value|parameter|string|name|number|file(?:name)?|path|directory|list|pattern|release|command|program|script|url|host|port|user|key|type|level|size)\b`,
    'i',
  ),
  new RegExp(String.raw`\b(?:argument|value|parameter) (?:of|to|for|given to) this (?:option|flag)\b`, 'i'),
  /\bthe (?:argument|value|syntax) (?:is|must|should|can|may|has)\b/i,
  /\bone of the following\b|\b(?:can|must|may) be one of\b|\b(?:possible|valid|allowed|supported) values\b/i,
  // `Default: 10`, `The default is "auto"`.
  /\bdefault(?:s to| is|:|=| value is)\s*(?:["'‘“]|[-+]?\d)/i,
  // A noun rather than an action: `Configuration file`, `number of seconds to wait`; not `number all lines`.
  new RegExp(
    String.raw`^(?:(?:an?|the) )?(?:(?:config(?:uration)?|input|output|log|key|host|target|default|maximum|minimum|max|min|alternate|user|remote|local|comma[- ]separated|regular|shell) )*${THING}(?= (?:of|to|for|in|from|that|which|with|used|containing)\b|\s*(?:[.,;(]|$))`,
    'i',
  ),
];

/** True when the text about an option shown without a value mentions one, so that the next word may be its value. */
export function mentionsValue(flags: readonly string[], text: string): boolean {
  // `--no-list-cleanup` turns something off.
  if (flags.some((flag) => flag.startsWith('--no-'))) return false;
  return SPEAKS.some((pattern) => pattern.test(text)) || flags.some((flag) => isShownWithValue(flag, text));
}

/** `-o Foo::Bar=bar`, `-t '2.1*'`, `--level=9`: the flag in its own text, followed by a value. */
function isShownWithValue(flag: string, text: string): boolean {
  const escaped = flag.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`(?<![\w-])${escaped}(?:=[^\s=]|\s+(?:["'‘“<]\S|[^\s,.;:()-][^\s,;()]*(?:::|=)\S|\d))`,
  ).test(text);
}

const WORD = String.raw`[\w.+:@/-]+`;
const LIST = String.raw`${WORD}(?:\s*[,|]\s*${WORD})+`;
const QUOTED = String.raw`(?:"[\w.+:@/-]+"|'[\w.+:@/-]+'|` + '`[\\w.+:@/-]+`)';
const QUOTED_LIST = String.raw`${QUOTED}(?:(?:\s*[,|]\s*(?:or\s+|and\s+)?|\s+or\s+)${QUOTED})+`;

/** Notations for lists of values in descriptions: clap, commander, yargs, argparse, Cobra, plain. */
const IN_TEXT: readonly RegExp[] = [
  new RegExp(String.raw`\[possible values: (${LIST})\]`, 'i'),
  new RegExp(String.raw`<options: (${LIST})>`, 'i'),
  new RegExp(String.raw`\(?choices:\s*((?:"[^"]*"(?:, )?)+|${LIST})`, 'i'),
  new RegExp(
    String.raw`\b(?:one of|(?:legal|valid|allowed|possible|supported) (?:values|options)):?(?:\s+are)?:?\s+[([{](${LIST})[)\]}]`,
    'i',
  ),
  new RegExp(String.raw`\bone of:?\s+(${WORD}(?:\|${WORD})+)(?=[\s.,;)]|$)`, 'i'),
  new RegExp(String.raw`\bone of:?\s+(${LIST})\.?\s*$`, 'i'),
  new RegExp(String.raw`\bone of \[(${WORD}(?: ${WORD})+)\]`, 'i'),
  new RegExp(String.raw`\b(?:must be(?: one of)?|one of|either|values are):?\s+(${QUOTED_LIST})`, 'i'),
  new RegExp(String.raw`\((${QUOTED_LIST})\)`),
  new RegExp(String.raw`\((${WORD}(?:\|${WORD})+)\)`),
  new RegExp(String.raw`\{(${WORD}(?:[,|]${WORD})+)\}`),
];

/** Returns the values in `{a,b,c}` or `<a|b|c>`; empty if it is only the name of a value. */
export function parseChoices(name: string): string[] {
  const inner = /^[{<[(]?(.*?)[}>\])]?$/s.exec(name.trim())?.[1] ?? '';
  const isBraced = name.trim().startsWith('{');
  const parts = inner.split(isBraced ? /[,|]/ : '|').map((part) => part.trim());
  const areWords = parts.length > 1 && parts.every((part) => new RegExp(`^${WORD}$`).test(part));
  if (!areWords || (!isBraced && parts.some(matching('kind_of_value')))) return [];
  // `<FILE|URL>` names kinds of values; real values are rarely in capitals.
  return isBraced || parts.some((part) => /[a-z0-9]/.test(part)) ? parts : [];
}

/** Returns the values that a description lists. */
export function findChoices(description: string): string[] {
  // clap: `Possible values: - fast: quickly - slow: with care`.
  const explained = /\bpossible values:\s((?:\s?- [\w.-]+(?:: .*?)?(?=\s- |$))+)/is.exec(description)?.[1] ?? '';
  const names = [...explained.matchAll(/(?:^|\s)- ([\w.-]+)(?=:|\s|$)/g)].flatMap((match) => match[1] ?? []);
  if (names.length > 1) return names;
  for (const pattern of IN_TEXT) {
    const list = pattern.exec(description)?.[1];
    if (list === undefined) continue;
    const parts = list.split(/[,|]|\s+or\s+|\s+/).map((part) => part.trim().replaceAll(/^["'`]|["'`]$/g, ''));
    const words = [...new Set(parts)].filter((part) => part !== '' && !/^(?:or|and)$/.test(part));
    if (words.length > 1 && !words.every(matching('unit'))) return words;
  }
  return [];
}
