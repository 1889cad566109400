import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { dump } from 'js-yaml';
import type { Board } from '../../../board/board.ts';
import type { WorkedProgram } from '../../../code/plan-saved-program.ts';
import { planChange } from '../../../load/change-file.ts';
import { escapeVariables } from '../../../tool/texts/escape-variables.ts';
import { makeFolder } from '../../../platform/store/private-file.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { createApproval } from '../../../cli/shared/ask/ask-approval.ts';
import { findBoardFile } from '../../../cli/shared/board/change-board.ts';
import { redactorOf } from '../../../cli/shared/board/use-board.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { type CommandAnswer, defineCommand, flag, valueOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { findWorkedProgram } from './find-worked-program.ts';
import { parseInput } from './code.ts';

const COMMAND = 'code save';

export const codeSave = defineCommand({
  name: COMMAND,
  description:
    'Saves a program that worked as a tool of the board: its code in programs/NAME.ts, and in the config file an entry with its inputs, the tools that it calls and their highest risk. A program in a file is run first.',
  arguments: [
    {
      name: 'PROGRAM',
      description: "The id of one of the board's programs or of a recorded call of run_code, or a file",
      required: true,
    },
    { name: 'NAME', description: 'The name of the new tool', required: true },
  ],
  options: {
    description: valueOption('TEXT', 'What the tool does, for models', { short: 'd' }),
    input: valueOption('JSON', 'The value of `input` for running a file'),
    yes: flag('Approve the calls of that run if the policy asks', 'y'),
    'dry-run': flag('Show the entry, without writing'),
  },
  examples: [
    ['pegboard code save report-7 late_orders -d "List orders that are late"', "one of the board's programs"],
    [`pegboard code save report.ts report -d "Weekly report" --input '{"days": 7}'`, 'a file, which is run first'],
  ],
  parse({ values, positionals: [, name = ''] }) {
    const { description } = values;
    if (description === undefined || description.trim() === '')
      throw new UsageError('Describe the tool: --description "…". Models choose tools by it.', COMMAND);
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name))
      throw new UsageError(`"${name}" is not a valid tool name: use 1 to 128 of A-Z a-z 0-9 _ . -`, COMMAND);
    return { description, input: parseInput(values.input, COMMAND) };
  },
  board: ({ values, context }) => ({ servers: 'cached', approve: createApproval(context, values.yes) }),
  async run({ values, positionals: [named = '', name = ''], parsed: { description, input }, context, board }) {
    if (board.registry.has(name)) throw new UsageError(`The board already has a tool "${name}".`, COMMAND);
    const worked = await findWorkedProgram(board, named, { input, context });
    if (!('code' in worked)) return worked;
    checkSecrets(board, worked);
    const { planSavedProgram } = await import('../../../code/plan-saved-program.ts');
    const plan = planSavedProgram(board, worked);
    const entry = { name, type: 'program', description, ...plan, file: `programs/${name}.ts` };
    return save(entry, worked.code, { files: values.file, isDry: values['dry-run'], context });
  },
});

interface Place {
  readonly files: readonly string[];
  readonly isDry: boolean;
  readonly context: CliContext;
}

function save(
  entry: Readonly<Record<string, unknown>> & { readonly file: string },
  code: string,
  place: Place,
): CommandAnswer {
  const { isDry, context } = place;
  const file = findBoardFile(place.files, COMMAND, context);
  const written = escapeVariables(entry);
  if (isDry) return { data: { entry: written }, view: { text: dump([written]) } };
  const path = join(dirname(file.path), entry.file);
  if (existsSync(path)) throw new UsageError(`${relative(context.cwd, path)} already exists.`, COMMAND);
  makeFolder(dirname(path));
  writeFileSync(path, code.endsWith('\n') ? code : `${code}\n`, { flag: 'wx' });
  try {
    planChange(file, [{ section: 'tools', append: [written] }], context).write();
  } catch (error) {
    rmSync(path);
    throw error;
  }
  const shown = relative(context.cwd, path);
  return {
    data: { tool: entry['name'], file: shown, board: file.shown, entry },
    view: `On ${file.shown}: the tool ${String(entry['name'])} (${String(entry['risk'])}). Wrote ${shown}. Next: pegboard show ${String(entry['name'])}`,
  };
}

/** Rejects a program that contains a secret of the board, because the file would reveal it. */
function checkSecrets(board: Board, { code }: WorkedProgram): void {
  if (redactorOf(board).text(code) === code) return;
  const message =
    'The program contains a secret of the board and is not saved. Remove the secret and run the program again.';
  throw new ToolError({ code: 'invalid_arguments', message });
}
