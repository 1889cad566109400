// `pegboard mcp import --all --replace` and `pegboard uninstall` as people run them, with files of every client.
import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CLI, fixtureFile } from './cli-program.test-helper.ts';
import { needs } from './needs.test-helper.ts';
import { atTerminal } from './terminal.test-helper.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-replace-')));
const home = join(base, 'home');
const folder = join(home, 'project');
const board = join(home, '.config/pegboard/pegboard.yaml');
const record = join(home, 'state/pegboard/clients.json');
const secrets = join(home, 'state/pegboard');
afterAll(() => rmSync(base, { recursive: true }));
beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
});

const variables = {
  HOME: home,
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: join(home, 'state'),
  CODEX_HOME: '',
  APPDATA: '',
  LINEAR: '',
};

async function pegboard(args: readonly string[], cwd = folder) {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

const importAll = (...more: readonly string[]) => pegboard(['mcp', 'import', '--all', '--replace', '--yes', ...more]);

function put(path: string, content: string, mode = 0o644): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
  return file;
}

const read = (path: string): string => readFileSync(join(home, path), 'utf8');
const json = (path: string) => JSON.parse(read(path));

/** The entry of the board. */
const entry = { command: process.execPath, args: [realpathSync(CLI), 'serve', '--file', board] };

/** A file of each client in its format, with comments where the format has them. */
const FILES: Readonly<Record<string, string>> = {
  '.config/Claude/claude_desktop_config.json':
    '{\n  "mcpServers": {\n    "memory": {\n      "command": "npx",\n      "args": ["-y", "server-memory"]\n    },\n    "github": { "command": "docker", "args": ["run"], "env": { "GITHUB_TOKEN": "ghp_hush1234567890" } }\n  },\n  "globalShortcut": "x"\n}\n',
  '.claude.json':
    '{"numStartups":3,"mcpServers":{"sentry":{"type":"http","url":"https://sentry.example.com/mcp"}},"projects":{"FOLDER":{"mcpServers":{"memory":{"command":"other"}},"history":[-1]},"/else":{"mcpServers":{"no":{}}}}}',
  '.cursor/mcp.json':
    '{\n\t"mcpServers": {\n\t\t"memory": { "command": "npx", "args": ["-y", "server-memory"] },\n\t\t"linear": { "url": "https://linear.example.com/mcp", "headers": { "Authorization": "Bearer ${env:LINEAR}" } }\n\t}\n}',
  '.config/Code/User/settings.json': '{\n  // Mine.\n  "editor.fontSize": 12,\n}\n',
  'project/.vscode/mcp.json':
    '{\r\n  // A comment of a person.\r\n  "servers": {\r\n    // Searches.\r\n    "search": { "command": "srch", "args": ["${workspaceFolder}"], }, // fast\r\n  },\r\n  "inputs": [],\r\n}\r\n',
  '.codex/config.toml':
    '# Codex\nmodel = "o3"\n\n# The documents.\n[mcp_servers.docs]\ncommand = "docs" # local\n[mcp_servers.docs.env]\nAPI_KEY = "hush-hush-hush"\n\n[mcp_servers.figma]\nurl = "https://figma.example.com/mcp"\n\n[tui]\ntheme = "dark"\n',
  '.gemini/settings.json': '{ "theme": "Default", "mcpServers": { "old": { "url": "https://old.example.com/x" } } }\n',
  '.codeium/windsurf/mcp_config.json': '{\n  "mcpServers": {}\n}\n',
  '.config/zed/settings.json':
    '// Zed settings\n{\n  "context_servers": {\n    "ext": {},\n    "z": { "command": "zz", "args": [] }, // last\n  },\n}\n',
};

function putClients(): void {
  for (const [path, content] of Object.entries(FILES)) put(path, content.replace('FOLDER', folder), 0o640);
}

const original = (path: string): string => (FILES[path] ?? '').replace('FOLDER', folder);

