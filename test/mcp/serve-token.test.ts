// Access over HTTP, and the people who answer approvals.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { answerOf, bearer, messagesOf, modern, openSession, post, sendRaw, textOf } from './http-client.test-helper.ts';
import { CLI } from '../cli-program.test-helper.ts';
import { BOARD, placeBoard, startHttp, waitForText } from './serve-process.test-helper.ts';
import { dataOf } from '../data-folder.test-helper.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

function place(text?: string) {
  const board = placeBoard(text);
  cleanUp.push(board.remove);
  return board;
}

async function start(args: readonly string[], env?: NodeJS.ProcessEnv) {
  const served = await startHttp(args, env);
  cleanUp.push(() => void served.child.kill('SIGKILL'));
  return served;
}

/** Runs `pegboard serve` to its end. */
function run(args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'serve', ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;
const CALL = { method: 'tools/call', params: { name: 'hail', arguments: { ship: 'Ada' } } };
const SINK = { name: 'sink', arguments: { ship: 'Ada' } };
const ASKS = { elicitation: {} };
const YES = { action: 'accept', content: { approve: true } };

describe('a board that names no token', () => {
  it('has one of its own: made at the first start, kept for this user alone, shown on request', async () => {
    const { file, folder } = place();
    // The folder may be open to all users, and so may what the umask leaves.
    mkdirSync(dataOf(folder), { recursive: true });
    chmodSync(dataOf(folder), 0o777);
    const { url, child } = await start([file]);
    for (const headers of [{}, bearer('guess'.repeat(5))]) expect((await modern(url, CALL, headers)).status).toBe(401);
    expect(modeOf(join(dataOf(folder), 'serve-token'))).toBe(0o600);
    const { stdout } = await run(['--show-token', file]);
    const token = stdout.trim();
    expect(token).toBe(readFileSync(join(dataOf(folder), 'serve-token'), 'utf8').trim());
    expect(textOf(await answerOf(modern(url, CALL, bearer(token))))).toBe('ahoy Ada\n');
    child.kill('SIGKILL');
    const again = await start([file]);
    expect((await modern(again.url, CALL, bearer(token))).status).toBe(200);
  });

  it('has the same one for all processes that start at once', async () => {
    const { file } = place();
    const shown = await Promise.all(Array.from({ length: 6 }, () => run(['--show-token', file])));
    const tokens = new Set(shown.map(({ stdout }) => stdout));
    expect([...tokens]).toEqual([expect.stringMatching(/^pb_[\w-]{43}\n$/)]);
  });

  it('is not the one that clients need where PEGBOARD_TOKEN is set, and says so', async () => {
    const { file } = place();
    const { stdout } = await run(['--show-token', file]);
    const set = await run(['--show-token', file], { env: { ...process.env, PEGBOARD_TOKEN: 'another-token-of-mine' } });
    expect(set).toEqual({
      code: 0,
      stdout,
      stderr: 'PEGBOARD_TOKEN is set: a server started with it uses that token instead.\n',
    });
    const same = await run(['--show-token', file], { env: { ...process.env, PEGBOARD_TOKEN: stdout.trim() } });
    expect(same.stderr).toBe('');
  });

  it.each([['--show-token'], ['--print-config', 'cursor', '--http']])(
    'is not made for a file that is not there: %s',
    async (...args) => {
      const { folder } = place();
      const { code, stdout, stderr } = await run([...args, 'nowhere.yaml'], { cwd: folder });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('nowhere.yaml');
      expect(existsSync(dataOf(folder))).toBe(false);
    },
  );

  it('does not use one that others may have read', async () => {
    const { file, folder } = place();
    await run(['--show-token', file]);
    const kept = join(dataOf(folder), 'serve-token');
    chmodSync(kept, 0o644);
    const { code, stdout, stderr } = await run(['--http', '--port', '0', file]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `The file ${kept} may be read by others (mode 644), so it is not used. Delete it to get a new one.`,
    );
  });

  it('is open to every process of this machine with --no-token, and says so', async () => {
    const { file, folder } = place();
    const { url, child } = await start([file, '--no-token']);
    expect(textOf(await answerOf(modern(url, CALL)))).toBe('ahoy Ada\n');
    expect(existsSync(join(dataOf(folder), 'serve-token'))).toBe(false);
    child.kill('SIGKILL');
    const both = await run(['--http', '--no-token', '--token', 'x'.repeat(20), file]);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('--no-token and --token cannot be used together.'),
    ]);
    const named = place(BOARD.replace('serve: {', 'serve: { token: a-token-of-the-files,'));
    const refused = await run(['--http', '--no-token', '--port', '0', named.file]);
    expect(refused.stderr).toContain('--no-token cannot be used with the tokens of the config');
    const none = await run(['--show-token', named.file]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('This board has no token of its own')]);
  });
});

