import { matcher, matches } from '../../packs/knowledge.ts';
import { isDeepStrictEqual } from 'node:util';
import type { CliArgumentData } from '../to-argument.ts';
import type { CliExampleData, CliToolData, MadeCliTool } from '../to-cli-tool.ts';
import { belongsLater, exampleTokens, type ReadLine, readLine } from './read-line.ts';
import type { CommandPage } from '../command-page.ts';

/** Enough to show a model how to call a tool. */
const MAX_EXAMPLES = 4;

/** Returns a function that builds the command line for a call of this tool; `undefined` for invalid arguments. */
export type LineBuilder = (tool: CliToolData) => (input: Input) => readonly string[] | undefined;

/** Returns the examples of a page that the tool reproduces: its command line for them means the same. */
export function toToolExamples(made: MadeCliTool, buildLine: LineBuilder): CliExampleData[] {
  const { page, tool } = made;
  if (page.examples.length === 0) return [];
  // Without the subcommand's words, global options can stand among the others.
  const program = typeof tool.command === 'string' ? tool.command.split(' ', 1) : tool.command.slice(0, 1);
  // A tool with paths may end its line with `--`, which examples omit.
  const args = (tool.args ?? []).map(({ path: _path, ...arg }) => arg);
  const toLine = buildLine({ ...tool, command: program, args });
  const found = new Map<string, CliExampleData>();
  for (const { description, line } of page.examples) {
    const tokens = exampleTokens(page, line);
    const read = tokens && readLine(page, tokens);
    const input = read && toInput(made, read);
    if (read === undefined || input === undefined || Object.keys(input).length === 0) continue;
    if (hasPlaceholder(input) || !isReproduced(made, read, toLine(input))) continue;
    const key = JSON.stringify(input);
    if (!found.has(key))
      found.set(key, { description: /[a-z]{3}/i.test(description) ? description.replace(/[.:]$/, '') : line, input });
  }
  return chooseDiverse([...found.values()]).slice(0, MAX_EXAMPLES);
}

/** Puts examples with new arguments first, then the rest. */
function chooseDiverse(examples: readonly CliExampleData[]): readonly CliExampleData[] {
  const known = new Set<string>();
  const isNew = ({ input }: CliExampleData): boolean => {
    const names = Object.keys(input).toSorted().join(' ');
    return known.size < known.add(names).size;
  };
  const { first = [], rest = [] } = Object.groupBy(examples, (example) => (isNew(example) ? 'first' : 'rest'));
  return [...first, ...rest];
}

/** `--namespace NAMESPACE`, `NODE_NAME`: a placeholder for a value. */
function hasPlaceholder(input: Input): boolean {
  return Object.entries(input).some(([name, value]) =>
    [value]
      .flat()
      .some((item) => typeof item === 'string' && (item === name.toUpperCase() || /^[A-Z]+(?:_[A-Z]+)+$/.test(item))),
  );
}

/** True when the tool's command line, parsed again, equals the example. */
function isReproduced(
  { page, tool, options }: MadeCliTool,
  read: ReadLine,
  line: readonly string[] | undefined,
): boolean {
  const again = line && readLine(page, line.slice(1));
  const names = (tool.args ?? []).flatMap(({ sequence = [] }) => sequence.map(({ name }) => name));
  const ordered = new Set(names.map((name) => options.get(name)?.flags[0]));
  return again !== undefined && isDeepStrictEqual(meaning(again, ordered), meaning(read, ordered));
}

/** Normalizes a line: the order of options matters only in a sequence. */
function meaning({ options, words: plain, rest }: ReadLine, ordered: ReadonlySet<string | undefined>): unknown {
  const given = options.map(({ option: { flags }, value }) => ({
    key: ordered.has(flags[0]) ? '' : flags[0],
    text: `${flags[0]} ${JSON.stringify(value ?? true)}`,
  }));
  // The order of one option's values matters, that of different options does not.
  return {
    given: given
      .map(({ key, text }, index) => [key, index, text])
      .toSorted(compare)
      .map((item) => item[2]),
    plain,
    rest,
  };
}

function compare(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a[0]).localeCompare(String(b[0])) || Number(a[1]) - Number(b[1]);
}

type Input = Record<string, unknown>;

