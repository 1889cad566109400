// `pegboard mcp add | list | remove | import` as people run them.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';
import { atTerminal } from './terminal.test-helper.ts';
import { needs } from './needs.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const base = mkdtempSync(join(tmpdir(), 'pegboard-mcp-commands-'));
const home = join(base, 'home');
const folder = join(home, 'project');
const bin = join(base, 'bin');
const board = join(folder, 'pegboard.yaml');
const memory = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/server-memory/dist/index.js');
afterAll(() => rmSync(base, { recursive: true }));
beforeEach(() => {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  mkdirSync(bin, { recursive: true });
});

/** The variables of a person on Linux whose home is in the temporary folder. */
const variables = {
  HOME: home,
  PATH: [bin, process.env['PATH']].join(delimiter),
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: join(home, 'state'),
  CODEX_HOME: '',
  APPDATA: '',
};

async function run(...args: string[]) {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, [CLI, 'mcp', ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

function put(path: string, content: unknown): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function putProgram(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

const readBoard = (): string => readFileSync(board, 'utf8');

describe('mcp add', () => {
  it('makes an entry of a package on npm, with the version that the registry names', async () => {
    putProgram('npm', '[ "$*" = "view --json @scope/mcp-server-notes version" ] && echo \'"1.2.3"\'');
    const { code, stdout, stderr } = await run('add', '@scope/mcp-server-notes', './notes');
    expect([code, stdout]).toEqual([
      0,
      'Added notes to pegboard.yaml, a new file: npx -y @scope/mcp-server-notes@1.2.3 ./notes\n',
    ]);
    expect(stderr).toBe('See its tools with: pegboard list --wait\n');
    expect(readBoard()).toBe(
      `name: "project"

mcpServers:
  notes:
    command: npx
    args: [-y, '@scope/mcp-server-notes@1.2.3', ./notes]

policy:
  # Ask a person before a tool destroys something; "write" asks before every change.
  approval: { global: destructive }
`,
    );
  });

  it('takes a package as it is where the version cannot be found out, and says so', async () => {
    putProgram('npm', 'exit 1');
    const { code, stderr } = await run('add', '@scope/server-x', '--name', 'x');
    expect(code).toBe(0);
    expect(stderr).toContain('note The version of @scope/server-x could not be determined');
    expect(readBoard()).toContain("args: [-y, '@scope/server-x']");
    expect((await run('add', '@scope/server-y@2.0.0')).stderr).not.toContain('note');
    expect(readBoard()).toContain("args: [-y, '@scope/server-y@2.0.0']");
  });

  it('takes a command after its name, keeps the comments, and the tools are there', needs('python3'), async () => {
    writeFileSync(board, '# mine\nname: desk # a desk\n\nlock: warn\n');
    const { stdout } = await run('add', 'memory', '--', process.execPath, memory, '--flag');
    expect(stdout).toBe(`Added memory to pegboard.yaml: ${process.execPath} ${memory} --flag\n`);
    expect(readBoard().startsWith('# mine\nname: desk # a desk\n\nlock: warn\n\nmcpServers:\n  memory:\n')).toBe(true);
    expect((await run('list')).stdout).toContain(
      `memory\tnot asked yet\tpegboard.yaml:7\t${process.execPath} ${memory}`,
    );
    const { shown } = await atTerminal(['list', '--wait'], { cwd: folder, env: variables });
    expect(shown).toContain('memory__read_graph');
    expect((await run('list')).stdout).toContain('memory\t9 tools\t');
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([
      { name: 'memory', state: 'known', tools: 9 },
    ]);
  });

  it('says what a policy with roots needs to know', async () => {
    writeFileSync(board, 'name: desk\npolicy: { roots: [.] }\n');
    const { stderr } = await run('add', 'memory', '--', process.execPath, memory);
    expect(stderr).toContain('note policy.roots of pegboard.yaml refuses tools until their entry names the arguments');
    expect(stderr).toContain('For the MCP server memory add paths: [NAME, …], or paths: [] if there are none.');
  });

  it('keeps secrets in files that only the user reads', async () => {
    const { stdout, stderr } = await run(
      'add',
      'desk',
      '--env',
      'DESK_TOKEN=opensesame1',
      '--env',
      'MODE=fast',
      '--',
      'cat',
    );
    expect(stdout + stderr + readBoard()).not.toContain('opensesame1');
    expect(stderr).toContain('Stored where only you can read it: DESK_TOKEN\n');
    expect(readBoard()).toContain(
      `env: {DESK_TOKEN: '\${file:${dataOf(folder, variables)}/secrets/DESK_TOKEN}', MODE: fast}`,
    );
    const file = join(dataOf(folder, variables), 'secrets/DESK_TOKEN');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['opensesame1\n', 0o600]);
    await run('add', 'other', '--env', 'DESK_TOKEN=another-value', '--', 'cat');
    expect(readBoard()).toContain(`\${file:${dataOf(folder, variables)}/secrets/DESK_TOKEN-2}`);
    const named = await run('add', 'third', '--secrets', 'env', '--env', 'DESK_TOKEN=opensesame1', '--', 'cat');
    expect(named.stderr).toContain('Set before you use it: DESK_TOKEN\n');
    expect(readBoard()).toContain("env: {DESK_TOKEN: '${DESK_TOKEN}'}");
  });

  it('asks an address how it wants to be talked to', async () => {
    const server = createServer(({ url, method }, response) => {
      if (url === '/mcp') response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else if (url === '/locked') response.writeHead(401).end();
      else if (url === '/events' && method === 'GET')
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\n\n');
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address of this kind.
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await run('add', `${address}/mcp`, '--name', 'new', '--header', 'X-Api-Key: verysecret99');
      expect(readBoard()).toContain(`  new:\n    url: ${address}/mcp\n`);
      expect(readBoard()).toContain(
        `headers: {X-Api-Key: '\${file:${dataOf(folder, variables)}/secrets/NEW_X_API_KEY}'}`,
      );
      await run('add', 'old', `${address}/events`);
      expect(readBoard()).toContain(`  old:\n    type: sse\n    url: ${address}/events\n`);
      expect((await run('add', 'locked', `${address}/locked`)).stderr).toContain('pegboard mcp login locked');
      expect((await run('add', 'none', `${address}/none`)).stderr).toContain('It answered 404, which is not an answer');
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect((await run('add', 'gone', `${address}/mcp`)).stderr).toContain('It does not answer now');
    expect((await run('add', 'said', `${address}/mcp`, '--transport', 'sse')).stderr).not.toContain('note');
  });

  it('refuses a name that is taken and options that do not fit, and writes nothing for --dry-run', async () => {
    await run('add', 'one', '--', 'cat');
    const before = readBoard();
    expect((await run('add', 'one', '--', 'ls')).stderr).toBe(
      'error pegboard.yaml already has a server "one". Choose another name with --name, or remove that one: pegboard mcp remove one\n',
    );
    const wrong = await run('add', 'https://mcp.example.com/mcp', '--transport', 'http', '--env', 'A=b');
    expect([wrong.code, wrong.stderr.split('\n')[0]]).toEqual([
      2,
      'error --env is for servers that are commands. Use --header.',
    ]);
    expect((await run('add', 'two', '--header', 'A: b', '--', 'cat')).code).toBe(2);
    expect((await run('add', 'two', '--env', 'oops', '--', 'cat')).stderr).toContain('--env must be KEY=VALUE');
    const dry = await run('add', 'two', '--dry-run', '--env', 'A_TOKEN=hushhush', '--', 'cat');
    expect(dry.stdout).toBe(
      `mcpServers:\n  two:\n    command: cat\n    env: {A_TOKEN: '\${file:${dataOf(folder, variables)}/secrets/A_TOKEN}'}\n`,
    );
    expect([readBoard(), existsSync(join(dataOf(folder, variables), 'secrets'))]).toEqual([before, false]);
  });
});

describe('mcp remove', () => {
  it('removes the entry and nothing else', async () => {
    writeFileSync(board, 'mcpServers:\n  # first\n  one: { command: cat } # 1\n  # second\n  two: { command: ls }\n');
    expect((await run('remove', 'one')).stdout).toBe('Removed one from pegboard.yaml.\n');
    expect(readBoard()).toBe('mcpServers:\n  # first\n  # second\n  two: { command: ls }\n');
    expect((await run('remove', 'tow')).stderr).toContain('has no server "tow". Did you mean "two"?');
    expect((await run('remove', 'two')).code).toBe(0);
    expect((await run('list')).stderr).toContain('The board has no MCP servers.');
  });
});

describe('mcp list', () => {
  it('says what is known of each server, and never a secret', async () => {
    writeFileSync(
      board,
      [
        'mcpServers:',
        '  off: { command: cat, env: { KEY: "${NOT_SET_HERE}" } }',
        '  resting: { command: cat, disabled: true }',
        '  keyed: { command: cat, args: [--token, very-secret-token] }',
      ].join('\n'),
    );
    const { stdout } = await run('list');
    expect(stdout).toBe(
      [
        'off\toff: NOT_SET_HERE not set\tpegboard.yaml:2\tcat',
        'resting\tdisabled\tpegboard.yaml:3\tcat',
        'keyed\tnot asked yet\tpegboard.yaml:4\tcat --token [redacted]',
        '',
      ].join('\n'),
    );
  });
});

describe('mcp import', () => {
  /** Files as the clients write them; every secret in them has the word hush. */
  function putClients(): void {
    put('.config/Claude/claude_desktop_config.json', {
      mcpServers: {
        memory: { command: 'npx', args: ['-y', 'server-memory'] },
        github: { command: 'docker', args: ['run', '-i', 'img'], env: { GITHUB_TOKEN: 'ghp_hush1234567890' } },
        postgres: { command: 'npx', args: ['server-postgres', 'postgresql://me:hush@localhost/db'] },
        tools: { command: 'npx', args: ['-y', 'pegboard@0.2.0', 'serve'] },
      },
    });
    put('.claude.json', {
      mcpServers: { sentry: { type: 'http', url: 'https://sentry.example.com/mcp' } },
      projects: { [folder]: { mcpServers: { memory: { command: 'other' } } }, '/else': { mcpServers: { no: {} } } },
    });
    put('.cursor/mcp.json', {
      mcpServers: {
        memory: { command: 'npx', args: ['-y', 'server-memory'] },
        linear: { url: 'https://linear.example.com/mcp', headers: { Authorization: 'Bearer ${env:LINEAR}' } },
      },
    });
    put(
      'project/.vscode/mcp.json',
      `{
        // A comment of a person.
        "inputs": [{ "type": "promptString", "id": "search-key", "password": true }],
        "servers": {
          "search": { "type": "stdio", "command": "srch", "args": ["\${workspaceFolder}"], "env": { "K": "\${input:search-key}" }, },
          "evil\\u202E": { "command": "rm\\u001B[8m" },
        },
      }`,
    );
    put(
      '.codex/config.toml',
      '[mcp_servers.docs]\ncommand = "docs"\nenv_vars = ["LOCAL"]\nstartup_timeout_sec = 20\nenabled_tools = ["a"]\n[mcp_servers.docs.env]\nAPI_KEY = "hush-hush-hush"\n[mcp_servers.figma]\nurl = "https://figma.example.com/mcp"\nbearer_token_env_var = "FIGMA"\n',
    );
    put('.gemini/settings.json', { mcpServers: { old: { url: 'https://old.example.com/x' } } });
    put('.codeium/windsurf/mcp_config.json', '{"hush": nonsense');
    put('.config/zed/settings.json', { context_servers: { z: { command: { path: 'zz', args: ['a'] } }, ext: {} } });
  }

  it('takes over what clients have, without their secrets, and is done the second time', async () => {
    putClients();
    const { code, stdout, stderr } = await run('import', '--yes');
    expect(code).toBe(0);
    expect(stdout + stderr + readBoard()).not.toContain('hush');
    expect(stdout).toContain('memory\tClaude Desktop, Cursor\tnpx -y server-memory\n');
    expect(stdout).toContain('evil\\u202e\tVS Code\t"rm\\u001b[8m"\n');
    expect(stdout).toContain('Wrote 12 servers to pegboard.yaml, a new file.');
    expect(stderr).toContain(': it is Pegboard itself.');
    expect(stderr).toMatch(/warning \S+mcp_config.json cannot be read: it has a syntax error/);
    expect(stderr).toContain(
      'Set before you use them: API_KEY, FIGMA, GITHUB_TOKEN, LINEAR, POSTGRES_URL, SEARCH_KEY.',
    );
    const written = readBoard();
    for (const part of [
      "  github:\n    command: docker\n    args: [run, -i, img]\n    env: {GITHUB_TOKEN: '${GITHUB_TOKEN}'}\n",
      "  postgres:\n    command: npx\n    args: [server-postgres, '${POSTGRES_URL}']\n",
      '  memory-claude-code:\n    command: other\n',
      "  linear:\n    url: https://linear.example.com/mcp\n    headers: {Authorization: 'Bearer ${LINEAR}'}\n",
      `  search:\n    command: srch\n    args: [${folder}]\n    env: {K: '\${SEARCH_KEY}'}\n`,
      "  docs:\n    command: docs\n    env: {API_KEY: '${API_KEY}'}\n    env_pass: [LOCAL]\n    include: [a]\n    start_timeout: 20\n",
      "  figma:\n    url: https://figma.example.com/mcp\n    headers: {Authorization: 'Bearer ${FIGMA}'}\n",
      '  old:\n    type: sse\n    url: https://old.example.com/x\n',
      '  z:\n    command: zz\n    args: [a]\n',
    ]) {
      expect(written).toContain(part);
    }
    const again = await run('import', '--yes');
    expect([again.code, readBoard()]).toEqual([1, written]);
    expect(again.stderr).toContain('it is already on the board.');
  });

  it('copies secrets where it is told to, into files that only the user reads', async () => {
    putClients();
    const { code, stdout } = await run(
      'import',
      'claude',
      '--server',
      'github',
      '--secrets',
      'file',
      '--yes',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ written: 'pegboard.yaml', servers: [{ name: 'github' }], set: [] });
    expect(code).toBe(0);
    expect(readBoard()).toContain(`\${file:${dataOf(folder, variables)}/secrets/GITHUB_TOKEN}`);
    expect(readFileSync(join(dataOf(folder, variables), 'secrets/GITHUB_TOKEN'), 'utf8')).toBe('ghp_hush1234567890\n');
    expect((await run('list')).stdout).toContain('github\tnot asked yet');
    expect((await run('import', 'claude', '--server', 'github', '--yes')).stderr).toContain(
      'it is already on the board.',
    );
  });

  it('says that the board has another server of a name', async () => {
    putClients();
    writeFileSync(board, 'mcpServers:\n  sentry: { command: mine }\n');
    expect((await run('import', 'claude-code', '--dry-run')).stderr).toContain(
      'the board has another server with this name. Remove that first: pegboard mcp remove sentry.\n',
    );
  });

  it('writes nothing where no one can be asked, and names the files where there is nothing', async () => {
    const none = await run('import');
    expect(none.code).toBe(1);
    expect(none.stderr).toContain(join(home, '.cursor/mcp.json'));
    putClients();
    const { code, stderr } = await run('import');
    expect([code, existsSync(board)]).toEqual([2, false]);
    expect(stderr).toContain('asks before it writes, but there is no terminal to ask at. Add --yes');
    expect((await run('import', 'emacs')).stderr).toContain('must be one of: claude, claude-code, cursor, vscode');
  });

  it('asks at a terminal which servers to write', needs('python3'), async () => {
    putClients();
    const { code, shown } = await atTerminal(['mcp', 'import', 'vscode', 'cursor'], {
      cwd: folder,
      env: variables,
      // Leaves out the first.
      steps: [['Which servers should be added', ' \r']],
    });
    expect(shown).toContain('evil\\u202e');
    expect(shown).not.toContain('\u202E');
    expect([code, shown]).toEqual([0, expect.stringContaining('Wrote 3 servers to pegboard.yaml, a new file.')]);
    expect(readBoard()).not.toContain('srch');
    const given = await atTerminal(['mcp', 'import', 'codex'], {
      cwd: folder,
      env: variables,
      steps: [['Which servers should be added', '\u0003']],
    });
    expect([given.code, given.shown]).toEqual([1, expect.stringContaining('Nothing was written.')]);
  });
});
