import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { ToolError } from '../../../tool/tool-error.ts';
import { formatStarterConfig, STARTER_KINDS, type StarterKind } from './starter-config.ts';
import { promptStreams } from '../../ask/ask-person.ts';
import { canAsk, type CliContext, printJson, printLine } from '../../cli-context.ts';
import { defineCommand } from '../../command-line/command.ts';
import { gateText } from '../../print/gate-output.ts';
import { BUILT_IN_KINDS } from '../../../kinds/built-in-kinds.ts';
import { formatBoardSchema } from '../../../load/board-file-schema.ts';
import { makeFolder } from '../../../platform/store/make-folder.ts';

const FILE = 'pegboard.yaml';
const SCHEMA = 'pegboard.schema.json';

interface Choices {
  readonly name: string;
  readonly kinds: readonly StarterKind[];
}

/** `pegboard init`: a first pegboard.yaml. */
export const init = defineCommand({
  name: 'init',
  description: 'Writes a first pegboard.yaml with a tool of each kind you choose. Never overwrites one.',
  arguments: [{ name: 'DIR', description: 'The folder (default: this one)' }],
  options: { yes: { type: 'boolean', short: 'y', description: 'Ask nothing: one cli and one http tool' } },
  examples: [
    ['pegboard init', 'asks what to put in'],
    ['pegboard init --yes tools', 'asks nothing, writes tools/pegboard.yaml'],
  ],
  async run({ values, positionals: [folder = '.'], json, context }) {
    const target = resolve(context.cwd, folder);
    const file = join(target, FILE);
    const shown = relative(context.cwd, file);
    if (existsSync(file)) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: `${shown} exists and stays as it is. Name another folder, or remove the file first.`,
      });
    }
    const defaults: Choices = { name: basename(target) || 'board', kinds: ['cli', 'http'] };
    const choices = values.yes || !canAsk(context) ? defaults : await ask(defaults, context);
    if (choices === undefined) {
      printLine(context.stderr, 'Nothing was written.');
      return 1;
    }
    makeFolder(target);
    const written = [shown, ...placeSchema(target, context)];
    writeFileSync(file, formatStarterConfig(choices.name, choices.kinds, schemaPath(target)), { flag: 'wx' });
    if (json) printJson(context, { written });
    else printLine(context.stdout, `Wrote ${written.join(' and ')}. Next: pegboard list`);
    return 0;
  },
});

/** The schema of the installed package where there is one, which is always the right version. */
function schemaPath(target: string): string {
  const installed = `node_modules/pegboard/${SCHEMA}`;
  return existsSync(join(target, installed)) ? `./${installed}` : `./${SCHEMA}`;
}

/** Elsewhere a copy stands beside the config, so that editors need no network. */
function placeSchema(target: string, { cwd }: CliContext): string[] {
  const copy = join(target, SCHEMA);
  if (schemaPath(target) !== `./${SCHEMA}` || existsSync(copy)) return [];
  writeFileSync(copy, formatBoardSchema(BUILT_IN_KINDS));
  return [relative(cwd, copy)];
}

async function ask(defaults: Choices, context: CliContext): Promise<Choices | undefined> {
  const { isCancel, multiselect, text } = await import('@clack/prompts');
  const streams = { ...promptStreams(context), signal: context.signal };
  const name = await text({
    ...streams,
    message: 'What is the board called?',
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
  run: 'run: several commands, one after the other',
  http: 'http: a request to an API',
};
