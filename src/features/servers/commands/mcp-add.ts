import { basename, dirname } from 'node:path';
import { dump } from 'js-yaml';
import { ToolError } from '../../../tool/tool-error.ts';
import {
  beforeWriting,
  findBoardFile,
  hasRoots,
  noteOwnChange,
  rootsNote,
} from '../../../cli/shared/board/change-board.ts';
import { type ChangedFile, planChange } from '../../../load/change-file.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import {
  type CommandAnswer,
  defineCommand,
  FILE_OPTION,
  flag,
  listOption,
  valueOption,
} from '../../../cli/shared/command.ts';
import { parseChoice } from '../../../cli/shared/parse-values.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { formatPackBoard } from '../../../cli/shared/board/starter-config.ts';
import { findServer } from './find-server.ts';
import { describeServer, serversOf, tidyServer } from './server-entry.ts';
import { type FoundServer, hideSecrets } from './hide-secrets.ts';
import { keepSecrets } from './keep-secrets.ts';

const SECRETS = ['file', 'env'] as const;

export const mcpAdd = defineCommand({
  name: 'mcp add',
  description:
    'Adds an MCP server to the board: an address, an npm package, a server.json of the MCP registry, a .mcpb bundle, or a command after a name and --. Starts nothing. Writes the entry to the config file and keeps its comments; secrets go to a file that only you can read.',
  arguments: [
    {
      name: 'SERVER',
      description: 'https://…, @scope/package, server.json, FILE.mcpb, or NAME and then the command',
      required: true,
    },
    { name: 'WORDS', description: 'The command and its arguments', multiple: true },
  ],
  options: {
    ...FILE_OPTION,
    name: valueOption('NAME', 'The name of the server (default: derived from SERVER)', { short: 'n' }),
    env: listOption('KEY=VALUE', 'An environment variable for the server', { short: 'e' }),
    set: listOption('KEY=VALUE', 'A value that a server.json or a bundle asks for (default: asks you)'),
    header: listOption('NAME: VALUE', 'A header for requests to an address'),
    transport: valueOption('KIND', 'http or sse, for an address (default: detected)', { choices: ['http', 'sse'] }),
    secrets: valueOption('WHERE', 'file: store them in the data folder; env: set variables yourself (default: file)', {
      choices: SECRETS,
    }),
    'dry-run': flag('Show the entry, without writing'),
  },
  examples: [
    ['pegboard mcp add @modelcontextprotocol/server-memory', 'an npm package, pinned to its latest version'],
    ['pegboard mcp add files -- npx -y @modelcontextprotocol/server-filesystem .', 'a command, with a name'],
    ['pegboard mcp add desk.mcpb --set folder=/srv/notes', 'a bundle, with one of its settings'],
    ['pegboard mcp add https://mcp.example.com/mcp --header "Authorization: Bearer $TOKEN"', 'an address'],
  ],
  async run({ values, positionals, context }) {
    const command = 'mcp add';
    const where = parseChoice(values.secrets ?? 'file', SECRETS, { option: '--secrets', command });
    const transport =
      values.transport === undefined
        ? undefined
        : parseChoice(values.transport, ['http', 'sse'], { option: '--transport', command });
    const file = findBoardFile(values.file, command, context);
    const pairs = {
      env: values.env.map((pair) => splitPair(pair, '=', { option: '--env', command })),
      header: values.header.map((pair) => splitPair(pair, ':', { option: '--header', command })),
      set: values.set.map((pair) => splitPair(pair, '=', { option: '--set', command })),
    };
    const given = new Map([...pairs.env, ...pairs.header, ...pairs.set]);
    const wanted = { name: values.name, transport, command, context, given, file };
    const found = await beforeWriting(context, () => findServer(positionals, wanted));
    const isRemote = found.entry.url !== undefined;
    if (isRemote ? values.env.length > 0 : values.header.length > 0 || transport !== undefined) {
      throw new UsageError(
        isRemote
          ? '--env is for servers that are commands. Use --header.'
          : '--header and --transport are for addresses. Use --env.',
        command,
      );
    }
    const entry = tidyServer({
      ...found.entry,
      // Inputs of a description are already in the entry, secrets as variables.
      env: { ...Object.fromEntries(pairs.env), ...found.entry.env },
      headers: { ...Object.fromEntries(pairs.header), ...found.entry.headers },
    });
    return writeServer({ ...found, entry }, { file, where, isDry: values['dry-run'], context });
  },
});

/** Writes the entry of a server, without its secrets. */
async function writeServer(
  { name, entry, notes, secrets = [], install }: FoundServer,
  {
    file,
    where,
    isDry,
    context,
  }: {
    readonly file: ChangedFile;
    readonly where: (typeof SECRETS)[number];
    readonly isDry: boolean;
    readonly context: CliContext;
  },
): Promise<CommandAnswer> {
  if (serversOf(file)[name] !== undefined) {
    throw new ToolError({
      code: 'already_exists',
      message: `${file.shown} already has a server "${name}". Choose another name with --name, or remove that one: pegboard mcp remove ${name}`,
    });
  }
  const hidden = hideSecrets(name, entry, new Map());
  const unset = [...secrets, ...hidden.secrets].filter(({ variable, value }) => context.env[variable] !== value);
  const kept = keepSecrets(file, where === 'file' ? unset : [], context);
  const written = kept.refer(hidden.entry);
  const plan = planChange(withPolicy(file), [{ section: 'mcpServers', set: { [name]: written } }], context);
  const isRefused = file.text !== undefined && hasRoots(file.text, file.shown);
  const all = isRefused ? [...notes, rootsNote(`the MCP server ${name}`, file.shown)] : notes;
  const toSet = where === 'env' ? unset.map(({ variable }) => variable) : [];
  if (!isDry) {
    install?.();
    kept.write();
    await noteOwnChange(file, plan.text, context);
    plan.write();
  }
  const made = file.text === undefined ? ', a new file' : '';
  const names = where === 'file' ? unset.map(({ variable }) => variable).join(', ') : '';
  return {
    data: { ...(isDry ? {} : { written: file.shown }), name, entry: written, set: toSet, notes: all },
    view: isDry
      ? { text: dump({ mcpServers: { [name]: written } }, { noRefs: true, lineWidth: 120, flowLevel: 3 }) }
      : `Added ${name} to ${file.shown}${made}: ${describeServer(written)}`,
    notes: ({ yellow }) => [
      ...(isDry || names === '' ? [] : [`Stored where only you can read it: ${names}`]),
      ...(isDry ? [] : ['See its tools with: pegboard list --wait']),
      ...(toSet.length > 0 ? [`Set before you use it: ${toSet.join(', ')}`] : []),
      ...all.map((note) => `${yellow('note')} ${note}`),
    ],
  };
}

/** Adds the policy of `init` to a new file. */
export function withPolicy(file: ChangedFile): ChangedFile {
  const name = basename(dirname(file.path)) || 'board';
  return { ...file, fresh: formatPackBoard(name, { sections: ['mcpServers'], hasRoots: false }) };
}

function splitPair(
  pair: string,
  mark: '=' | ':',
  { option, command }: { readonly option: string; readonly command: string },
): readonly [string, string] {
  const at = pair.indexOf(mark);
  const name = pair.slice(0, at).trim();
  if (at > 0 && name !== '') return [name, mark === ':' ? pair.slice(at + 1).trim() : pair.slice(at + 1)];
  const shape = mark === '=' ? 'KEY=VALUE' : '"NAME: VALUE"';
  throw new UsageError(`${option} must be ${shape}; got "${pair.slice(0, at === -1 ? 20 : at)}".`, command);
}
