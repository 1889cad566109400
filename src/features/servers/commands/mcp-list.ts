import { serversIn } from '../server-sections.ts';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../../../load/diagnostics/diagnostic.ts';
import { loadConfig } from '../../../load/load-config.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { findConfig } from '../../../cli/shared/board/find-config.ts';
import { lookMode } from '../../../cli/shared/board/trust.ts';
import { openCachedServers, readServersOf } from '../../../cli/shared/board/list-servers.ts';
import { redactorOf } from '../../../cli/shared/board/use-board.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../../../cli/shared/command.ts';
import { toCell } from '../../../cli/shared/print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';
import { describeServer, serversOf } from './server-entry.ts';

/** A server as far as known without starting it. */
interface ListedServer {
  readonly name: string;
  readonly state: 'known' | 'unknown' | 'failed' | 'disabled' | 'off';
  /** The state in words. */
  readonly detail: string;
  readonly tools?: number;
  readonly title?: string;
  readonly server: string;
  readonly place: string;
}

export const mcpList = defineCommand({
  name: 'mcp list',
  description:
    'Lists the MCP servers of the board: the tools that each last offered, its command or address, and the place of its entry. Starts no server.',
  arguments: [FILES_ARGUMENT],
  options: FILE_OPTION,
  examples: [['pegboard mcp list', 'the servers of this board']],
  async run({ values, positionals, context }) {
    const { cwd, env } = context;
    const named = findConfig([...positionals, ...values.file], context);
    const { files, diagnostics } = await loadConfig(named, { cwd, env, mode: lookMode(named, context) });
    if (files.length === 0) throw new ConfigError(diagnostics);
    const redactor = redactorOf({ files });
    const listed = redactor.data(await listServers(files, context));
    const none = 'The board has no MCP servers. Add one with: pegboard mcp add, or: pegboard mcp import';
    return {
      data: listed,
      view: (style, width) => {
        const rows = listed.map(({ name, state, detail, server, place }) => [
          style.cyan(toCell(name)),
          paint(state, style)(toCell(detail)),
          style.dim(toCell(place)),
          toCell(server),
        ]);
        return width === Infinity ? rows.map((row) => row.join('\t')) : rows;
      },
      notes: listed.length === 0 ? none : [],
    };
  },
});

async function listServers(files: readonly LoadedFile[], { cwd, env }: CliContext): Promise<ListedServer[]> {
  const { servers: configs, diagnostics } = readServersOf(files, { cwd, env });
  const { servers } = await openCachedServers(configs, files, { cwd, env });
  const placeOf = (file: LoadedFile, path: readonly (string | number)[]): string => {
    const place = file.locate(path);
    return place === undefined ? file.file : `${file.file}:${place.line}`;
  };
  const working = new Map(servers.map((server) => [server.settings.name, server]));
  return files.flatMap((file) => {
    const written = serversOf({ shown: file.file, text: readFileSync(resolve(cwd, file.file), 'utf8') });
    return Object.entries(serversIn(file)).flatMap(([name, value]): ListedServer[] => {
      const path = ['mcpServers', name];
      const base = { name, server: describe(written[name] ?? value), place: placeOf(file, path) };
      const off = file.off.find((part) => part.type === 'server' && part.path[1] === name);
      if (off !== undefined) return [{ ...base, state: 'off', detail: `off: ${off.variables.join(', ')} not set` }];
      if (isPlainObject(value) && (value['disabled'] === true || value['enabled'] === false))
        return [{ ...base, state: 'disabled', detail: 'disabled' }];
      const fault = diagnostics.find(
        (one) => one.severity === 'error' && one.path[1] === name && one.file === file.file,
      );
      if (fault !== undefined) return [{ ...base, state: 'failed', detail: `invalid: ${fault.message}` }];
      // A server of the same name in a later file replaces this one.
      if (configs.find(({ settings }) => settings.name === name)?.file !== file.file) return [];
      const server = working.get(name);
      const { manifest } = server ?? {};
      const failure = server?.status.failure?.message.split('\n', 1)[0];
      if (failure !== undefined) return [{ ...base, state: 'failed', detail: `failed: ${failure}` }];
      if (manifest === undefined) return [{ ...base, state: 'unknown', detail: 'not asked yet' }];
      const tools = manifest.tools.length;
      return [{ ...base, state: 'known', detail: counted(tools, 'tool'), tools, title: manifest.title }];
    });
  });
}

/** Shows the command or address as the entry has it, with variables instead of secrets. */
function describe(value: unknown): string {
  const { command, args, url } = isPlainObject(value) ? value : {};
  if (typeof command !== 'string') return typeof url === 'string' ? url : '';
  return describeServer({ command, args: Array.isArray(args) ? args.map(String) : [] });
}

function paint(state: ListedServer['state'], style: TextStyle): (text: string) => string {
  if (state === 'failed') return style.red;
  if (state === 'off') return style.yellow;
  return state === 'known' ? style.green : style.dim;
}
