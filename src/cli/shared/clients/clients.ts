import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type ClientEntry,
  toCodexEntry,
  toPlainEntry,
  toTypedEntry,
  withUrlUnder,
  type WrittenEntry,
} from './client-entry.ts';
import { CLIENT_NAMES, type ClientName } from './client-names.ts';

/** The machine with the clients. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The project folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The syntax of variables in a client's file: none, as in shells, or as in editors (`${env:NAME}`). */
type VariableSyntax = 'none' | 'shell' | 'editor';

/** A client's file with MCP servers. */
export interface ClientFile {
  readonly path: string;
  readonly format: 'json' | 'toml';
  /** True for a file of the project folder, false for one of the user. */
  readonly isProject: boolean;
  /** The paths of keys under which servers may be. A new server goes under the first. */
  readonly sections: readonly (readonly string[])[];
}

/** A client that starts or reaches MCP servers. */
export interface McpClient {
  readonly title: string;
  readonly syntax: VariableSyntax;
  /** The protocol of an address under `url`. Default: HTTP */
  readonly url?: 'sse';
  /** Lists its files on a machine: the user's, the first of which gets new servers, then the project's. */
  files(machine: Machine): readonly ClientFile[];
  /** True when `serve --install` writes to the file of the project. */
  readonly installsInProject?: true;
  /** True when the file accepts only commands, no addresses. */
  readonly takesOnlyCommands?: true;
  /** Formats a reference to a variable of the client's environment; `undefined` if the file accepts only values. */
  readonly reference?: (name: string) => string;
  /** Converts an entry to the client's format. */
  entry(entry: ClientEntry): WrittenEntry;
}

const MCP_SERVERS: ClientFile['sections'] = [['mcpServers']];

const user = (path: string, sections = MCP_SERVERS): ClientFile => ({
  path,
  format: 'json',
  isProject: false,
  sections,
});
const project = (path: string, sections = MCP_SERVERS): ClientFile => ({ ...user(path, sections), isProject: true });

const dollar = (name: string): string => `\${${name}}`;
const dollarEnv = (name: string): string => `\${env:${name}}`;

/** The clients by the names that commands accept. */
export const MCP_CLIENTS: Readonly<Record<ClientName, McpClient>> = {
  claude: {
    title: 'Claude Desktop',
    syntax: 'none',
    files: (machine) => [user(join(configFolder(machine), 'Claude/claude_desktop_config.json'))],
    takesOnlyCommands: true,
    entry: toPlainEntry,
  },
  'claude-code': {
    title: 'Claude Code',
    syntax: 'shell',
    files: ({ home, cwd }) => [
      user(join(home, '.claude.json'), [['mcpServers'], ['projects', cwd, 'mcpServers']]),
      project(join(cwd, '.mcp.json')),
    ],
    installsInProject: true,
    reference: dollar,
    entry: toTypedEntry,
  },
  cursor: {
    title: 'Cursor',
    syntax: 'editor',
    files: ({ home, cwd }) => [user(join(home, '.cursor/mcp.json')), project(join(cwd, '.cursor/mcp.json'))],
    reference: dollarEnv,
    entry: toPlainEntry,
  },
  vscode: {
    title: 'VS Code',
    syntax: 'editor',
    files: (machine) => {
      const folder = join(configFolder(machine), 'Code/User');
      return [
        user(join(folder, 'mcp.json'), [['servers']]),
        // The location before mcp.json existed.
        user(join(folder, 'settings.json'), [['mcp', 'servers']]),
        project(join(machine.cwd, '.vscode/mcp.json'), [['servers']]),
        project(join(machine.cwd, '.vscode/settings.json'), [['mcp', 'servers']]),
      ];
    },
    installsInProject: true,
    reference: dollarEnv,
    entry: toTypedEntry,
  },
  codex: {
    title: 'Codex',
    syntax: 'none',
    files: ({ home, cwd, env }) => {
      const toml = { format: 'toml', sections: [['mcp_servers']] } as const;
      return [
        { ...user(join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml')), ...toml },
        { ...project(join(cwd, '.codex/config.toml')), ...toml },
      ];
    },
    reference: dollar,
    entry: toCodexEntry,
  },
  gemini: {
    title: 'Gemini CLI',
    syntax: 'shell',
    // HTTP addresses are under httpUrl.
    url: 'sse',
    files: ({ home, cwd }) => [user(join(home, '.gemini/settings.json')), project(join(cwd, '.gemini/settings.json'))],
    reference: dollar,
    entry: withUrlUnder('httpUrl'),
  },
  windsurf: {
    title: 'Windsurf',
    syntax: 'editor',
    files: ({ home }) => [user(join(home, '.codeium/windsurf/mcp_config.json'))],
    reference: dollarEnv,
    entry: withUrlUnder('serverUrl'),
  },
  zed: {
    title: 'Zed',
    syntax: 'none',
    files: (machine) => {
      const { platform, home, cwd } = machine;
      const folder =
        platform === 'darwin'
          ? join(home, '.config/zed')
          : join(configFolder(machine), platform === 'win32' ? 'Zed' : 'zed');
      const sections = [['context_servers']];
      return [user(join(folder, 'settings.json'), sections), project(join(cwd, '.zed/settings.json'), sections)];
    },
    entry: toPlainEntry,
  },
};

/** Describes the machine that this process runs on. */
export function thisMachine({ cwd, env }: Pick<Machine, 'cwd' | 'env'>): Machine {
  return { platform: process.platform, home: homedir(), cwd, env };
}

/** Returns the file that `serve --install` writes. */
export function installFile(client: McpClient, machine: Machine): ClientFile {
  const all = client.files(machine);
  const [first] = all;
  const found = all.find(({ isProject }) => isProject === (client.installsInProject === true)) ?? first;
  if (found === undefined) throw new Error('A client has at least one file.');
  return found;
}

export function isClientName(name: string): name is ClientName {
  return CLIENT_NAMES.some((known) => known === name);
}

/** Returns the folder for settings of applications. */
function configFolder({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData/Roaming');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}