describe('a client over HTTP', () => {
  it('without a token does not approve destructive calls, its own least of all', async () => {
    const { file } = place();
    const { url } = await start([file, '--no-token']);
    const asked = await answerOf(modern(url, { method: 'tools/call', params: SINK, capabilities: ASKS }));
    expect(asked?.result).toMatchObject({ isError: true });
    expect(textOf(asked)).toContain('no one can be asked here');
    const session = await openSession(url, {}, ASKS);
    const heard = [];
    for await (const message of messagesOf(await post(url, { id: 1, method: 'tools/call', params: SINK }, session)))
      heard.push(message);
    expect(heard).toMatchObject([{ id: 1, result: { isError: true } }]);
  });

  it('with a token does, and without one it may for other calls', async () => {
    const { file } = place();
    const { url } = await start([file, '--token', 'a-token-of-the-tests']);
    const ask = { method: 'tools/call', params: SINK, capabilities: ASKS };
    const headers = bearer('a-token-of-the-tests');
    const asked = await answerOf(modern(url, ask, headers));
    const { inputRequests, requestState } = asked?.result ?? {};
    const [key = ''] = Object.keys(Object(inputRequests));
    const params = { ...SINK, inputResponses: { [key]: YES }, requestState };
    expect(textOf(await answerOf(modern(url, { ...ask, params }, headers)))).toBe('sunk Ada\n');
    const milder = place(
      BOARD.replace('risk: destructive', 'risk: write').replace('global: destructive', 'global: write'),
    );
    const open = await start([milder.file, '--no-token']);
    expect((await answerOf(modern(open.url, ask)))?.result).toMatchObject({ resultType: 'input_required' });
  });

  it('does not answer where serve.approvals leaves it out, and no person is asked where it is empty', async () => {
    for (const [approvals, headless, expected] of [
      ['[]', 'deny', 'no one can be asked here'],
      ['[]', 'approve', 'sunk Ada\n'],
      ['[terminal]', 'deny', 'no one can be asked here'],
    ] as const) {
      const { file } = place(
        BOARD.replace('serve: {', `serve: { approvals: ${approvals},`).replace(
          'global: destructive',
          `global: destructive, headless: ${headless}`,
        ),
      );
      const { url, child } = await start([file, '--token', 'a-token-of-the-tests']);
      const ask = { method: 'tools/call', params: SINK, capabilities: ASKS };
      const answer = await answerOf(modern(url, ask, bearer('a-token-of-the-tests')));
      expect(textOf(answer)).toContain(expected);
      child.kill('SIGKILL');
    }
  });

  it.for(['Host', 'Authorization', 'Origin', 'Content-Length', 'Mcp-Session-Id', 'Content-Type'])(
    'that sends %s twice is refused',
    async (name) => {
      const { file } = place();
      const { url } = await start([file, '--no-token']);
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const headers = [
        ['Host', '127.0.0.1'],
        ['Authorization', 'Bearer x'],
        ['Origin', 'http://localhost'],
        ['Content-Length', String(body.length)],
        ['Mcp-Session-Id', 'x'],
        ['Content-Type', 'application/json'],
        ['Connection', 'close'],
      ].flatMap(([key, value]) => Array.from({ length: key === name ? 2 : 1 }, () => `${key}: ${value}\r\n`));
      const heard = await sendRaw(url, `POST /mcp HTTP/1.1\r\n${headers.join('')}\r\n${body}`);
      expect(heard).toMatch(/^HTTP\/1\.1 400 /);
      // Node refuses a second length by itself.
      if (name !== 'Content-Length')
        expect(heard).toContain(`The header \\"${name.toLowerCase()}\\" stands there more than once`);
    },
  );

  it('that leaves many sessions idle keeps no other client out', async () => {
    const { file } = place(BOARD.replace('serve: {', 'serve: { limits: { max_sessions: 3 },'));
    const { url } = await start([file, '--no-token']);
    const sessions = [];
    for (let count = 0; count < 8; count++) sessions.push(await openSession(url));
    const statuses = await Promise.all(
      sessions.map(async (session) => (await post(url, { id: 1, method: 'ping' }, session)).status),
    );
    expect(statuses).toEqual([404, 404, 404, 404, 404, 200, 200, 200]);
  });
});

