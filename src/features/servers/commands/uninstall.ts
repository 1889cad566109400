import { cannotAsk, confirmChange } from '../../../cli/shared/board/change-board.ts';
import { CLIENT_NAMES } from '../../../cli/shared/clients/client-names.ts';
import { thisMachine } from '../../../cli/shared/clients/clients.ts';
import { canAsk } from '../../../cli/shared/cli-context.ts';
import { type CommandAnswer, defineCommand, flag } from '../../../cli/shared/command.ts';
import { parseChoice } from '../../../cli/shared/parse-values.ts';
import { toCell } from '../../../cli/shared/print/columns.ts';
import { printAnswer } from '../../../cli/shared/print/print-answer.ts';
import { changeFiles } from '../../../platform/store/change-files.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { titleOf } from './clients/describe-import.ts';
import { type PlannedUninstall, planUninstall } from './clients/plan-uninstall.ts';

const COMMAND = 'uninstall';

export const uninstall = defineCommand({
  name: COMMAND,
  description:
    'Removes the entries of Pegboard from the files of MCP clients, and adds the servers again that "mcp import --replace" took from them. All later changes of the files stay, and so does the board.',
  arguments: [
    {
      name: 'CLIENT',
      description: `One of ${CLIENT_NAMES.join(', ')} (default: all)`,
      choices: CLIENT_NAMES,
    },
  ],
  options: {
    yes: flag('Write without asking', 'y'),
    'dry-run': flag('Show what would change, without writing'),
  },
  examples: [
    ['pegboard uninstall', 'every client has its own servers again'],
    ['pegboard uninstall cursor --dry-run', 'only show what would change for Cursor'],
  ],
  async run({ values: { yes, 'dry-run': isDry }, positionals: [given], json, context }) {
    const client =
      given === undefined ? undefined : parseChoice(given, CLIENT_NAMES, { option: 'CLIENT', command: COMMAND });
    const plan = await planUninstall(client, thisMachine(context));
    const answer = describe(plan, isDry);
    if (plan.files.length === 0 || isDry) return answer;
    const isAsked = !yes;
    if (isAsked && (json || !canAsk(context))) throw cannotAsk(COMMAND);
    if (isAsked) {
      printAnswer(describe(plan, true), false, context);
      if (!(await confirmChange('Change these files?', { yes, command: COMMAND, context }))) return 1;
    }
    changeFiles(plan.changes);
    return answer;
  },
});

function describe({ files, faults, copies }: PlannedUninstall, isDry: boolean): CommandAnswer {
  const lines = files.map(({ client, file, removed, restored, isDeleted }) => {
    const names = (label: string, list: readonly string[]): string[] =>
      list.length === 0 ? [] : [`${label} ${list.map(toCell).join(', ')}`];
    const changes = [...names('loses', removed), ...names('gets back', restored), ...(isDeleted ? ['is deleted'] : [])];
    return `${titleOf(client)}: ${file} ${changes.join('; ') || 'was deleted, so nothing is restored'}`;
  });
  const none = 'No client has an entry of Pegboard.';
  const done = `Changed ${counted(files.length, 'file')}. Restart the clients to see their servers.`;
  return {
    data: { ...(isDry ? {} : { written: files.map(({ file }) => file) }), files, faults, copies },
    view: files.length === 0 ? none : [...lines, ...(isDry ? [] : [done])],
    notes: ({ yellow }) => [
      ...files.flatMap(({ file, kept }) =>
        kept.map((name) => `${yellow('note')} ${file} has another server ${toCell(name)} now, which stays.`),
      ),
      ...faults.map(({ file, message }) => `${yellow('warning')} ${file} ${toCell(message)}, so it was not changed.`),
      ...(isDry ? [] : copies.map((copy) => `Copy of the file before the import, with its secrets: ${copy}`)),
    ],
    exitCode: faults.length > 0 ? 1 : 0,
  };
}
