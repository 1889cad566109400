import { cannotAsk, confirmChange } from '../../../cli/shared/board/change-board.ts';
import { CLIENT_NAMES } from '../../../cli/shared/clients/client-names.ts';
import { thisMachine } from '../../../cli/shared/clients/clients.ts';
import { canAsk, refuse } from '../../../cli/shared/cli-context.ts';
import { defineCommand, FILE_OPTION, flag, listOption, valueOption } from '../../../cli/shared/command.ts';
import { parseChoice } from '../../../cli/shared/parse-values.ts';
import { printAnswer } from '../../../cli/shared/print/print-answer.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { chooseServers } from './clients/choose-servers.ts';
import { describeFinding, describePlan, describeWritten } from './clients/describe-import.ts';
import { findClientServers } from './clients/find-client-servers.ts';
import { findImportBoard } from './clients/find-import-board.ts';
import { planImport } from './clients/plan-import.ts';

const COMMAND = 'mcp import';

export const mcpImport = defineCommand({
  name: COMMAND,
  description:
    'Imports the MCP servers that other clients on this machine have configured, for you and for this folder. Shows what it found and asks before writing. Secrets are not copied to the config: the entries use variables, which you set, or private files. With --replace, each client gets one entry of the board in place of its servers, and "pegboard uninstall" restores them.',
  arguments: [
    {
      name: 'CLIENTS',
      description: `Some of ${CLIENT_NAMES.join(', ')} (default: all)`,
      multiple: true,
      choices: CLIENT_NAMES,
    },
  ],
  options: {
    ...FILE_OPTION,
    all: flag('All servers of all clients. Without a pegboard.yaml here or above, they go to ~/.config/pegboard'),
    replace: flag("Take the servers out of the clients' files, and add the board to each client"),
    server: listOption('NAME', 'Only the server with this name'),
    secrets: valueOption(
      'WHERE',
      'env: set variables yourself; file: store them in the data folder (default: env; with --replace: file)',
      { choices: ['env', 'file'] },
    ),
    yes: flag('Write without asking', 'y'),
    'dry-run': flag('Show what would be imported, without writing'),
  },
  examples: [
    ['pegboard mcp import', 'choose among the servers of all clients'],
    ['pegboard mcp import cursor --yes', 'all servers of Cursor'],
    ['pegboard mcp import --dry-run', 'only show what was found'],
    ['pegboard mcp import --all --replace', 'one board for all clients, in place of their servers'],
  ],
  async run({ values, positionals, json, context }) {
    const { all, replace, yes, 'dry-run': isDry } = values;
    if (all && positionals.length + values.server.length > 0)
      throw new UsageError('--all imports every server of every client. Omit CLIENTS and --server.', COMMAND);
    const named = positionals.map((client) =>
      parseChoice(client, CLIENT_NAMES, { option: 'A client', command: COMMAND }),
    );
    const wanted = values.secrets ?? (replace ? 'file' : 'env');
    const secrets = parseChoice(wanted, ['env', 'file'], { option: '--secrets', command: COMMAND });
    const board = findImportBoard(values.file, { command: COMMAND, isAll: all }, context);
    const machine = thisMachine(context);
    const found = await findClientServers(named.length === 0 ? CLIENT_NAMES : named, {
      machine,
      board,
      workspace: board.workspace,
      isReplacing: replace,
      isRenaming: all,
    });
    const isWanted = ({ name }: { readonly name: string }): boolean =>
      values.server.length === 0 || values.server.includes(name);
    const offered = found.servers.filter(isWanted);
    const known = replace ? found.known.filter(isWanted) : [];
    const finding = {
      data: { servers: [], skipped: found.skipped, faults: found.faults },
      ...describeFinding({ ...found, servers: offered }),
      exitCode: 1,
    };
    if (offered.length + known.length === 0) return finding;
    if (!json) printAnswer(finding, false, context);
    const isAsked = !yes && !isDry;
    if (isAsked && (json || !canAsk(context))) throw cannotAsk(COMMAND);
    const chosen = isAsked && !all ? await chooseServers(offered, board.file.shown, context) : offered;
    if (chosen.length + known.length === 0) return refuse(context, 'Nothing was written.');
    const plan = await planImport(found, {
      chosen,
      known,
      board,
      secrets,
      isReplacing: replace,
      isAll: all,
      machine,
      context,
    });
    if (all || replace) {
      if (!json) printAnswer(describePlan(plan), false, context);
      const question = replace ? 'Change these files?' : `Write to ${board.file.shown}?`;
      if (isAsked && !(await confirmChange(question, { yes, command: COMMAND, context }))) return 1;
    }
    if (!isDry) await plan.write();
    return describeWritten(plan, { found, isDry });
  },
});
