// `pegboard serve` as people and clients use it.
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CLI, entryFile } from '../cli-program.test-helper.ts';
import { BOARD, placeBoard, startHttp, startServe, waitForText } from './serve-process.test-helper.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

function place(text?: string) {
  const board = placeBoard(text);
  cleanUp.push(board.remove);
  return board;
}

const request = (id: number, method: string, params?: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const INITIALIZE = request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });

/** Runs the command to its end. */
function run(args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'serve', ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

it('keeps its output for the protocol when a script prints', async () => {
  const { folder, file } = place('tools: [{ type: script, file: ./noisy.ts }]\n');
  const source = entryFile('index');
  const forged = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'forged' }] } });
  writeFileSync(
    join(folder, 'noisy.ts'),
    `import { defineTool } from ${JSON.stringify(source)};
     console.log('loaded');
     export default defineTool({
       name: 'noisy', description: 'Prints', schema: { type: 'object', properties: {} },
       execute() { console.log(${JSON.stringify(forged)}); process.stdout.write('raw\\n'); return 'done'; },
     });`,
  );
  const child = startServe([file]);
  cleanUp.push(() => child.kill('SIGKILL'));
  const said = waitForText(child.stderr, /raw/);
  const answered = waitForText(child.stdout, /"id":1,/);
  child.stdin?.write(INITIALIZE + request(1, 'tools/call', { name: 'noisy' }));
  const lines = (await answered).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { id: 0 },
    { id: 1, result: { content: [{ text: 'done' }] } },
  ]);
  expect(await said).toContain('forged');
});