describe('mcp import --all --replace', () => {
  it('takes the servers of every client onto one board, and puts the board into each client', async () => {
    putClients();
    const { code, stdout, stderr } = await importAll();
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`Wrote 10 servers to ${board}, a new file. Changed 9 files`),
    ]);
    expect(stdout).toContain(
      `${board} gets 10 servers (your board for all folders, as there is no pegboard.yaml here or above)\n`,
    );
    expect(stdout).toContain(
      `${join(home, '.cursor/mcp.json')} loses memory, linear; gets pegboard; copy: ${join(home, '.cursor/mcp.json.pegboard-backup')}\n`,
    );
    expect(stdout).toContain(
      `${join(folder, '.vscode/mcp.json')} loses search; copy: ${join(folder, '.vscode/mcp.json.pegboard-backup')}; others may share this file\n`,
    );
    expect(stderr).toContain('Set before you use them: LINEAR.\n');
    const written = readFileSync(board, 'utf8');
    expect(stdout + stderr + written).not.toContain('hush');
    for (const part of [
      '  memory:\n    command: npx\n    args: [-y, server-memory]\n',
      '  memory-claude-code:\n    command: other\n',
      "    headers: {Authorization: 'Bearer ${LINEAR}'}\n",
      `  search:\n    command: srch\n    args: [${folder}]\n`,
      '\nworking_dir: ${PEGBOARD_CWD}\n',
    ])
      expect(written).toContain(part);
    const env = { env: { LINEAR: '${env:LINEAR}' } };
    expect(json('.config/Claude/claude_desktop_config.json')).toEqual({
      mcpServers: { pegboard: entry },
      globalShortcut: 'x',
    });
    expect(json('.claude.json')).toMatchObject({
      mcpServers: { pegboard: { type: 'stdio', ...entry, env: { LINEAR: '${LINEAR}' } } },
      projects: { [folder]: { mcpServers: {}, history: [-1] }, '/else': { mcpServers: { no: {} } } },
    });
    expect(json('.cursor/mcp.json')).toEqual({ mcpServers: { pegboard: { ...entry, ...env } } });
    expect(json('.config/Code/User/mcp.json')).toEqual({ servers: { pegboard: { type: 'stdio', ...entry, ...env } } });
    expect(read('.config/Code/User/settings.json')).toBe(original('.config/Code/User/settings.json'));
    expect(read('project/.vscode/mcp.json')).toBe(
      '{\r\n  // A comment of a person.\r\n  "servers": {\r\n    // Searches.\r\n // fast\r\n  },\r\n  "inputs": [],\r\n}\r\n',
    );
    expect(read('.codex/config.toml')).toBe(
      `# Codex\nmodel = "o3"\n\n# The documents.\n[mcp_servers.pegboard]\ncommand = ${JSON.stringify(entry.command)}\nargs = ${JSON.stringify(entry.args)}\nenv_vars = ["LINEAR"]\n\n[tui]\ntheme = "dark"\n`,
    );
    expect(json('.gemini/settings.json').mcpServers).toEqual({ pegboard: { ...entry, env: { LINEAR: '${LINEAR}' } } });
    expect(json('.codeium/windsurf/mcp_config.json').mcpServers).toEqual({ pegboard: { ...entry, ...env } });
    expect(read('.config/zed/settings.json')).toMatch(
      /^\/\/ Zed settings\n\{[^]*"ext": \{\},\n {4}"pegboard": \{[^]*\}, \/\/ last\n/,
    );
    for (const path of Object.keys(FILES).filter((one) => existsSync(join(home, `${one}.pegboard-backup`)))) {
      expect(read(`${path}.pegboard-backup`)).toBe(original(path));
      expect([path, `${path}.pegboard-backup`].map((one) => statSync(join(home, one)).mode & 0o777)).toEqual([
        0o640, 0o640,
      ]);
    }
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect((await pegboard(['mcp', 'list', '--file', board])).stdout).toContain('github\tnot asked yet');
  });

  it('starts the board in a client, with the secrets that the client had', async () => {
    const server = {
      command: process.execPath,
      args: [fixtureFile('whole-server')],
      env: { API_KEY: 'hush-hush-hush' },
    };
    put('.cursor/mcp.json', JSON.stringify({ mcpServers: { whole: server } }));
    expect((await importAll()).code).toBe(0);
    const { command, args } = json('.cursor/mcp.json').mcpServers.pegboard;
    const child = spawn(command, args, {
      cwd: '/',
      env: { ...process.env, ...variables },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const send = (message: object): unknown => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    send({ id: 1, method: 'initialize', params });
    let answer = '';
    for await (const chunk of child.stdout) {
      answer += String(chunk);
      if (answer.includes('\n')) break;
    }
    child.kill();
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'pegboard' } } });
    expect(readFileSync(board, 'utf8')).not.toContain('hush');
  });

  it('uses the nearest board, keeps its comments, and has identical servers once', async () => {
    const file = put(
      'project/pegboard.yaml',
      '# mine\nname: desk\nmcpServers:\n  memory: { command: mine } # 1\n  old:\n    command: x\n',
    );
    put('.cursor/mcp.json', JSON.stringify({ mcpServers: { memory: { command: 'm' }, same: { command: 'x' } } }));
    put('.gemini/settings.json', JSON.stringify({ mcpServers: { memory: { command: 'm' } } }));
    const { code, stdout } = await importAll();
    expect([code, stdout]).toEqual([0, expect.stringContaining('Wrote 1 server to pegboard.yaml. Changed 2 files')]);
    expect(readFileSync(file, 'utf8')).toBe(
      '# mine\nname: desk\nmcpServers:\n  memory: { command: mine } # 1\n  old:\n    command: x\n  memory-cursor:\n    command: m\n',
    );
    expect(Object.keys(json('.cursor/mcp.json').mcpServers)).toEqual(['desk']);
    expect(json('.gemini/settings.json').mcpServers.desk.args).toEqual([realpathSync(CLI), 'serve', '--file', file]);
  });

  it('keeps two servers apart that differ only in a secret', async () => {
    const github = (token: string) =>
      JSON.stringify({ mcpServers: { github: { command: 'g', env: { TOKEN: token } } } });
    put('.cursor/mcp.json', github('hush-hush-one'));
    put('.gemini/settings.json', github('hush-hush-two'));
    await importAll();
    put('.codeium/windsurf/mcp_config.json', github('hush-hush-two'));
    put('project/.mcp.json', github('hush-hush-three'));
    const { stdout } = await importAll();
    expect(stdout).toContain('Wrote 1 server to');
    const names = [...readFileSync(board, 'utf8').matchAll(/^ {2}(github\S*):/gm)].map(([, name]) => name);
    expect(names).toEqual(['github', 'github-gemini', 'github-claude-code']);
    const kept = readdirSync(
      join(secrets, readdirSync(secrets).find((name) => name.includes('config')) ?? '', 'secrets'),
    );
    expect(kept).toHaveLength(3);
  });

  it('stores secrets that the board lacked, and takes its own entries from no client', async () => {
    const servers = { github: { command: 'g', env: { TOKEN: 'hush-hush-one' } } };
    put('.cursor/mcp.json', JSON.stringify({ mcpServers: servers }));
    await pegboard(['mcp', 'import', '--all', '--yes']);
    expect(readFileSync(board, 'utf8')).toContain("env: {TOKEN: '${TOKEN}'}");
    await pegboard(['serve', '--print-config', 'cursor', '--install', '--yes', '--file', board]);
    const { stdout, stderr } = await importAll();
    expect(stderr).toContain('Skipped: pegboard of');
    expect(stdout).toContain('Wrote 1 server to');
    expect(readFileSync(board, 'utf8')).toMatch(/TOKEN: '\$\{file:.*\/secrets\/TOKEN\}'/);
    expect(Object.keys(json('.cursor/mcp.json').mcpServers)).toEqual(['pegboard']);
    const again = await importAll();
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('There is nothing else to import.')]);
  });

  it('shows the plan and writes nothing with --dry-run or without an answer', async () => {
    putClients();
    const dry = await pegboard(['mcp', 'import', '--all', '--replace', '--dry-run', '--json']);
    const plan = JSON.parse(dry.stdout);
    expect(plan).toMatchObject({ board, set: ['LINEAR'] });
    expect(plan.written).toBeUndefined();
    expect(plan.files).toContainEqual({
      client: 'gemini',
      file: join(home, '.gemini/settings.json'),
      loses: ['old'],
      gets: 'pegboard',
      copy: join(home, '.gemini/settings.json.pegboard-backup'),
      isProject: false,
    });
    const none = await pegboard(['mcp', 'import', '--all', '--replace']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('Add --yes to write without asking')]);
    const wrong = await pegboard(['mcp', 'import', 'cursor', '--all']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Omit CLIENTS and --server.')]);
    for (const path of Object.keys(FILES)) expect(read(path)).toBe(original(path));
    expect([existsSync(board), existsSync(record)]).toEqual([false, false]);
  });

  it('asks once at a terminal', needs('python3'), async () => {
    putClients();
    const run = (key: string) =>
      atTerminal(['mcp', 'import', '--all', '--replace'], {
        cwd: folder,
        env: variables,
        steps: [['Change these files?', key]],
      });
    const refused = await run('n');
    expect([refused.code, refused.shown]).toEqual([1, expect.stringContaining('Nothing was written.')]);
    expect(existsSync(board)).toBe(false);
    const agreed = await run('y');
    expect([agreed.code, agreed.shown]).toEqual([0, expect.stringContaining('Wrote 10 servers')]);
  });

  it('replaces the servers of one client', async () => {
    putClients();
    expect((await pegboard(['mcp', 'import', 'gemini', '--replace', '--yes'])).code).toBe(0);
    expect(Object.keys(json('.gemini/settings.json').mcpServers)).toEqual(['project']);
    expect(read('.cursor/mcp.json')).toBe(original('.cursor/mcp.json'));
    expect((await pegboard(['mcp', 'import', '--replace', '--server', 'linear', '--yes'])).code).toBe(0);
    expect(Object.keys(json('.cursor/mcp.json').mcpServers)).toEqual(['memory', 'project']);
    expect(read('.codex/config.toml')).toBe(original('.codex/config.toml'));
  });

  it('adds the board to the file of the user although that of the project has it', async () => {
    put('.cursor/mcp.json', JSON.stringify({ mcpServers: { one: { command: 'one' } } }));
    const own = { command: 'npx', args: ['pegboard', 'serve', '--file', board] };
    put('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { own } }));
    await importAll();
    expect(Object.keys(json('.cursor/mcp.json').mcpServers)).toEqual(['pegboard']);
    expect(json('project/.cursor/mcp.json')).toEqual({ mcpServers: { own } });
  });

  it('adds the board to the file of the project when its client has no other', async () => {
    put('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { one: { command: 'one' } } }));
    put('project/.zed/settings.json', '{}');
    await importAll();
    expect(json('project/.cursor/mcp.json').mcpServers).toEqual({ pegboard: entry });
    expect([existsSync(join(home, '.cursor')), read('project/.zed/settings.json')]).toEqual([false, '{}']);
  });
});

