import { matches, matching } from '../../packs/knowledge.ts';
import { type OptionValue, optionValue, type PageOption } from '../command-page.ts';
import { mentionsValue, parseOption } from '../help/parse-option.ts';
import { type ManBlock, type ManSection, textOf } from './roff/block-writer.ts';

/** Types that a page writes after an option, as AWS does. */
const TYPE =
  /\s+\((?:[a-z]+ ){0,2}(boolean|string|list|structure|integer|int|long|float|double|blob|map|timestamp|document)\)$/;
/** Marks of an option's scope: an input, an output, or all. */
const PLACE = /\s+\(((?:global|input|output|per-\w+)(?:[/,](?:global|input|output|per-\w+))*)\)$/;
/** `-c[:stream_specifier]` */
const SPECIFIER = /^(-\w+)\[:[\w ]+\]/;
const MAX_CHOICES = 40;
const MAX_SHORTHAND = 200;

/** An option of a manual page while it is read: its notation and everything below it. */
interface Item {
  readonly specs: readonly string[];
  readonly indent: number;
  readonly body: ManBlock[];
}

export function readOptions(sections: readonly ManSection[]): PageOption[] {
  return sections.flatMap(({ title, blocks }) =>
    matches('section_without_options', title)
      ? []
      : readItems(blocks)
          .flatMap(toOptions)
          .map((option) => (title === 'GLOBAL OPTIONS' ? { ...option, global: 'anywhere' as const } : option)),
  );
}

function readItems(blocks: readonly ManBlock[]): Item[] {
  const items: Item[] = [];
  let current: Item | undefined;
  for (const block of blocks) {
    const started =
      block.type === 'subsection' || (current !== undefined && block.indent > current.indent)
        ? undefined
        : start(block);
    if (started !== undefined) {
      // Two tags in a row are two spellings: their description follows the second.
      const last = items.at(-1);
      if (last !== undefined && last === current && last.body.length === 0 && block.type === 'tag') {
        current = { ...last, specs: [...last.specs, ...started.specs] };
        items[items.length - 1] = current;
      } else {
        current = started;
        items.push(started);
      }
    } else if (block.type === 'subsection' || (current !== undefined && block.indent < current.indent))
      current = undefined;
    else if (block.type === 'tag' && block.indent === current?.indent) current = undefined;
    else current?.body.push(block);
  }
  return items;
}

/** Starts an option: a tag, or a line on its own with its description below. */
function start(block: ManBlock): Item | undefined {
  const [first = '', ...rest] = block.lines;
  if (!first.startsWith('-') || block.type === 'literal' || block.type === 'bullet') return undefined;
  if (block.type === 'tag') return { specs: block.lines, indent: block.indent, body: [] };
  if (rest.length > 0 && !TYPE.test(first)) return undefined;
  const body: ManBlock[] = rest.length === 0 ? [] : [{ type: 'text', indent: block.indent, lines: rest }];
  return { specs: [first], indent: block.indent, body };
}

function toOptions({ specs, body }: Item): PageOption[] {
  const text = body.filter(({ type }, index) => type === 'text' && body[index - 1]?.type !== 'bullet').map(textOf);
  const about = { description: describe(text, body), whole: text.join(' '), choices: listedValues(body) };
  return specs.flatMap((written) => {
    const place = PLACE.exec(written)?.[1];
    const type = TYPE.exec(written)?.[1];
    const whole = written.replace(PLACE, '').replace(TYPE, '').replace(/:$/, '');
    const spec = whole.replace(SPECIFIER, '$1');
    const specified = spec === whole ? {} : ({ hasSpecifier: true } as const);
    return splitSpec(spec).flatMap((part) => {
      const option = parseOption(part, about.description);
      return option === undefined ? [] : [{ ...finish(option, { ...about, type, place }), ...specified }];
    });
  });
}

interface About {
  readonly description: string;
  readonly whole: string;
  readonly choices: readonly string[];
  readonly type: string | undefined;
  readonly place: string | undefined;
}

