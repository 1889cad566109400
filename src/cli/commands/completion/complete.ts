import { allParameters, readVariants } from '../../../tool/parameters/read-variants.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { type ArgumentSpec, COMMON_OPTIONS, type Command, type OptionSpec } from '../../shared/command.ts';
import { allCommands, type Commands, CORE_COMMANDS, loadCommand } from '../../command-line/commands.ts';
import { toCell } from '../../shared/print/columns.ts';
import { ungated } from '../../shared/print/gate-output.ts';

interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

/** Candidates, or `files` for file names, which the shell completes itself. */
type Answer = readonly Candidate[] | 'files';

/** Text that a shell takes literally: a completed value must never run as code. */
const HARMLESS = /^[\w@%+=:,./-]+$/;
const MAX_ABOUT = 100;

/**
 * Prints the completions of the last word, one per line: the word, a tab, its description. `:files` means file names.
 *
 * It runs with every press of Tab: it starts no server, runs no code of the board and reports no errors.
 */
export async function completeWords(words: readonly string[], context: CliContext): Promise<void> {
  const current = words.at(-1) ?? '';
  const answer = await answerFor(words.slice(0, -1), current, context).catch((): Answer => []);
  const lines =
    answer === 'files'
      ? [':files']
      : answer
          .filter(({ value }) => value.startsWith(current) && HARMLESS.test(value))
          .map(({ value, about = '' }) =>
            [value, toCell(about).slice(0, MAX_ABOUT)].filter((part) => part !== '').join('\t'),
          );
  if (lines.length > 0) ungated(context.stdout).write(`${lines.join('\n')}\n`);
}

async function answerFor(before: readonly string[], current: string, context: CliContext): Promise<Answer> {
  const [first, second] = before;
  const isCore = first !== undefined && Object.hasOwn(CORE_COMMANDS, first);
  const commands = isCore ? CORE_COMMANDS : await allCommands();
  if (first === undefined || first === 'help') return commandWords(commands, first === 'help' ? second : undefined);
  const name = Object.hasOwn(commands, `${first} ${second ?? ''}`) ? `${first} ${second}` : first;
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) return second === undefined ? commandWords(commands, first) : [];
  return completeArgument(await loadCommand(name, entry), {
    before: before.slice(name.split(' ').length),
    current,
    context,
  });
}

/** Lists the first words of commands, or the second words of a group. */
function commandWords(commands: Commands, group: string | undefined): Candidate[] {
  const names = Object.keys(commands).map((name) => name.split(' '));
  const members = (first: string): string[] =>
    names.flatMap(([word, second]) => (word === first ? (second ?? []) : []));
  if (group !== undefined) {
    return members(group).map((value) => ({ value, about: commands[`${group} ${value}`]?.summary }));
  }
  return [...new Set(names.map(([first = '']) => first))].map((value) => ({
    value,
    about: commands[value]?.summary ?? members(value).join(', '),
  }));
}

interface Place {
  readonly before: readonly string[];
  readonly current: string;
  readonly context: CliContext;
}

async function completeArgument(command: Command, { before, current, context }: Place): Promise<Answer> {
  const options: Readonly<Record<string, OptionSpec>> = { ...command.options, ...COMMON_OPTIONS };
  const { words, files, open } = readWords(before, options);
  const isEnded = before.includes('--');
  if (open !== undefined) return valuesOf(open, '');
  const [, flag = ''] = /^(--[\w-]+)=/.exec(current) ?? [];
  if (flag !== '' && !isEnded) return valuesOf(options[flag.slice(2)], `${flag}=`);
  if (current.startsWith('-') && !isEnded) {
    return Object.entries(options).map(([name, { description }]) => ({ value: `--${name}`, about: description }));
  }
  const specs = command.arguments ?? [];
  const spec = specs[words.length] ?? (specs.at(-1)?.multiple === true ? specs.at(-1) : undefined);
  return spec === undefined ? [] : completeWord(spec, { words, files, current, context });
}

