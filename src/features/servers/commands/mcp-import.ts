import { homedir } from 'node:os';
import { cannotAsk, findBoardFile, hasRoots, rootsNote } from '../../../cli/shared/board/change-board.ts';
import { planChange } from '../../../load/change-file.ts';
import { promptStreams } from '../../../cli/shared/ask/ask-person.ts';
import { canAsk, type CliContext, refuse } from '../../../cli/shared/cli-context.ts';
import {
  type CommandAnswer,
  defineCommand,
  FILE_OPTION,
  flag,
  listOption,
  valueOption,
} from '../../../cli/shared/command.ts';
import { parseChoice } from '../../../cli/shared/parse-values.ts';
import { toCell } from '../../../cli/shared/print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { gateText } from '../../../cli/shared/print/gate-output.ts';
import { printAnswer } from '../../../cli/shared/print/print-answer.ts';
import { MCP_CLIENTS } from './clients/client-files.ts';
import { type ClientFinding, type ClientServer, findClientServers } from './clients/find-client-servers.ts';
import { keepSecrets } from './keep-secrets.ts';
import { withPolicy } from './mcp-add.ts';
import { describeServer, serversOf } from './server-entry.ts';

const CLIENTS = Object.keys(MCP_CLIENTS);
const COMMAND = 'mcp import';

export const mcpImport = defineCommand({
  name: COMMAND,
  description:
    'Imports the MCP servers that other clients on this machine have configured, for you and for this folder. Shows what it found and asks before writing. Secrets are not copied: the entries use variables, which you set.',
  arguments: [
    { name: 'CLIENTS', description: `Some of ${CLIENTS.join(', ')} (default: all)`, multiple: true, choices: CLIENTS },
  ],
  options: {
    ...FILE_OPTION,
    server: listOption('NAME', 'Only the server with this name'),
    secrets: valueOption('WHERE', 'env: set variables yourself; file: store them in the data folder (default: env)', {
      choices: ['env', 'file'],
    }),
    yes: flag('Write without asking', 'y'),
    'dry-run': flag('Show what would be imported, without writing'),
  },
  examples: [
    ['pegboard mcp import', 'choose among the servers of all clients'],
    ['pegboard mcp import cursor --yes', 'all servers of Cursor'],
    ['pegboard mcp import --dry-run', 'only show what was found'],
  ],
  async run({ values, positionals, json, context }) {
    const named = positionals.map((client) => parseChoice(client, CLIENTS, { option: 'A client', command: COMMAND }));
    const where = parseChoice(values.secrets ?? 'env', ['env', 'file'], { option: '--secrets', command: COMMAND });
    const file = findBoardFile(values.file, COMMAND, context);
    const machine = { platform: process.platform, home: homedir(), cwd: context.cwd, env: context.env };
    const found = await findClientServers(named.length === 0 ? CLIENTS : named, machine, serversOf(file));
    const isWanted = ({ name }: ClientServer): boolean => values.server.length === 0 || values.server.includes(name);
    const offered = found.servers.filter(isWanted);
    const isAsked = !values.yes && !values['dry-run'];
    const finding = {
      data: { servers: [], skipped: found.skipped, faults: found.faults },
      ...describeFinding({ ...found, servers: offered }),
      exitCode: 1,
    };
    if (offered.length === 0) return finding;
    if (!json) printAnswer(finding, false, context);
    if (isAsked && (json || !canAsk(context))) throw cannotAsk(COMMAND);
    const chosen = isAsked ? await choose(offered, file.shown, context) : offered;
    if (chosen.length === 0) return refuse(context, 'Nothing was written.');
    const unset = uniqueSecrets(chosen).filter(({ variable, value }) => context.env[variable] !== value);
    const kept = keepSecrets(file, where === 'file' ? unset : [], context);
    const servers = Object.fromEntries(chosen.map(({ name, entry }) => [name, kept.refer(entry)]));
    const change = planChange(withPolicy(file), [{ section: 'mcpServers', set: servers }], context);
    const isWritten = !values['dry-run'];
    if (isWritten) {
      kept.write();
      change.write();
    }
    const toSet = where === 'env' ? variablesToSet(chosen, context) : [];
    const made = file.text === undefined ? ', a new file' : '';
    const isBound = file.text !== undefined && hasRoots(file.text, file.shown);
    const isKnown = unset.some(({ variable }) => toSet.includes(variable));
    const hint = isKnown ? ' Their values are in the files above; --secrets file copies them.' : '';
    return {
      data: {
        ...(isWritten ? { written: file.shown } : {}),
        servers: chosen.map(({ name, clients, file: from, entry }) => ({
          name,
          clients,
          file: from,
          entry: kept.refer(entry),
        })),
        set: toSet,
        skipped: found.skipped,
        faults: found.faults,
      },
      view: isWritten
        ? `Wrote ${counted(chosen.length, 'server')} to ${file.shown}${made}. Next: pegboard list --wait`
        : [],
      notes: ({ yellow }) => [
        ...(isBound ? [`${yellow('note')} ${rootsNote('each of these servers', file.shown)}`] : []),
        ...(toSet.length > 0 ? [`Set before you use them: ${toSet.join(', ')}.${hint}`] : []),
      ],
    };
  },
});

