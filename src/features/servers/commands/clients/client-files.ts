import { join } from 'node:path';

/** The machine whose clients are searched. */
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
  /** The paths of keys under which servers may be. */
  readonly sections: readonly (readonly string[])[];
}

/** A client whose servers can be imported. */
export interface McpClient {
  readonly title: string;
  readonly syntax: VariableSyntax;
  /** The protocol of an address under `url`. Default: HTTP */
  readonly url?: 'sse';
  /** Lists its files on a machine: the user's, then the project's. */
  files(machine: Machine): readonly ClientFile[];
}

const MCP_SERVERS: ClientFile['sections'] = [['mcpServers']];
const json = (path: string, sections = MCP_SERVERS): ClientFile => ({ path, format: 'json', sections });

/** The clients by the names that `mcp import` accepts. */
export const MCP_CLIENTS: Readonly<Record<string, McpClient>> = {
  claude: {
    title: 'Claude Desktop',
    syntax: 'none',
    files: (machine) => [json(join(configFolder(machine), 'Claude/claude_desktop_config.json'))],
  },
  'claude-code': {
    title: 'Claude Code',
    syntax: 'shell',
    files: ({ home, cwd }) => [
      json(join(home, '.claude.json'), [['mcpServers'], ['projects', cwd, 'mcpServers']]),
      json(join(cwd, '.mcp.json')),
    ],
  },
  cursor: {
    title: 'Cursor',
    syntax: 'editor',
    files: ({ home, cwd }) => [json(join(home, '.cursor/mcp.json')), json(join(cwd, '.cursor/mcp.json'))],
  },
  vscode: {
    title: 'VS Code',
    syntax: 'editor',
    files: (machine) => {
      const user = join(configFolder(machine), 'Code/User');
      return [
        json(join(user, 'mcp.json'), [['servers']]),
        // The location before mcp.json existed.
        json(join(user, 'settings.json'), [['mcp', 'servers']]),
        json(join(machine.cwd, '.vscode/mcp.json'), [['servers']]),
        json(join(machine.cwd, '.vscode/settings.json'), [['mcp', 'servers']]),
      ];
    },
  },
  codex: {
    title: 'Codex',
    syntax: 'none',
    files: ({ home, cwd, env }) =>
      [join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'), join(cwd, '.codex/config.toml')].map((path) => ({
        path,
        format: 'toml',
        sections: [['mcp_servers']],
      })),
  },
  gemini: {
    title: 'Gemini CLI',
    syntax: 'shell',
    // HTTP addresses are under httpUrl.
    url: 'sse',
    files: ({ home, cwd }) => [json(join(home, '.gemini/settings.json')), json(join(cwd, '.gemini/settings.json'))],
  },
  windsurf: {
    title: 'Windsurf',
    syntax: 'editor',
    files: ({ home }) => [json(join(home, '.codeium/windsurf/mcp_config.json'))],
  },
  zed: {
    title: 'Zed',
    syntax: 'none',
    files: (machine) => {
      const { platform, home, cwd } = machine;
      const user =
        platform === 'darwin'
          ? join(home, '.config/zed')
          : join(configFolder(machine), platform === 'win32' ? 'Zed' : 'zed');
      return [join(user, 'settings.json'), join(cwd, '.zed/settings.json')].map((path) =>
        json(path, [['context_servers']]),
      );
    },
  },
};

/** Returns the folder for settings of applications. */
function configFolder({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData/Roaming');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}
