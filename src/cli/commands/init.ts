import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { ToolError } from '../../tool/tool-error.ts';
import {
  formatStarterConfig,
  placeSchema,
  schemaPath,
  STARTER_KINDS,
  type StarterKind,
} from '../shared/board/starter-config.ts';
import type { AddPlan } from './add/add-source.ts';
import { promptStreams } from '../shared/ask/ask-person.ts';
import { canAsk, type CliContext, refuse } from '../shared/cli-context.ts';
import { type CommandAnswer, defineCommand, flag, listOption } from '../shared/command.ts';
import { gateText } from '../shared/print/gate-output.ts';
import { makeFolder } from '../../platform/store/private-file.ts';

const FILE = 'pegboard.yaml';

interface Choices {
  readonly name: string;
  readonly kinds: readonly StarterKind[];
}

export const init = defineCommand({
  name: 'init',
  description:
    'Creates a first pegboard.yaml with a policy and a tool of each kind you choose. Never overwrites a file.',
  arguments: [{ name: 'DIR', description: 'The folder (default: this one)' }],
  options: {
    yes: flag('Do not ask: create one cli and one http tool', 'y'),
    pack: listOption(
      'NAMES',
      'Use packs instead of examples, such as git,docker (list them with "pegboard add --list")',
    ),
  },
  examples: [
    ['pegboard init', 'asks what to include'],
    ['pegboard init --yes tools', 'creates tools/pegboard.yaml without asking'],
    ['pegboard init --pack git,docker', 'a board with the tools of two packs'],
  ],
  async run({ values, positionals: [folder = '.'], context }) {
    const target = resolve(context.cwd, folder);
    const file = join(target, FILE);
    const shown = relative(context.cwd, file);
    const words = values.pack.flatMap((names) => names.split(',')).map((name) => name.trim());
    if (existsSync(file)) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: `${shown} already exists. Name another folder, or remove the file first.${values.pack.length > 0 ? ` To add to it: pegboard add${words.map((word) => ` pack:${word}`).join('')}` : ''}`,
      });
    }
    if (values.pack.length > 0) return writePacks(words, { target, shown }, context);
    const defaults: Choices = { name: basename(target) || 'board', kinds: ['cli', 'http'] };
    const choices = values.yes || !canAsk(context) ? defaults : await ask(defaults, context);
    if (choices === undefined) return refuse(context, 'Nothing was written.');
    makeFolder(target);
    const written = [shown, ...placeSchema(target, context.cwd)];
    const { name, kinds } = choices;
    writeFileSync(file, formatStarterConfig(name, { kinds, schema: schemaPath(target) }), { flag: 'wx' });
    return { data: { written }, view: `Wrote ${written.join(' and ')}. Next: pegboard list` };
  },
});

/** Creates a board with packs. Writes nothing if one of them does not exist. */
async function writePacks(
  names: readonly string[],
  { target, shown }: { readonly target: string; readonly shown: string },
  context: CliContext,
): Promise<CommandAnswer> {
  const { packSource } = await import('./add/pack-source.ts');
  const { addToBoard } = await import('./add/add-to-board.ts');
  const board = { folder: target, shown, replace: false, command: { only: [] }, before: [] };
  const plans: AddPlan[] = [];
  for (const name of new Set(names)) plans.push(await packSource.plan(`pack:${name}`, board, context));
  return addToBoard(plans, board, context);
}

async function ask(defaults: Choices, context: CliContext): Promise<Choices | undefined> {
  const { isCancel, multiselect, text } = await import('@clack/prompts');
  const streams = promptStreams(context);
  const name = await text({
    ...streams,
    message: 'What is the name of the board?',
    defaultValue: defaults.name,
    placeholder: gateText(defaults.name),
  });
  if (isCancel(name)) return undefined;
  const kinds = await multiselect({
    ...streams,
    message: 'Which tools should it start with?',
    options: STARTER_KINDS.map((value) => ({ value, label: LABELS[value] })),
    initialValues: [...defaults.kinds],
    required: true,
  });
  return isCancel(kinds) ? undefined : { name, kinds };
}

const LABELS: Readonly<Record<StarterKind, string>> = {
  cli: 'cli: a command line',
  run: 'run: several commands in sequence',
  http: 'http: a request to an API',
};
