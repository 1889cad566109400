import { dirname, resolve } from 'node:path';
import { tryFindConfig } from '../../board/find-config.ts';
import { type CliContext, printJson, printLine } from '../../cli-context.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';
import { describeTools } from '../../packs/place-pack.ts';
import { packNames, readPack } from '../../packs/read-packs.ts';
import { alignColumns } from '../../print/columns.ts';
import { createStyle } from '../../print/style.ts';
import type { AddPlan, AddSource } from './add-source.ts';
import { addToBoard } from './add-to-board.ts';
import { packSource } from './pack-source.ts';

/** What can be added; the first that knows a word takes it. */
const SOURCES: readonly AddSource[] = [packSource];

/** `pegboard add`: something more on the board of this folder. */
export const add = defineCommand({
  name: 'add',
  description: `Adds tools to the board of this folder, and makes a board where there is none. What you wrote stays, comments too. WHAT is: ${SOURCES.map(({ form, summary }) => `${form} (${summary})`).join('; ')}.`,
  arguments: [{ name: 'WHAT', description: 'What to add', multiple: true }],
  options: {
    file: { ...FILE_OPTION.file, multiple: false, description: 'The board file (default: the nearest pegboard.yaml)' },
    trust: FILE_OPTION.trust,
    list: { type: 'boolean', description: 'Show the packs there are' },
    replace: { type: 'boolean', description: 'Take the newest version of a pack, also where you changed your copy' },
  },
  examples: [
    ['pegboard add pack:gh', "GitHub's command, on the board of this folder"],
    ['pegboard add --list', 'which packs there are'],
  ],
  async run({ values, positionals: words, json, context }) {
    if (values.list || words.length === 0) return printPacks(json, context);
    const given = values.file === undefined ? [] : [values.file];
    const shown = tryFindConfig(given, context)?.[0] ?? 'pegboard.yaml';
    const folder = dirname(resolve(context.cwd, shown));
    const target = { folder, shown, replace: values.replace };
    const plans: AddPlan[] = [];
    for (const word of words) plans.push(await findSource(word, context).plan(word, target, context));
    addToBoard(plans, { ...target, json }, context);
    return 0;
  },
});

function findSource(word: string, context: CliContext): AddSource {
  const source = SOURCES.find((one) => one.matches(word, context));
  if (source !== undefined) return source;
  const forms = SOURCES.map(({ form }) => form).join(', ');
  const isPack = packNames().includes(word);
  const hint = isPack ? `Did you mean pack:${word}?` : `Use one of: ${forms}.`;
  throw new UsageError(`It is not clear what to add with ${JSON.stringify(word)}. ${hint}`, 'add');
}

function printPacks(json: boolean, context: CliContext): number {
  const packs = packNames().map(readPack);
  if (json) {
    printJson(
      context,
      packs.map(({ name, description, tools, programs }) => ({ name, description, programs, tools })),
    );
    return 0;
  }
  const style = createStyle(context.stdout, context.env);
  const rows = packs.map(({ name, description, tools }) => [style.bold(name), describeTools(tools), description]);
  for (const line of alignColumns(rows)) printLine(context.stdout, line);
  printLine(context.stdout, '\nAdd one with: pegboard add pack:NAME');
  return 0;
}
