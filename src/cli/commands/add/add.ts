import { dirname, resolve } from 'node:path';
import { dump } from 'js-yaml';
import { beforeWriting, cannotAsk, confirmChange } from '../../shared/board/change-board.ts';
import { hintLocalProgram } from '../../shared/board/programs.ts';
import { tryFindConfig } from '../../shared/board/find-config.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { type CommandAnswer, defineCommand, FILE_OPTION, flag, listOption, valueOption } from '../../shared/command.ts';
import { parseCount, parseTime } from '../../shared/parse-values.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { findPack, packNames } from '../../../import/packs/packs.ts';
import { alignColumns } from '../../shared/print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { printAnswer } from '../../shared/print/print-answer.ts';
import type { AddPlan, AddSource } from './add-source.ts';
import { addToBoard } from './add-to-board.ts';
import { fileSource } from './file-source.ts';
import { folderSource } from './folder-source.ts';
import { packSource, describeTools, readPack } from './pack-source.ts';
import { commandSource, packageSource, urlSource } from './server-source.ts';

const MAX_SHOWN = 12;

/** The sources that can be added; the first that matches a word takes it. */
const SOURCES: readonly AddSource[] = [packSource, urlSource, packageSource, fileSource, folderSource, commandSource];

export const add = defineCommand({
  name: 'add',
  description: `Adds tools to the board in this folder, or creates a board if there is none. Your own entries and comments stay. Inspects WHAT, shows what it would write and asks before writing; packs are written without asking. WHAT is: ${SOURCES.map(({ form, summary }) => `${form} (${summary})`).join('; ')}.`,
  arguments: [{ name: 'WHAT', description: 'What to add', multiple: true, completes: 'packs' }],
  options: {
    file: { ...FILE_OPTION.file, multiple: false, description: 'The board file (default: the nearest pegboard.yaml)' },
    trust: FILE_OPTION.trust,
    list: flag('List the available packs'),
    yes: flag('Write without asking', 'y'),
    'dry-run': flag('Show what would be written, without writing'),
    only: listOption(
      'SUBCOMMAND',
      "For a command: only these subcommands and those below them, such as 's3' or 'ec2 describe-*'",
    ),
    limit: valueOption('N', 'For a command: read at most N subcommands (default: 300)'),
    timeout: valueOption('TIME', 'For a command: stop reading after this time (default: 2m)'),
    replace: flag('Overwrite existing files, even if you changed them'),
  },
  examples: [
    ['pegboard add pack:gh', "add tools for GitHub's command"],
    ['pegboard add --list', 'list the available packs'],
    ['pegboard add kubectl', 'add tools for an installed command'],
    ['pegboard add aws --only s3', 'only some of its subcommands'],
    ['pegboard add ./openapi.yaml ./docs', 'an API from its document, and a folder to search'],
    ['pegboard add https://mcp.example.com/mcp', 'an MCP server'],
  ],
  async run({ values, positionals: words, json, context }) {
    if (values.list || words.length === 0) return listPacks(context);
    const given = values.file === undefined ? [] : [values.file];
    const shown = tryFindConfig(given, context)?.[0] ?? 'pegboard.yaml';
    const folder = dirname(resolve(context.cwd, shown));
    const { only, replace } = values;
    const limit = parseCount(values.limit, { option: '--limit', command: 'add', least: 1 });
    const timeLimit = parseTime(values.timeout, '--timeout', 'add');
    const target = { folder, shown, replace, command: { only, limit, timeLimit }, before: [] };
    const sources = words.map((word) => ({ word, source: findSource(word, context) }));
    refuseForWhole(values, sources);
    const plans = await beforeWriting(context, async () => {
      const before: AddPlan[] = [];
      for (const { word, source } of sources) before.push(await source.plan(word, { ...target, before }, context));
      return before;
    });
    const { yes, 'dry-run': isDry } = values;
    if (isDry) return describePlans(plans, shown);
    const isAsked = !yes && plans.some(({ asks }) => asks === true);
    if (isAsked) {
      if (json) throw cannotAsk('add');
      printAnswer(describePlans(plans, shown), json, context);
      if (!(await confirmChange(`Write this to ${shown}?`, { yes, command: 'add', context }))) return 1;
    }
    // Notes that were shown before the question are not repeated.
    return addToBoard(isAsked ? plans.map((plan) => ({ ...plan, notes: [] })) : plans, target, context);
  },
});

/** Describes what would be written: the changes in full, and the first lines of each file. */
function describePlans(plans: readonly AddPlan[], shown: string): CommandAnswer {
  return {
    data: { board: shown, plans },
    view: ({ bold, dim }) =>
      plans.flatMap(({ summary, files, changes }) => [
        bold(`On ${shown}: ${summary}`),
        ...changes.flatMap((change) => {
          const value = 'set' in change ? change.set : 'append' in change ? change.append : {};
          return linesOf(dump({ [change.section]: value }, { noRefs: true, lineWidth: 100, flowLevel: 3 }));
        }),
        ...files.flatMap(({ path, text }) => {
          const lines = linesOf(text);
          const more = lines.length > MAX_SHOWN ? ['…'] : [];
          return [dim(`${path}, ${counted(lines.length, 'line')}:`), ...lines.slice(0, MAX_SHOWN), ...more];
        }),
      ]),
    notes: ({ yellow }) => plans.flatMap(({ notes }) => notes).map((note) => `${yellow('note')} ${note}`),
  };
}

function linesOf(text: string): string[] {
  return text.trimEnd().split('\n');
}

/** Options for subcommands, each with its effect. */
const FOR_COMMANDS = [
  ['only', '--only selects subcommands'],
  ['limit', '--limit sets the number of subcommands to read'],
  ['timeout', '--timeout limits the time for reading subcommands'],
] as const;

/** Refuses options for subcommands when a word is not a command. */
function refuseForWhole(
  values: Readonly<Record<'limit' | 'timeout', string | undefined> & { only: readonly string[] }>,
  sources: readonly { readonly word: string; readonly source: AddSource }[],
): void {
  const whole = sources.find(({ source }) => source.hasParts !== true);
  const given = FOR_COMMANDS.find(([name]) => (values[name] ?? []).length > 0);
  if (whole === undefined || given === undefined) return;
  throw new UsageError(`${given[1]}, but ${JSON.stringify(whole.word)} is not a command.`, 'add');
}

function findSource(word: string, context: CliContext): AddSource {
  const source = SOURCES.find((one) => one.matches(word, context));
  if (source !== undefined) return source;
  const forms = SOURCES.map(({ form }) => form).join(', ');
  const pack = findPack(word);
  const hint =
    pack !== undefined
      ? `It is not installed. There is a pack for it: pegboard add pack:${pack}`
      : (hintLocalProgram(word, context) ?? `It is not a command in PATH, a file or a folder. Use one of: ${forms}.`);
  throw new UsageError(`Cannot tell what to add with ${JSON.stringify(word)}. ${hint}`, 'add');
}

async function listPacks(context: CliContext): Promise<CommandAnswer> {
  const packs = await Promise.all(packNames().map((name) => readPack(name, context)));
  return {
    data: packs.map(({ name, description, tools, programs }) => ({ name, description, programs, tools })),
    view: ({ bold }) => [
      ...alignColumns(packs.map(({ name, description, tools }) => [bold(name), describeTools(tools), description])),
      '',
      'Add one with: pegboard add pack:NAME',
    ],
  };
}