function finish(option: PageOption, about: About): PageOption {
  const { type, whole, choices } = about;
  const value = type === undefined ? option.value : typedValue(type);
  if (value === undefined) {
    // A page that writes types is certain.
    const mayTakeValue = type === undefined && option.negated === undefined && mentionsValue(option.flags, whole);
    return { ...option, value, ...placed(about.place), mayTakeValue: mayTakeValue ? true : undefined };
  }
  // Flags joined with `+`: the listed words are parts of a value.
  const isWhole = !value.isPair && !/^flags$|s$/.test(value.name);
  const listed = value.choices.length > 0 || !isWhole ? value.choices : choices;
  const isList = type === 'list' || /^\S+ \[\S+\.\.\.\]$/.test(value.name);
  return {
    ...option,
    negated: undefined,
    value: { ...value, choices: type === 'list' ? [] : listed },
    isRepeatable: isList || (type === undefined && isRepeatable(whole, option)),
    ...(isList ? { isSpread: true } : {}),
    ...placed(about.place),
  };
}

function placed(place: string | undefined): { places?: readonly string[] } {
  return place === undefined ? {} : { places: place.split(/[/,]/) };
}

function typedValue(type: string): OptionValue | undefined {
  if (type === 'boolean') return undefined;
  const kind = /^(?:integer|int|long)$/.test(type) ? 'integer' : /^(?:float|double)$/.test(type) ? 'number' : undefined;
  return optionValue(type, kind === undefined ? {} : { type: kind });
}

/** True when an option may be given several times: pages say so, and also say if only the last one counts. */
function isRepeatable(text: string, option: PageOption): boolean {
  const sentences = text.split(/(?<=[.;])\s+/);
  const about = sentences.filter(matching('several_times_text'));
  if (about.some(matching('last_counts_text'))) return false;
  return about.length > 0 || option.isRepeatable;
}

