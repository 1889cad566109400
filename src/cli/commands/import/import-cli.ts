import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { ToolError } from '../../../tool/tool-error.ts';
import { escapeVariables } from '../../../tool/texts/escape-variables.ts';
import { createAsk, isScriptFile } from '../../../import/command-line/ask-command.ts';
import { importCli as importTools, type ImportCliOptions } from '../../../import/command-line/import-cli.ts';
import { fishFolders } from '../../../import/command-line/read-page.ts';
import { manFolders } from '../../../import/command-line/man/find-man-page.ts';
import { lineBuilder } from '../../../kinds/cli/line-builder.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { defineCommand, listOption, valueOption } from '../../shared/command.ts';
import { packUtterances, packVariables } from '../../../import/packs/packs.ts';
import { clearLine } from '../../shared/print/gate-output.ts';
import { parseCount, parseTime } from '../../shared/parse-values.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { beforeWriting } from '../../shared/board/change-board.ts';
import { hintLocalProgram } from '../../shared/board/programs.ts';
import { type MadeConfig, WRITE_OPTIONS, writeYaml } from './write-yaml.ts';
import { type CliToolData, toCommandForm } from '../../../import/command-line/to-cli-tool.ts';

export const importCli = defineCommand({
  name: 'import cli',
  description: 'Reads COMMAND --help, and that of each subcommand, and writes cli tools as a first version to edit.',
  arguments: [
    { name: 'COMMAND', description: 'The command, optionally with a subcommand', required: true, multiple: true },
  ],
  options: {
    only: listOption('SUBCOMMAND', "Only these subcommands and those below them, such as 'container ls' or 'volume *'"),
    global: listOption(
      'NAME',
      'Add this global option to each tool; or all, or none (default: those that calls often need)',
    ),
    depth: valueOption('N', 'Levels of subcommands (default: all)'),
    limit: valueOption('N', 'Read at most N subcommands (default: 300)'),
    timeout: valueOption('TIME', 'Stop reading after this time (default: 2m)'),
    ...WRITE_OPTIONS,
  },
  examples: [
    ['pegboard import cli jq', 'one tool'],
    ['pegboard import cli docker --out docker.yaml', 'one tool for each subcommand'],
    ['pegboard import cli docker --out docker.yaml --update', 'later, to add only what is new'],
    ["pegboard import cli kubectl --only get --only 'rollout *'", 'only some subcommands'],
  ],
  async run({ values, positionals, context }) {
    const [only = '', ...others] = positionals;
    // 'docker run' in quotes means the same as without.
    const isQuoted = others.length === 0 && !only.includes('/');
    const words = isQuoted ? only.trim().split(/\s+/) : positionals;
    const hint = hintLocalProgram(words[0] ?? '', context);
    if (hint !== undefined) throw new UsageError(hint, 'import cli');
    const { out } = values;
    const options = {
      folder: out === undefined ? undefined : dirname(resolve(context.cwd, out)),
      only: values.only,
      globals: values.global,
      depth: parseCount(values.depth, { option: '--depth', command: 'import cli' }),
      limit: parseCount(values.limit, { option: '--limit', command: 'import cli' }),
      timeLimit: parseTime(values.timeout, '--timeout', 'import cli'),
    };
    const made = await beforeWriting(context, () => readCommand(words, options, context));
    return writeYaml(made, values, context);
  },
});

interface ReadCommandOptions extends ImportCliOptions {
  /** The folder of the written file, to which paths of programs are relative. Default: the current folder */
  readonly folder?: string | undefined;
}

/** Generates a config file with the tools of a command from its help. */
export async function readCommand(
  words: readonly string[],
  { folder = '.', ...options }: ReadCommandOptions,
  context: CliContext,
): Promise<MadeConfig> {
  const name = (words[0] ?? '').split('/').at(-1) ?? '';
  const [program = ''] = words;
  const { tools, guesses, argumentGuesses, notes } = await importTools(words, createAsk(context), {
    isScript: program.includes('/') && isScriptFile(resolve(context.cwd, program)),
    manual: manFolders(context.env, words[0]),
    fish: fishFolders(context.env),
    buildLine: lineBuilder,
    variables: packVariables(name),
    utterances: packUtterances(name),
    signal: context.signal,
    ...options,
    ...progress(context),
  });
  const isChosen = (options.only ?? []).length > 0;
  if (!isChosen && tools.every(({ args }) => args === undefined) && tools.length <= 1) {
    throw new ToolError({
      code: 'execution_failed',
      message: `Nothing could be read from "${words.join(' ')} --help". Write the tool by hand: pegboard init shows how.`,
    });
  }
  const remarks = [
    `Made by: pegboard import cli ${words.join(' ')}`,
    'Review it before you use it: remove what an agent should not do, and check each guessed risk.',
  ];
  // Texts of the command may look like variables of the config.
  const place = { from: context.cwd, to: resolve(context.cwd, folder) };
  const data = { name, tools: tools.map((tool) => escapeVariables(placeCommand(tool, place))) };
  const comments = new Map(
    tools.map(({ name: tool }): [string, Record<string, string>] => {
      const places = [...(argumentGuesses.get(tool) ?? [])].map(([arg, from]) => [`args.${arg}.risk`, from] as const);
      const own = guesses.get(tool);
      const all = own === undefined ? places : [['risk', own] as const, ...places];
      return [tool, Object.fromEntries(all.map(([place, from]) => [place, `guessed from "${from}"`]))];
    }),
  );
  return { remarks, data, notes, comments };
}

function progress({ stderr }: CliContext): { onProgress?: (done: number, total: number) => void } {
  if (stderr.isTTY !== true) return {};
  return {
    onProgress: (done, total) => {
      stderr.write(`${clearLine()}${done === total ? '' : `${done} of ${total} subcommands`}`);
    },
  };
}

/**
 * Rewrites the relative path of a tool's program for a file in another folder. A board looks for `./ops.py` beside the file that
 * says so. Names in PATH and absolute paths stay.
 */
function placeCommand(tool: CliToolData, { from, to }: { readonly from: string; readonly to: string }): CliToolData {
  const [program = '', ...words] = typeof tool.command === 'string' ? tool.command.split(' ') : tool.command;
  if (!program.includes('/') || isAbsolute(program) || from === to) return tool;
  const near = relative(to, resolve(from, program)).replaceAll('\\', '/');
  const placed = isAbsolute(near) || near.startsWith('../') ? near : `./${near}`;
  return { ...tool, command: toCommandForm([placed, ...words]) };
}
