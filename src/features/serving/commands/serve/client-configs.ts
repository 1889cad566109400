import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CLIENT_NAMES } from './client-names.ts';

/** The connection of a client to the board: a command or an address. */
export type ServerEntry =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** A placeholder for each variable that the board needs. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The variable with the token, if the client's file can name one. */
      readonly tokenVariable?: string;
    };

/** The location and format of a client's servers. */
export interface ClientConfig {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The key of the servers. */
  readonly section: string;
  /** The file that `--install` writes. */
  file(place: { readonly cwd: string; readonly home: string; readonly platform: NodeJS.Platform }): string;
  /** True when the file accepts only commands, no addresses. */
  readonly takesOnlyCommands?: true;
  /** Formats a reference to a variable of the client's environment; `undefined` if the file accepts only values. */
  readonly reference?: (name: string) => string;
  /** Converts the entry to the client's format. */
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
    // Codex passes on variables by name.
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

/** Returns the path of a client's config file on this machine. */
export function configFileOf(client: ClientConfig, cwd: string): string {
  return client.file({ cwd, home: homedir(), platform: process.platform });
}

/** Formats the text for the client's file. */
export function formatClientConfig(client: ClientConfig, name: string, server: ServerEntry): string {
  const entry = client.entry(server);
  if (client.format === 'json') return JSON.stringify({ [client.section]: { [name]: entry } }, undefined, 2);
  const lines = Object.entries(entry).flatMap(([key, value]) =>
    key === 'headers' ? [] : [`${key} = ${JSON.stringify(value)}`],
  );
  const { headers: table } = entry;
  // Entries have no headers other than the server's.
  const headers =
    table === undefined ? [] : [`http_headers = ${toTomlTable(table as Readonly<Record<string, string>>)}`];
  return [`[${client.section}.${tomlKey(name)}]`, ...lines, ...headers].join('\n');
}

/** Quotes a TOML key if necessary. */
export function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

function toTomlTable(values: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(values)
    .map(([key, value]) => `${tomlKey(key)} = ${JSON.stringify(value)}`)
    .join(', ')} }`;
}