function uniqueSecrets(servers: readonly ClientServer[]): ClientServer['secrets'] {
  return [...new Map(servers.flatMap(({ secrets }) => secrets).map((secret) => [secret.variable, secret])).values()];
}

/** Lists variables of entries that are not set. */
function variablesToSet(servers: readonly ClientServer[], { env }: CliContext): string[] {
  const named = servers.flatMap(({ entry }) => [...JSON.stringify(entry).matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g)]);
  return [...new Set(named.map(([, name = '']) => name))].filter((name) => (env[name] ?? '') === '').toSorted();
}

function describeFinding({ servers, skipped, faults, looked }: ClientFinding): Pick<CommandAnswer, 'view' | 'notes'> {
  const files = looked.map((path) => `  ${path}`).join('\n');
  const none =
    skipped.length > 0
      ? 'There is nothing else to import.'
      : `No client has MCP servers. These files were searched:\n${files}`;
  return {
    view: (style, width) => {
      const rows = servers.map(({ name, clients, entry }) => [
        style.cyan(toCell(name)),
        clients.map((client) => MCP_CLIENTS[client]?.title ?? client).join(', '),
        toCell(describeServer(entry)),
      ]);
      return width === Infinity ? rows.map((row) => row.join('\t')) : rows;
    },
    notes: ({ yellow }) => [
      ...[...new Set(servers.map((server) => server.file))].map((file) => `From ${file}`),
      ...skipped.map(({ name, file, reason }) =>
        `Skipped: ${toCell(name)} of ${file}: ${reason}.`.replace(/\.\.$/, '.'),
      ),
      ...faults.map(({ file, message }) => `${yellow('warning')} ${file} ${toCell(message)}`),
      ...(servers.length > 0 ? [] : [none]),
    ],
  };
}

/** Asks which servers to import; none if the person cancels. */
async function choose(
  servers: readonly ClientServer[],
  file: string,
  context: CliContext,
): Promise<readonly ClientServer[]> {
  const { isCancel, multiselect } = await import('@clack/prompts');
  const names = servers.map(({ name }) => name);
  const chosen = await multiselect({
    ...promptStreams(context),
    message: gateText(`Which servers should be added to ${file}?`),
    options: servers.map(({ name, secrets }) => ({
      value: name,
      label: gateText(toCell(name)),
      ...(secrets.length === 0
        ? {}
        : { hint: gateText(`needs ${secrets.map(({ variable }) => variable).join(', ')}`) }),
    })),
    initialValues: names,
    required: false,
  });
  return isCancel(chosen) ? [] : servers.filter(({ name }) => chosen.includes(name));
}