/** Returns the first paragraph, the second if the first is short, and the shorthand syntax of a structure. */
function describe(text: readonly string[], body: readonly ManBlock[]): string {
  const [first = '', second = ''] = text.filter(
    (paragraph) => !/^(?:Example|Possible values|Shorthand Syntax|JSON Syntax):?$/i.test(paragraph),
  );
  const opening = first.length < 60 && second !== '' && !/^\(|->/.test(second) ? `${first} ${second}` : first;
  const at = body.findIndex((block) => /^Shorthand Syntax:?$/i.test(textOf(block)));
  const shorthand = body[at + 1];
  if (at === -1 || shorthand?.type !== 'literal') return opening;
  const form = textOf(shorthand).slice(0, MAX_SHORTHAND);
  return `${form}: ${opening}`;
}

/** Returns the values listed below an option, if the list is complete. */
function listedValues(body: readonly ManBlock[]): string[] {
  const items = listedItems(body);
  const words = items.map((text) => /^["'‘“]?(\w[\w.:+-]*)["'’”]?(\s+[-–—]\s.*)?$/.exec(text));
  // An item that is not a word means that the list is about something else.
  if (items.length < 2 || items.length > MAX_CHOICES || words.includes(null)) return [];
  // Variables set for a program that the option starts.
  if (items.every((text) => /^[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/.test(text))) return [];
  const isBare = words.every((word) => word?.[2] === undefined) && body.some(({ type }) => type === 'bullet');
  const isTold = body.some((block) => block.type === 'text' && matches('list_follows_text', textOf(block)));
  return isBare || isTold ? [...new Set(words.map((word) => word?.[1] ?? ''))] : [];
}

/** Returns the items of the first list below an option: tags, bullets, or lines with an indented description. */
function listedItems(body: readonly ManBlock[]): string[] {
  const found: string[] = [];
  let level: number | undefined;
  for (const [index, block] of body.entries()) {
    if (block.type === 'literal' || block.type === 'bullet') continue;
    const isItem = block.type === 'tag' || body[index - 1]?.type === 'bullet' || isNameLine(block, body[index + 1]);
    if (isItem) level ??= block.indent;
    else if (level !== undefined && block.indent < level) break;
    if (isItem && block.indent === level) found.push(textOf(block));
  }
  return found;
}

/** True for a line on its own with an indented description. */
function isNameLine(block: ManBlock, next: ManBlock | undefined): boolean {
  return block.lines.length === 1 && next !== undefined && next.type === 'text' && next.indent > block.indent;
}

const FLAG_START = /-{1,2}(?:\[no-?\])?[A-Za-z0-9?#:@]/;

/**
 * Splits the notation of one entry into options. `--since=<date>, --after=<date>` may be two names of one option or two options,
 * so each long name becomes an option; short ones go with the first.
 */
function splitSpec(spec: string): string[] {
  return spec.split(/\s+and\s+(?=-)/).flatMap(splitNames);
}

function splitNames(spec: string): string[] {
  const parts = spec
    .split(new RegExp(String.raw`(?:,\s*|\s*\|\s*|\s+or\s+|\s*/\s*|\s+)(?=${FLAG_START.source})`))
    .map((part) => part.trim())
    .filter((part) => FLAG_START.test(part.slice(0, 8)) && part.startsWith('-'));
  const longs = parts.filter((part) => part.startsWith('--'));
  const letters = parts.filter((part) => !part.startsWith('--') && /^-.(?!\w{2})/.test(part));
  // `-L <start>,<end>, -L :<funcname>`: two forms of one option's value.
  const shorts = letters.filter((part, index) => letters.findIndex((one) => one[1] === part[1]) === index);
  // `-n, -netns <NAME>`: a letter and the word that it abbreviates share the value.
  const bare = shorts.filter((part) => /^-.$/.test(part));
  const spelled = parts.filter((part) => /^-\w{2,}/.test(part) && bare.some((short) => part.startsWith(short)));
  shorts.push(...spelled.filter((part) => !shorts.includes(part)));
  // `-Ldirectory / -L directory` is one option.
  const words = parts.filter(
    (part) => !longs.includes(part) && !shorts.some((short) => short === part || part.startsWith(short.slice(0, 2))),
  );
  if (longs.length === 0) return [...(shorts.length === 0 ? [] : [joined(shorts)]), ...words];
  const names = new Map<string, string[]>();
  for (const part of longs) {
    const name = nameOf(part);
    names.set(name, [...(names.get(name) ?? []), part]);
  }
  const groups = [...names].flatMap(([name, forms]) => {
    const positive = name.replace(/^--no-/, '--');
    // `--color, --no-color` is an option and its opposite, unless one of them takes a value.
    const isContrary =
      positive !== name && names.has(positive) && takesNothing([...(names.get(positive) ?? []), ...forms]);
    if (isContrary) return [];
    const contrary = names.get(name.replace(/^--/, '--no-')) ?? [];
    const isPlain = takesNothing([...forms, ...contrary]);
    return [[oneForm(name, forms), ...(isPlain ? contrary : [])]];
  });
  return [...groups.map((group, index) => joined(index === 0 ? [...shorts, ...group] : group)), ...words];
}

function nameOf(part: string): string {
  return /^--(?:\[no-?\])?[\w.-]+/.exec(part)?.[0] ?? part;
}

function takesNothing(parts: readonly string[]): boolean {
  return parts.every((part) => nameOf(part) === part);
}

/** `--tabs=<n>, --tabs`: the value is optional. */
function oneForm(name: string, forms: readonly string[]): string {
  const bare = forms.some((form) => form === name);
  const valued = forms.find((form) => form.length > name.length);
  if (valued === undefined) return name;
  const value = valued.slice(name.length);
  return bare && value.startsWith('=') ? `${name}[${value}]` : valued;
}

function joined(parts: readonly string[]): string {
  return [...new Set(parts)].join(', ');
}