async function completeWord(
  { completes, choices }: ArgumentSpec,
  {
    words,
    files,
    current,
    context,
  }: {
    readonly words: readonly string[];
    readonly files: readonly string[];
    readonly current: string;
    readonly context: CliContext;
  },
): Promise<Answer> {
  if (choices !== undefined) return choices.map((value) => ({ value }));
  if (completes === undefined) return [];
  if (completes === 'files') return 'files';
  if (completes === 'packs') {
    const isPack = current.startsWith('pack:') || (current !== '' && 'pack:'.startsWith(current));
    if (!isPack) return 'files';
    const { packNames } = await import('../../../import/packs/packs.ts');
    return packNames().map((name) => ({ value: `pack:${name}` }));
  }
  const { KnownNames } = await import('./known-names.ts');
  const known = new KnownNames(files, context);
  switch (completes) {
    case 'tools':
      return [...(await known.tools())].map(([value, about]) => ({ value, about }));
    case 'servers':
      return known.servers().map((value) => ({ value }));
    case 'logins':
      return known.logins().map((value) => ({ value }));
    case 'agents':
      return known.agents().map((value) => ({ value }));
    case 'arguments': {
      const tool = await known.tool(words[0] ?? '');
      return tool === undefined ? [] : argumentsOf(tool.inputSchema, words.slice(1), current);
    }
  }
}

/** Lists `key=` for each argument not yet given, or the values of an argument with a fixed list. */
function argumentsOf(
  schema: Parameters<typeof readVariants>[0],
  given: readonly string[],
  current: string,
): Candidate[] {
  const parameters = allParameters(readVariants(schema));
  const named = parameters.find(({ name }) => current.startsWith(`${name}=`));
  if (named !== undefined) {
    const { enum: values, type, items } = named.schema;
    const listed = Array.isArray(values) ? values : type === 'boolean' ? [true, false] : enumOf(items);
    return listed.map((value: unknown) => ({ value: `${named.name}=${String(value)}` }));
  }
  return parameters
    .filter(({ name, schema: { type } }) => type === 'array' || !given.some((word) => word.startsWith(`${name}=`)))
    .map(({ name, schema: { description }, isRequired }) => {
      const about = typeof description === 'string' ? description : '';
      return { value: `${name}=`, about: isRequired ? `(required) ${about}` : about };
    });
}

function enumOf(items: unknown): readonly unknown[] {
  const values: unknown = typeof items === 'object' && items !== null && 'enum' in items ? items.enum : undefined;
  return Array.isArray(values) ? values : [];
}

/** Splits the words before the cursor into positionals, named files and the option whose value comes next. */
function readWords(
  before: readonly string[],
  options: Readonly<Record<string, OptionSpec>>,
): { readonly words: readonly string[]; readonly files: readonly string[]; readonly open: OptionSpec | undefined } {
  const words: string[] = [];
  const files: string[] = [];
  let open: { readonly name: string; readonly spec: OptionSpec } | undefined;
  for (const [index, word] of before.entries()) {
    if (before.indexOf('--') !== -1 && index > before.indexOf('--')) words.push(word);
    else if (open !== undefined) {
      if (open.name === 'file') files.push(word);
      open = undefined;
    } else if (word.startsWith('-') && word !== '--' && word !== '-') {
      const [flag = '', value] = word.split(/=(.*)/s);
      const name = Object.keys(options).find((key) => flag === `--${key}` || flag === `-${options[key]?.short}`);
      const spec = name === undefined ? undefined : options[name];
      if (name === 'file' && value !== undefined) files.push(value);
      if (name !== undefined && spec?.type === 'string' && value === undefined) open = { name, spec };
    } else if (word !== '--') words.push(word);
  }
  return { words, files, open: open?.spec };
}

function valuesOf(spec: OptionSpec | undefined, prefix: string): Answer {
  if (spec?.choices !== undefined) return spec.choices.map((value) => ({ value: `${prefix}${value}` }));
  return spec?.value === 'FILE' || spec?.value === 'DIR' ? 'files' : [];
}
