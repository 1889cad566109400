import { homedir } from 'node:os';
import { cannotAsk, findBoardFile, hasRoots, rootsNote } from '../../board/change-board.ts';
import { planChange } from '../../../load/change-file.ts';
import { promptStreams } from '../../ask/ask-person.ts';
import { canAsk, type CliContext, printJson, printLine } from '../../cli-context.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { parseChoice } from '../../command-line/parse-values.ts';
import { alignColumns, toCell } from '../../print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { gateText } from '../../print/gate-output.ts';
import { createStyle } from '../../print/style.ts';
import { MCP_CLIENTS } from './clients/client-files.ts';
import { type ClientFinding, type ClientServer, findClientServers } from './clients/find-client-servers.ts';
import { keepSecrets } from './keep-secrets.ts';
import { serversOf, withPolicy } from './mcp-add.ts';
import { describeServer } from './server-entry.ts';

const CLIENTS = Object.keys(MCP_CLIENTS);
const COMMAND = 'mcp import';

/** `pegboard mcp import`: the servers that clients have on this machine. */
export const mcpImport = defineCommand({
  name: COMMAND,
  description:
    'Takes over the MCP servers that other clients have configured on this machine, for you and for this folder. Shows what it found and asks before it writes. Secrets are not copied: variables stand for them, which you set.',
  arguments: [
    { name: 'CLIENTS', description: `Some of ${CLIENTS.join(', ')} (default: all)`, multiple: true, choices: CLIENTS },
  ],
  options: {
    ...FILE_OPTION,
    server: { type: 'string', value: 'NAME', multiple: true, description: 'Only the server with this name' },
    secrets: {
      type: 'string',
      value: 'WHERE',
      choices: ['env', 'file'],
      description: 'env: you set the variables; file: kept in the data folder (default: env)',
    },
    yes: { type: 'boolean', short: 'y', description: 'Write without asking' },
    'dry-run': { type: 'boolean', description: 'Show what would be taken over and write nothing' },
  },
  examples: [
    ['pegboard mcp import', 'asks which of all servers to take over'],
    ['pegboard mcp import cursor --yes', 'all that Cursor has'],
    ['pegboard mcp import --dry-run', 'only looks'],
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
    if (!json) printFinding({ ...found, servers: offered }, context);
    if (offered.length === 0) {
      if (json) printJson(context, { servers: [], skipped: found.skipped, faults: found.faults });
      return 1;
    }
    if (isAsked && (json || !canAsk(context))) throw cannotAsk(COMMAND);
    const chosen = isAsked ? await choose(offered, file.shown, context) : offered;
    if (chosen.length === 0) {
      printLine(context.stderr, 'Nothing was written.');
      return 1;
    }
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
    if (json) {
      printJson(context, {
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
      });
      return 0;
    }
    if (isWritten) {
      const made = file.text === undefined ? ', a new file' : '';
      printLine(
        context.stdout,
        `Wrote ${counted(chosen.length, 'server')} to ${file.shown}${made}. Next: pegboard list --wait`,
      );
    }
    if (file.text !== undefined && hasRoots(file.text, file.shown)) {
      const style = createStyle(context.stderr, context.env);
      printLine(context.stderr, `${style.yellow('note')} ${rootsNote('each of these servers', file.shown)}`);
    }
    if (toSet.length > 0) {
      const isKnown = unset.some(({ variable }) => toSet.includes(variable));
      const hint = isKnown ? ' What was a value stands in the files above; --secrets file copies it.' : '';
      printLine(context.stderr, `Set before you use them: ${toSet.join(', ')}.${hint}`);
    }
    return 0;
  },
});

function uniqueSecrets(servers: readonly ClientServer[]): ClientServer['secrets'] {
  return [...new Map(servers.flatMap(({ secrets }) => secrets).map((secret) => [secret.variable, secret])).values()];
}

/** The variables that entries name and the environment does not have. */
function variablesToSet(servers: readonly ClientServer[], { env }: CliContext): string[] {
  const named = servers.flatMap(({ entry }) => [...JSON.stringify(entry).matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g)]);
  return [...new Set(named.map(([, name = '']) => name))].filter((name) => (env[name] ?? '') === '').toSorted();
}

function printFinding({ servers, skipped, faults, looked }: ClientFinding, context: CliContext): void {
  const { stdout, stderr, env } = context;
  const style = createStyle(stdout, env);
  const rows = servers.map(({ name, clients, entry }) => [
    style.cyan(toCell(name)),
    clients.map((client) => MCP_CLIENTS[client]?.title ?? client).join(', '),
    toCell(describeServer(entry)),
  ]);
  const lines = stdout.isTTY === true ? alignColumns(rows, stdout.columns || 80) : rows.map((row) => row.join('\t'));
  for (const line of lines) printLine(stdout, line);
  for (const file of new Set(servers.map((server) => server.file))) printLine(stderr, `From ${file}`);
  for (const { name, file, reason } of skipped)
    printLine(stderr, `Left out: ${toCell(name)} of ${file}: ${reason}.`.replace(/\.\.$/, '.'));
  for (const { file, message } of faults)
    printLine(stderr, `${createStyle(stderr, env).yellow('warning')} ${file} ${toCell(message)}`);
  if (servers.length > 0) return;
  if (skipped.length > 0) printLine(stderr, 'There is nothing else to take over.');
  else
    printLine(
      stderr,
      `No client has MCP servers here. These files were looked for:\n${looked.map((path) => `  ${path}`).join('\n')}`,
    );
}

/** Asks which servers to take over; none when the person gives up. */
async function choose(
  servers: readonly ClientServer[],
  file: string,
  context: CliContext,
): Promise<readonly ClientServer[]> {
  const { isCancel, multiselect } = await import('@clack/prompts');
  const names = servers.map(({ name }) => name);
  const chosen = await multiselect({
    ...promptStreams(context),
    message: gateText(`Write which of them to ${file}?`),
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
