import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CLIENT_NAMES } from './client-names.ts';

/** How a client reaches the board: by starting it, or by its address. */
export type ServerEntry =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** What stands for the value of each variable that the board needs. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The variable that holds the token, where the client's file can name one. */
      readonly tokenVariable?: string;
    };

/** Where a client keeps its servers, and in which shape. */
export interface ClientConfig {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The keys that lead to the servers. */
  readonly section: string;
  /** The file that `--install` writes. */
  file(place: { readonly cwd: string; readonly home: string; readonly platform: NodeJS.Platform }): string;
  /** Whether its file takes nothing but commands: such a client connects to no address that stands there. */
  readonly takesOnlyCommands?: true;
  /** How its file names a variable of the client's own environment; `undefined` where only values can be written. */
  readonly reference?: (name: string) => string;
  /** The entry in the client's own words. */
  entry(server: ServerEntry): Readonly<Record<string, unknown>>;
}

const plain = (server: ServerEntry): Readonly<Record<string, unknown>> => {
  if (!('url' in server)) return { ...server };
  return { url: server.url, ...(server.headers === undefined ? {} : { headers: server.headers }) };
};
const typed = (server: ServerEntry): Readonly<Record<string, unknown>> => ({
  type: 'url' in server ? 'http' : 'stdio',
  ...plain(server),
});

const dollar = (name: string): string => `\${${name}}`;
const dollarEnv = (name: string): string => `\${env:${name}}`;

/** The clients whose config can be printed and written. */
export const CLIENT_CONFIGS: Readonly<Record<string, ClientConfig>> = {
  claude: {
    title: 'Claude Desktop',
    format: 'json',
    section: 'mcpServers',
    file: ({ home, platform }) => {
      if (platform === 'darwin') return join(home, 'Library/Application Support/Claude/claude_desktop_config.json');
      if (platform === 'win32') return join(home, 'AppData/Roaming/Claude/claude_desktop_config.json');
      return join(home, '.config/Claude/claude_desktop_config.json');
    },
    takesOnlyCommands: true,
    entry: plain,
  },
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    section: 'mcpServers',
    file: ({ cwd }) => join(cwd, '.mcp.json'),
    reference: dollar,
    entry: typed,
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    section: 'mcpServers',
    file: ({ home }) => join(home, '.cursor/mcp.json'),
    reference: dollarEnv,
    entry: plain,
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    file: ({ cwd }) => join(cwd, '.vscode/mcp.json'),
    reference: dollarEnv,
    entry: typed,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    file: ({ home }) => join(home, '.codex/config.toml'),
    reference: dollar,
    // It hands on variables by their names.
    entry: (server) => {
      if ('url' in server) {
        const { url, headers, tokenVariable } = server;
        if (tokenVariable !== undefined) return { url, bearer_token_env_var: tokenVariable };
        return { url, ...(headers === undefined ? {} : { headers }) };
      }
      if (server.env === undefined) return { ...server };
      const { env, ...rest } = server;
      return { ...rest, env_vars: Object.keys(env) };
    },
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    section: 'mcpServers',
    file: ({ home }) => join(home, '.gemini/settings.json'),
    reference: dollar,
    entry: (server) =>
      'url' in server
        ? { httpUrl: server.url, ...(server.headers === undefined ? {} : { headers: server.headers }) }
        : { ...server },
  },
  windsurf: {
    title: 'Windsurf',
    format: 'json',
    section: 'mcpServers',
    file: ({ home }) => join(home, '.codeium/windsurf/mcp_config.json'),
    reference: dollarEnv,
    entry: (server) =>
      'url' in server
        ? { serverUrl: server.url, ...(server.headers === undefined ? {} : { headers: server.headers }) }
        : { ...server },
  },
} satisfies Record<(typeof CLIENT_NAMES)[number], ClientConfig>;

/** Where a client's config file is on this machine. */
export function configFileOf(client: ClientConfig, cwd: string): string {
  return client.file({ cwd, home: homedir(), platform: process.platform });
}

/** What to put into the client's file, as text. */
export function formatClientConfig(client: ClientConfig, name: string, server: ServerEntry): string {
  const entry = client.entry(server);
  if (client.format === 'json') return JSON.stringify({ [client.section]: { [name]: entry } }, undefined, 2);
  const lines = Object.entries(entry).flatMap(([key, value]) =>
    key === 'headers' ? [] : [`${key} = ${JSON.stringify(value)}`],
  );
  const { headers: table } = entry;
  // Entries have no other headers than those of the server.
  const headers =
    table === undefined ? [] : [`http_headers = ${toTomlTable(table as Readonly<Record<string, string>>)}`];
  return [`[${client.section}.${tomlKey(name)}]`, ...lines, ...headers].join('\n');
}

/** A TOML key, quoted where it has to be. */
export function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

function toTomlTable(values: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(values)
    .map(([key, value]) => `${tomlKey(key)} = ${JSON.stringify(value)}`)
    .join(', ')} }`;
}