describe('hostile files', () => {
  const cursor = JSON.stringify({ mcpServers: { memory: { command: 'm' } } });

  it('are left alone and reported when they are broken, huge, read-only or no text', async () => {
    put('.cursor/mcp.json', cursor);
    const broken = put('.gemini/settings.json', '{"mcpServers": {"hush": nonsense');
    const huge = put('.claude.json', cursor);
    truncateSync(huge, 101_000_000);
    const fixed = put(
      '.codeium/windsurf/mcp_config.json',
      JSON.stringify({ mcpServers: { w: { command: 'w' } } }),
      0o444,
    );
    const latin = join(home, '.config/zed/settings.json');
    put('.config/zed/settings.json', '');
    writeFileSync(latin, Buffer.from('{"context_servers": {"caf\u00E9": {"command": "c"}}}', 'latin1'));
    const { code, stderr } = await importAll();
    expect(code).toBe(0);
    expect(stderr).not.toContain('hush');
    expect(stderr).toContain(`warning ${broken} cannot be read: it has a syntax error`);
    expect(stderr).toContain(`warning ${huge} is larger than 100 MB\n`);
    expect(stderr).toContain(`warning ${fixed} is read-only, so its servers stay there\n`);
    expect(stderr).toContain(`warning ${latin} is not UTF-8 text, so its servers stay there\n`);
    expect(readFileSync(board, 'utf8').match(/command: /g)).toHaveLength(1);
    expect(readFileSync(broken, 'utf8')).toBe('{"mcpServers": {"hush": nonsense');
    expect(statSync(huge).size).toBe(101_000_000);
    expect(json('.codeium/windsurf/mcp_config.json')).toEqual({ mcpServers: { w: { command: 'w' } } });
  });

  it('keep their links, those out of the project excepted, which are not followed', async () => {
    put('dotfiles/cursor.json', cursor, 0o600);
    mkdirSync(join(home, '.cursor'));
    symlinkSync('../dotfiles/cursor.json', join(home, '.cursor/mcp.json'));
    const precious = put('precious.json', JSON.stringify({ mcpServers: { p: { command: 'p' } } }));
    symlinkSync(precious, join(folder, '.mcp.json'));
    mkdirSync(join(folder, '.cursor'));
    symlinkSync('../../dotfiles/cursor.json', join(folder, '.cursor/mcp.json'));
    const { stderr } = await importAll();
    expect(stderr).toContain(
      `warning ${join(folder, '.mcp.json')} is a link to ${precious}, outside of this folder, so its servers stay there\n`,
    );
    expect(json('precious.json')).toEqual({ mcpServers: { p: { command: 'p' } } });
    expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
    expect(Object.keys(json('dotfiles/cursor.json').mcpServers)).toEqual(['pegboard']);
    expect(readdirSync(join(home, 'dotfiles'))).toEqual(['cursor.json']);
    await pegboard(['uninstall', '--yes']);
    expect(read('dotfiles/cursor.json')).toBe(cursor);
    expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
  });

  it('that cannot be written leave everything as it was', async () => {
    put('.config/Claude/claude_desktop_config.json', cursor);
    put('.cursor/mcp.json', cursor.replace('"m"', '"n", "env": { "API_KEY": "hush-hush-hush" }'));
    // The name leaves no room for that of a draft beside it.
    const long = `${'x'.repeat(240)}.json`;
    put(long, cursor.replace('"m"', '"o"'));
    mkdirSync(join(home, '.gemini'));
    symlinkSync(`../${long}`, join(home, '.gemini/settings.json'));
    const { code, stderr } = await importAll();
    expect(code).toBe(1);
    expect(stderr).toMatch(/error \S+\.gemini\/settings\.json: .*ENAMETOOLONG.* Nothing was changed\.\n$/);
    expect(read('.config/Claude/claude_desktop_config.json')).toBe(cursor);
    expect(json('.cursor/mcp.json')).toMatchObject({ mcpServers: { memory: { command: 'n' } } });
    expect([existsSync(board), existsSync(record)]).toEqual([false, false]);
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
    const data = join(secrets, readdirSync(secrets)[0] ?? '', 'secrets');
    expect(readdirSync(data)).toEqual([]);
  });

  it('keep earlier copies', async () => {
    put('.cursor/mcp.json', cursor);
    put('.cursor/mcp.json.pegboard-backup', 'mine');
    await importAll();
    expect(read('.cursor/mcp.json.pegboard-backup')).toBe('mine');
    expect(read('.cursor/mcp.json.pegboard-backup-2')).toBe(cursor);
  });
});