/** Converts a command line to the arguments of a tool; `undefined` if the tool cannot express it. */
function toInput(made: MadeCliTool, read: ReadLine): Input | undefined {
  const { tool, options } = made;
  const input: Input = {};
  const args = tool.args ?? [];
  for (const { option, value } of read.options) {
    const isIt = ({ name }: CliArgumentData): boolean => options.get(name)?.flags[0] === option.flags[0];
    const list = args.find(({ sequence = [] }) => sequence.some(isIt));
    if (list !== undefined) {
      const before = input[list.name];
      const flag = list.sequence?.find(isIt)?.name ?? '';
      input[list.name] = [...(Array.isArray(before) ? before : []), { [flag]: value }];
      continue;
    }
    const arg = args.find(isIt);
    if (arg === undefined || !addValue(input, arg, value ?? true)) return undefined;
  }
  const at = placeWords(input, made, read.words);
  if (at === undefined) return undefined;
  const tail = args.find((arg) => arg.tail !== undefined);
  const rest = tail?.tail === '--' ? read.rest : tail === undefined ? undefined : read.words.slice(at);
  if (rest !== undefined && rest.length > 0 && tail !== undefined) input[tail.name] = [...rest];
  const isAll = tail?.tail === true || at === read.words.length;
  return isAll && (read.rest === undefined || tail?.tail === '--') ? input : undefined;
}

/** Assigns words to the positional arguments, required ones first. Returns their number, or `undefined` if one does not fit. */
function placeWords(input: Input, { tool, page }: MadeCliTool, given: readonly string[]): number | undefined {
  const places = (tool.args ?? []).filter(({ positional }) => positional === true);
  const words = page.positionals.filter(({ tail }) => tail === undefined);
  let at = 0;
  for (const [index, arg] of places.entries()) {
    const left = given.length - at;
    const after = places.slice(index + 1).filter(({ required }) => required === true).length;
    const isForOther = belongsLater(words, index, given[at] ?? '');
    if (left === 0 || (arg.required !== true && (left <= after || isForOther))) continue;
    // A list takes the words that the positionals after it do not need.
    const end = arg.type === 'array' ? Math.max(at + 1, given.length - (places.length - index - 1)) : at + 1;
    for (const word of given.slice(at, end)) if (!addValue(input, arg, word)) return undefined;
    at = end;
  }
  return at;
}

/** Adds a value to an input in the argument's type; `false` if it does not fit. */
function addValue(input: Input, { name, type, items }: CliArgumentData, value: string | boolean): boolean {
  if (typeof value === 'boolean') {
    if (type !== 'boolean') return false;
    input[name] = value;
    return true;
  }
  if (type === 'array') {
    const before = input[name];
    input[name] = [...(Array.isArray(before) ? before : []), items === undefined ? value : Number(value)];
    return true;
  }
  if (type === 'object') {
    const equals = value.indexOf('=');
    const before = input[name];
    if (equals < 1) return false;
    input[name] = { ...(typeof before === 'object' ? before : {}), [value.slice(0, equals)]: value.slice(equals + 1) };
    return true;
  }
  if (name in input || type === 'boolean') return false;
  input[name] = type === 'integer' || type === 'number' ? Number(value) : value;
  return true;
}

/** Few enough to keep the file readable. */
const MAX_UTTERANCES = 6;
const SHORTEST = 12;
const LONGEST = 100;
/** Clauses of a description that state a command's purpose. */
const PURPOSE =
  /\b(?:so that|in order to|(?:can be|is|are|often) used (?:to|for)|useful (?:to|for|when|if)|allows? (?:you |users? )?to|lets? you|for example,? (?:to|when)) ([^.;:()]{12,100}?)(?=[.;:),]|$)/gi;

/** Finds user requests for a tool on its page: headings of examples, and purposes in its description. Search uses them. */
export function toUtterances(page: CommandPage, { description, examples = [] }: CliToolData): string[] {
  // Search gives little weight to text after the first sentence, so a purpose there is repeated.
  const [first = ''] = description.split(/(?<=[.])\s/, 1);
  const known = [first, ...examples.map((example) => example.description)].map(plain);
  const told = [
    ...(page.purposes ?? []),
    ...[...(page.details ?? '').matchAll(PURPOSE)].map(([, clause = '']) => clause),
  ];
  const found = new Map<string, string>();
  for (const text of told) {
    const said = text
      .trim()
      .replace(matcher('request_opening'), '')
      .replace(/(?:,? you (?:can|could|may|should) \w+)?[.:,]?$/i, '');
    const key = plain(said);
    const isWish =
      said.length >= SHORTEST &&
      said.length <= LONGEST &&
      /^[A-Za-z]+ /.test(said) &&
      !matches('dependent_sentence', said);
    if (isWish && !known.some((one) => one.includes(key))) found.set(key, said);
  }
  return [...found.values()].slice(0, MAX_UTTERANCES);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
}