describe('the configs of clients over HTTP', () => {
  const env = (home: string): NodeJS.ProcessEnv => ({ ...process.env, HOME: home, PEGBOARD_TOKEN: '' });
  const makeHome = (): string => {
    const home = mkdtempSync(join(tmpdir(), 'home-'));
    cleanUp.push(() => rmSync(home, { recursive: true, force: true }));
    return home;
  };

  it.for([
    ['cursor', 'Bearer ${env:PEGBOARD_TOKEN}'],
    ['vscode', 'Bearer ${env:PEGBOARD_TOKEN}'],
    ['windsurf', 'Bearer ${env:PEGBOARD_TOKEN}'],
    ['claude-code', 'Bearer ${PEGBOARD_TOKEN}'],
    ['gemini', 'Bearer ${PEGBOARD_TOKEN}'],
    ['codex', 'bearer_token_env_var = "PEGBOARD_TOKEN"'],
  ])('name the variable of the token for %s', async ([client = '', expected = '']) => {
    const { file } = place();
    const { stdout, stderr } = await run(['--print-config', client, '--http', file], { env: env(makeHome()) });
    expect(stdout).toContain(expected);
    expect(stderr).toContain(`pegboard serve --show-token ${file}`);
    expect(stdout + stderr).not.toContain('pb_');
  });

  it('are not for Claude Desktop, which starts its servers itself', async () => {
    const { file } = place();
    const home = makeHome();
    const { code, stderr } = await run(['--print-config', 'claude', '--install', '--yes', '--http', file], {
      env: env(home),
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'Claude Desktop does not support addresses in its config: it starts servers itself. Omit --http.',
    );
    expect(existsSync(join(home, '.config/Claude'))).toBe(false);
  });

  it('connect to a board whose file says that it is served over HTTP', async () => {
    const { file } = place();
    const served = (section: string): string => {
      const named = join(dirname(file), 'served.yaml');
      writeFileSync(named, `name: harbour\nserve: ${section}\n`);
      return named;
    };
    const entryOf = async (section: string): Promise<unknown> => {
      const { stdout } = await run(['--print-config', 'cursor', served(section)], { env: env(makeHome()) });
      return JSON.parse(stdout).mcpServers.harbour;
    };
    const headers = { Authorization: 'Bearer ${env:PEGBOARD_TOKEN}' };
    expect(await entryOf('{ http: true, port: 8800 }')).toEqual({ url: 'http://127.0.0.1:8800/mcp', headers });
    const reachable = '{ http: true, host: 0.0.0.0, allowed_hosts: [board.example.com] }';
    expect(await entryOf(reachable)).toEqual({ url: 'http://board.example.com:7331/mcp', headers });
    expect(await entryOf("{ http: true, host: '::' }")).toEqual({ url: 'http://127.0.0.1:7331/mcp', headers });
    const desktop = await run(['--print-config', 'claude', served('{ http: true }')], { env: env(makeHome()) });
    expect(desktop.stderr).toContain(
      'Claude Desktop does not support addresses in its config: it starts servers itself. Add --stdio.',
    );
  });

  it('start the copy that printed them', async () => {
    const { file } = place();
    const { stdout } = await run(['--print-config', 'cursor', file], { env: env(makeHome()) });
    expect(JSON.parse(stdout).mcpServers.harbour).toEqual({
      command: process.execPath,
      args: [realpathSync(CLI), 'serve', '--file', file],
    });
  });
});

it('tells the token of the built-in example, which goes with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serve-none-'));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [CLI, 'serve', '--http', '--port', '0'], { cwd: folder });
  cleanUp.push(() => void child.kill('SIGTERM'));
  const text = await waitForText(child.stderr, /only for this run: \S+/);
  const [, token = ''] = /for this run: (\S+)/.exec(text) ?? [];
  const [url = ''] = /http:[^\s,]+/.exec(text) ?? [];
  expect((await modern(url, { method: 'tools/list' }, bearer(token))).status).toBe(200);
});