describe('uninstall', () => {
  it('restores every file to the byte, and forgets what it restored', async () => {
    putClients();
    await importAll();
    const before = readFileSync(board, 'utf8');
    const { code, stdout, stderr } = await pegboard(['uninstall', '--yes']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        'Cursor: ' + join(home, '.cursor/mcp.json') + ' loses pegboard; gets back memory, linear\n',
      ),
    ]);
    expect(stderr).toContain(
      `Copy of the file before the import, with its secrets: ${join(home, '.cursor/mcp.json.pegboard-backup')}\n`,
    );
    for (const path of Object.keys(FILES)) expect([path, read(path)]).toEqual([path, original(path)]);
    expect(existsSync(join(home, '.config/Code/User/mcp.json'))).toBe(false);
    expect([readFileSync(board, 'utf8'), existsSync(record)]).toEqual([before, false]);
    expect((await pegboard(['uninstall', '--yes'])).stdout).toBe('No client has an entry of Pegboard.\n');
  });

  it('keeps later edits', async () => {
    putClients();
    await importAll();
    const edit = (path: string, from: string, to: string): void => {
      expect(read(path)).toContain(from);
      put(path, read(path).replace(from, to));
    };
    const new1 = '"added": { "command": "a" }';
    edit('.cursor/mcp.json', '"mcpServers": {', `"mcpServers": {\n\t\t${new1},`);
    edit('.codex/config.toml', 'theme = "dark"', 'theme = "light" # better\n\n[mcp_servers.added]\ncommand = "a"');
    edit('.config/zed/settings.json', '// Zed settings', '// My settings');
    edit('project/.vscode/mcp.json', '// Searches.', '// Searches well.');
    put('.gemini/settings.json', JSON.stringify({ ...json('.gemini/settings.json'), theme: 'Dark' }, undefined, 4));
    const { code } = await pegboard(['uninstall', '--yes']);
    expect(code).toBe(0);
    const edited = (path: string, from: string, to: string): void =>
      expect(read(path)).toBe(original(path).replace(from, to));
    edited('.cursor/mcp.json', '"mcpServers": {', `"mcpServers": {\n\t\t${new1},`);
    edited('.codex/config.toml', 'theme = "dark"', 'theme = "light" # better\n\n[mcp_servers.added]\ncommand = "a"');
    edited('.config/zed/settings.json', '// Zed settings', '// My settings');
    edited('project/.vscode/mcp.json', '// Searches.', '// Searches well.');
    expect(json('.gemini/settings.json')).toEqual({ ...JSON.parse(original('.gemini/settings.json')), theme: 'Dark' });
  });

  it('keeps a server of the user that has the name of one that was taken, and says so', async () => {
    putClients();
    await importAll();
    const { mcpServers, ...rest } = json('.cursor/mcp.json');
    put('.cursor/mcp.json', JSON.stringify({ ...rest, mcpServers: { ...mcpServers, memory: { command: 'mine' } } }));
    const { stderr } = await pegboard(['uninstall', 'cursor', '--yes']);
    expect(stderr).toContain(`note ${join(home, '.cursor/mcp.json')} has another server memory now, which stays.\n`);
    expect(json('.cursor/mcp.json').mcpServers).toEqual({
      memory: { command: 'mine' },
      linear: JSON.parse(original('.cursor/mcp.json')).mcpServers.linear,
    });
  });

  it('restores one client, from any folder, and what several imports took', async () => {
    putClients();
    await importAll();
    const { mcpServers } = json('.gemini/settings.json');
    put(
      '.gemini/settings.json',
      JSON.stringify({ theme: 'Default', mcpServers: { ...mcpServers, more: { command: 'more' } } }),
    );
    expect((await importAll()).stdout).toContain('Wrote 1 server');
    expect(Object.keys(json('.gemini/settings.json').mcpServers)).toEqual(['pegboard']);
    const { code, stdout } = await pegboard(['uninstall', 'gemini', '--yes', '--json'], '/');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        written: [join(home, '.gemini/settings.json')],
        files: [{ removed: ['pegboard'], restored: ['old', 'more'], kept: [] }],
      },
    ]);
    expect(Object.keys(json('.gemini/settings.json').mcpServers).toSorted()).toEqual(['more', 'old']);
    expect(json('.cursor/mcp.json').mcpServers).toHaveProperty('pegboard');
    await pegboard(['uninstall', 'vscode', '--yes'], '/');
    expect(read('project/.vscode/mcp.json')).toBe(original('project/.vscode/mcp.json'));
  });

  it('removes entries that another command installed', async () => {
    const before = '{\n  // mine\n  "mcpServers": {\n    "files": { "command": "f" } // f\n  }\n}\n';
    put('.cursor/mcp.json', before);
    put('project/pegboard.yaml', 'name: desk\n');
    await pegboard(['serve', '--print-config', 'cursor', '--install', '--yes']);
    expect(read('.cursor/mcp.json')).toContain('"desk": {');
    const dry = await pegboard(['uninstall', '--dry-run']);
    expect(dry.stdout).toBe(`Cursor: ${join(home, '.cursor/mcp.json')} loses desk\n`);
    expect(read('.cursor/mcp.json')).toContain('"desk": {');
    await pegboard(['uninstall', '--yes']);
    expect(read('.cursor/mcp.json')).toBe(before);
  });

  it('leaves a broken file alone, and keeps what it needs to restore it later', async () => {
    putClients();
    await importAll();
    const mended = read('.cursor/mcp.json');
    put('.cursor/mcp.json', `${mended}}`);
    const { code, stderr } = await pegboard(['uninstall', '--yes']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/cursor\/mcp\.json cannot be read: it has a syntax error.*, so it was not changed\.\n/),
    ]);
    expect(read('.cursor/mcp.json')).toBe(`${mended}}`);
    expect(read('.gemini/settings.json')).toBe(original('.gemini/settings.json'));
    put('.cursor/mcp.json', mended);
    expect((await pegboard(['uninstall', '--yes'])).code).toBe(0);
    expect(read('.cursor/mcp.json')).toBe(original('.cursor/mcp.json'));
  });

  it('forgets a file that was deleted, but not one whose folder is gone', async () => {
    putClients();
    await importAll();
    rmSync(join(home, '.cursor/mcp.json'));
    rmSync(join(home, '.codex'), { recursive: true });
    const { code, stdout, stderr } = await pegboard(['uninstall', '--yes']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('mcp.json was deleted, so nothing is restored\n')]);
    expect(stderr).toContain(
      `warning ${join(home, '.codex/config.toml')} is gone with its folder, so it was not changed.\n`,
    );
    put('.codex/config.toml', '');
    await pegboard(['uninstall', '--yes']);
    expect(read('.codex/config.toml')).toContain(
      '[mcp_servers.docs]\ncommand = "docs" # local\n[mcp_servers.docs.env]',
    );
    expect([existsSync(join(home, '.cursor/mcp.json')), existsSync(record)]).toEqual([false, false]);
  });

  it('asks, and writes nothing where no one can be asked', async () => {
    putClients();
    await importAll();
    const { code, stderr } = await pegboard(['uninstall']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('"pegboard uninstall" asks before it writes')]);
    expect(json('.cursor/mcp.json').mcpServers).toHaveProperty('pegboard');
    expect((await pegboard(['uninstall', 'emacs'])).stderr).toContain('CLIENT must be one of: claude, claude-code');
  });

  it('does not follow links that came into a project after the import', async () => {
    putClients();
    await importAll();
    const other = put('other/settings.json', '{"mine":true}\n', 0o644);
    rmSync(join(folder, '.vscode/mcp.json'));
    symlinkSync(other, join(folder, '.vscode/mcp.json'));
    const { code, stderr } = await pegboard(['uninstall', '--yes'], home);
    expect(read('other/settings.json')).toBe('{"mine":true}\n');
    expect(stderr).toContain(
      `${join(folder, '.vscode/mcp.json')} leads to ${other}, and led to ${join(folder, '.vscode/mcp.json')} before, so it was not changed.`,
    );
    expect(code).toBe(1);
    expect(existsSync(record)).toBe(true);
  });

  it('refuses a damaged record, which it would lose', async () => {
    putClients();
    await importAll();
    writeFileSync(record, '{"version": 1');
    const { code, stderr } = await pegboard(['uninstall', '--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${record} is damaged`)]);
    expect(json('.cursor/mcp.json').mcpServers).toHaveProperty('pegboard');
  });
});