/** Returns true when a process runs: one that is dead and not collected does not. */
const isAlive = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('over stdio', () => {
  it('serves the built-in example where there is no file, and says so beside the protocol', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serve-none-'));
    const child = startServe([], { cwd: folder });
    const said = waitForText(child.stderr, /pegboard init/);
    child.stdin?.write(INITIALIZE + request(1, 'tools/list'));
    const lines = (await waitForText(child.stdout, /"id":1.*\n/)).trim().split('\n');
    expect(await said).toContain('serving the built-in example');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([0, 1]);
    expect(lines[1]).toContain('recent_commits');
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends with its input, with the commands it started, although timers are set', async () => {
    const { file, folder } = place(`${BOARD}
  # a tool whose module never rests
import: extra.yaml
`);
    writeFileSync(join(folder, 'extra.yaml'), 'tools: [{ name: restless, type: script, file: ./restless.mjs }]\n');
    writeFileSync(
      join(folder, 'restless.mjs'),
      `import { defineTool } from ${JSON.stringify(entryFile('index'))};
       setInterval(() => {}, 1000);
       export default defineTool({ name: 'restless', description: 'R', schema: { type: 'object' }, execute: () => 'x' });`,
    );
    const child = startServe([file]);
    const pidFile = join(folder, 'pid');
    child.stdin?.write(INITIALIZE + request(1, 'tools/call', { name: 'slow', arguments: { file: pidFile } }));
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim() !== '').toBe(true);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('reads messages that come in many pieces, and many that come in one', async () => {
    const child = startServe([place().file]);
    cleanUp.push(() => child.kill('SIGKILL'));
    const many = 2_000;
    const ship = 'aé'.repeat(30_000);
    child.stdin?.write(INITIALIZE + request(1, 'tools/call', { name: 'hail', arguments: { ship } }));
    for (let id = 2; id < many; id++) child.stdin?.write(request(id, 'ping'));
    const answered = await waitForText(child.stdout, new RegExp(`^(?:[^\\n]*\\n){${many}}$`));
    const lines = answered.split('\n');
    const hailed = lines.find((line) => line.includes('"id":1,'));
    expect(hailed).toContain('ahoy aéaé');
    // Each character arrived whole.
    expect(hailed).not.toContain('\uFFFD');
  });

  it('tells its client when a watched file changes', async () => {
    const { file } = place();
    const child = startServe([file, '--watch']);
    child.stdin?.write(INITIALIZE);
    await waitForText(child.stdout, /"id":0/);
    const heard = waitForText(child.stdout, /list_changed/);
    writeFileSync(file, BOARD.replace('name: hail', 'name: greet'));
    await heard;
    child.stdin?.write(request(1, 'tools/list'));
    expect(await waitForText(child.stdout, /"id":1.*\n/)).toContain('"greet"');
    child.stdin?.end();
    await once(child, 'exit');
  });

  it('shows every fault of a file and ends', async () => {
    const { file } = place('serve: { mode: loud, port: 99999 }\ntools: []\n');
    const { code, stdout, stderr } = await run([file]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('serve.mode');
    expect(stderr).toContain('serve.port');
  });
});

describe('over HTTP', () => {
  it('takes its settings from the file, and stops when it is asked to', async () => {
    const { file } = place(
      `${BOARD}\n`.replace('serve: {', 'serve: { http: true, port: 0, path: /board, mode: discovery,'),
    );
    const child = startServe([file]);
    const text = await waitForText(child.stderr, /at http:\S+/);
    const [url = ''] = /http:[^\s,]+/.exec(text) ?? [];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/board$/);
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(fetch(new URL('/readyz', url))).rejects.toThrow();
  });

  it('does not open to others without a token', async () => {
    const { file } = place();
    const { code, stderr } = await run([file, '--http', '--no-token', '--host', '0.0.0.0', '--port', '0']);
    expect(code).toBe(1);
    expect(stderr).toContain('Others can reach 0.0.0.0, so it needs a token.');
    const short = await run([file, '--http', '--port', '0', '--token', 'guess']);
    expect(short.stderr).toContain('Use at least 16');
  });

  it('lets in a client with the token, with what the token allows', async () => {
    const made: { token: string; hash: string } = JSON.parse((await run(['--new-token', '--json'])).stdout);
    const { file } = place(
      BOARD.replace('serve: {', `serve: { tokens: [{ name: ada, hash: '${made.hash}', allow: [{ risk: read }] }],`),
    );
    const { child, url } = await startHttp([file]);
    cleanUp.push(() => void child.kill('SIGKILL'));
    const headers = {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = request(1, 'tools/list', { _meta });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
    const authorization = `Bearer ${made.token}`;
    const list = await fetch(url, { method: 'POST', headers: { ...headers, authorization }, body });
    const { result } = (await list.json()) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(['hail', 'output_read', 'output_search']);
  });
});

describe('the configs of clients', () => {
  it.for(['claude', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf', 'zed'])(
    'are printed for %s',
    async (client) => {
      const { file } = place();
      const { code, stdout } = await run(['--print-config', client, file]);
      expect(code).toBe(0);
      expect(stdout).toContain('"serve"');
      expect(stdout).toContain(file);
      // Its file takes no addresses.
      if (client === 'claude') return;
      const http = await run(['--print-config', client, file, '--http', '--token', 'x'.repeat(20)]);
      expect(http.stdout).toContain('http://127.0.0.1:7331/mcp');
      expect(http.stdout).toContain('PEGBOARD_TOKEN');
      expect(http.stdout + http.stderr).not.toContain('x'.repeat(20));
      expect((await run(['--print-config', client, file, '--http', '--no-token'])).stdout).not.toContain('TOKEN');
    },
  );

  it('keep the options that were given, and start Node with the file of the command', async () => {
    const { file, folder } = place();
    const given = ['--mode', 'discovery', '--watch', '--stdio', '--compat', 'climax', '--eager', '--file', 'more.yaml'];
    writeFileSync(join(folder, 'more.yaml'), 'serve: { http: true }\n');
    const { code, stdout } = await run([...given, '--print-config', 'cursor', '--json', file], { cwd: folder });
    expect(code).toBe(0);
    const { mcpServers } = JSON.parse(JSON.parse(stdout).text);
    const flags = ['--stdio', '--mode', 'discovery', '--compat', 'climax', '--watch', '--eager'];
    expect(mcpServers.more).toEqual({
      command: process.execPath,
      args: [realpathSync(CLI), 'serve', ...flags, '--file', file, '--file', join(folder, 'more.yaml')],
    });
    const wrong = await run(['--mode', 'fast', '--print-config', 'cursor', file]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--mode must be one of')]);
  });

  it('are written beside what is there, with a copy of it', async () => {
    const { file, folder } = place();
    const home = mkdtempSync(join(tmpdir(), 'home-'));
    const env = { ...process.env, HOME: home };
    mkdirSync(join(home, '.cursor'));
    const before = '{ "theme": "dark", "mcpServers": { "other": { "command": "x" } } }';
    writeFileSync(join(home, '.cursor/mcp.json'), before);
    const refused = await run(['--print-config', 'cursor', '--install', file], { env, cwd: folder });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Add --yes');
    const { code, stdout } = await run(['--print-config', 'cursor', '--install', '--yes', file], { env, cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('Restart Cursor');
    const written = JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8'));
    expect(written).toMatchObject({ theme: 'dark', mcpServers: { other: { command: 'x' } } });
    expect(Object.keys(written.mcpServers)).toHaveLength(2);
    const copy = readdirSync(join(home, '.cursor')).find((name) => name.endsWith('.pegboard-backup'));
    expect(readFileSync(join(home, '.cursor', copy ?? ''), 'utf8')).toBe(before);
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), 'model = "x"');
    await run(['--print-config', 'codex', '--install', '--yes', file], { env });
    expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toMatch(
      /^model = "x"\n\n\[mcp_servers\.harbour\]\ncommand = "[^"]*node[^"]*"\nargs = \[[^\n]*\]$/,
    );
    await run(['--print-config', 'codex', '--install', '--yes', '--watch', file], { env });
    const tables = readFileSync(join(home, '.codex/config.toml'), 'utf8');
    expect([tables.match(/harbour\]/g)?.length, tables]).toEqual([1, expect.stringContaining('"--watch"')]);
  });

  it.for([
    ['cursor', '"API_TOKEN": "${env:API_TOKEN}"', 'set it in the environment of Cursor'],
    ['vscode', '"API_TOKEN": "${env:API_TOKEN}"', 'set it in the environment of VS Code'],
    ['windsurf', '"API_TOKEN": "${env:API_TOKEN}"', 'set it in the environment of Windsurf'],
    ['claude-code', '"API_TOKEN": "${API_TOKEN}"', 'set it in the environment of Claude Code'],
    ['gemini', '"API_TOKEN": "${API_TOKEN}"', 'set it in the environment of Gemini CLI'],
    ['codex', 'env_vars = ["API_TOKEN"]', 'set it in the environment of Codex'],
    ['claude', '"API_TOKEN": "YOUR_API_TOKEN"', 'replace YOUR_API_TOKEN in'],
  ])('name the variables that the board needs, never their values, for %s', async ([client = '', entry, told]) => {
    const { folder } = place();
    const file = join(folder, 'needy.yaml');
    const description = 'With ${API_TOKEN}, ${OWN} and ${LEVEL:-low}';
    const tools = [{ name: 'one', type: 'cli', command: 'true', description }];
    writeFileSync(file, JSON.stringify({ variables: { OWN: 'x' }, tools }));
    const env = { ...process.env, API_TOKEN: 'hunter2hunter2', LEVEL: 'high' };
    const { code, stdout, stderr } = await run(['--print-config', client, file], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining(entry ?? '')]);
    expect(stderr).toContain(told);
    expect(stdout + stderr).not.toMatch(/hunter2|OWN|LEVEL/);
  });

  it('keep the values that were filled in', async () => {
    const { folder } = place();
    const file = join(folder, 'needy.yaml');
    writeFileSync(
      file,
      'name: needy\ntools: [{ name: one, type: cli, command: "true", description: "${A_KEY} ${B_KEY}" }]',
    );
    const entry = { command: 'old', env: { A_KEY: 'mine' } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { needy: entry } }));
    await run(['--print-config', 'claude-code', '--install', '--yes', file], { cwd: folder });
    expect(JSON.parse(readFileSync(join(folder, '.mcp.json'), 'utf8'))).toMatchObject({
      mcpServers: { needy: { command: process.execPath, env: { A_KEY: 'mine', B_KEY: '${B_KEY}' } } },
    });
    expect((await run(['--print-config', 'claude-code', '--http', file])).stdout).not.toContain('KEY');
  });

  it('stay as they are where they cannot be read', async () => {
    const { file, folder } = place();
    mkdirSync(join(folder, '.vscode'));
    writeFileSync(join(folder, '.vscode/mcp.json'), '{ // mine\n');
    const { code, stderr } = await run(['--print-config', 'vscode', '--install', '--yes', file], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/it has a syntax error.*, so it was not changed. Add this yourself:\n\{/);
    expect(readFileSync(join(folder, '.vscode/mcp.json'), 'utf8')).toBe('{ // mine\n');
    expect((await run(['--print-config', 'emacs', file])).stderr).toContain('must be one of: claude');
  });
});
