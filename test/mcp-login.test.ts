// `pegboard mcp login` as people run it, with a browser that follows redirects.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openBoard } from '../src/index.ts';
import { type GuardedServer, startGuardedServer } from './guarded-server.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';
import { waitForText } from './mcp/serve-process.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-mcp-login-'));
const file = join(folder, 'pegboard.yaml');
let server: GuardedServer;

beforeAll(async () => {
  server = await startGuardedServer();
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { guarded: { url: `${server.url}/mcp`, protocol: '2025-11-25' } } }),
  );
});
beforeEach(() => {
  server.refuseWith = undefined;
  server.valid.clear();
  rmSync(dataOf(folder), { recursive: true, force: true });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function run(...args: string[]) {
  const child = spawn(process.execPath, [CLI, 'mcp', 'login', ...args], { cwd: folder });
  return { child, stdout: text(child.stdout), stderr: text(child.stderr), exit: once(child, 'exit') };
}

/** Starts a login and waits for the address that it prints. */
async function startLogin(...args: string[]) {
  const login = run('guarded', ...args);
  const printed = await waitForText(login.child.stderr, /http:\S+\n/);
  const address = new URL(/http:\S+/.exec(printed)?.[0] ?? '');
  return { ...login, address, callback: new URL(address.searchParams.get('redirect_uri') ?? '') };
}

it('logs a person in, and keeps the token for every later run', async () => {
  const { address, callback, exit, stdout, stderr } = await startLogin();
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'made-here',
    code_challenge_method: 'S256',
    resource: `${server.url}/mcp`,
  });
  expect([callback.hostname, callback.pathname]).toEqual(['127.0.0.1', '/callback']);
  const page = await fetch(address);
  expect([page.status, await page.text()]).toEqual([200, 'You can close this page and go back to the terminal.\n']);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(await exit).toEqual([0, null]);
  expect(await stdout).toBe('guarded answers, with 3 tools.\n');
  for (const secret of server.secrets) expect((await stdout) + (await stderr)).not.toContain(secret);
  const board = await openBoard(file);
  expect((await board.call('guarded__ping')).text).toBe('pong');
  await board.close();
});

it('goes on waiting when a page of another site sends the browser back', async () => {
  const { address, callback, exit } = await startLogin('--json');
  for (const query of ['?code=theirs', '?code=theirs&state=guess', '?error=access_denied&state=']) {
    const page = await fetch(callback.href + query);
    expect(page.status).toBe(400);
    expect(await page.text()).toContain('does not belong to the login at the terminal');
  }
  expect((await fetch(new URL('/', callback))).status).toBe(404);
  expect((await fetch(callback)).status).toBe(404);
  const state = address.searchParams.get('state');
  expect((await fetch(`${callback.href}?code=x&state=${state}`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(address)).status).toBe(200);
  expect(await exit).toEqual([0, null]);
});

it('says on the page and in the terminal that the login was refused', async () => {
  server.refuseWith = 'access_denied';
  const { address, exit, stderr } = await startLogin();
  const page = await fetch(address);
  expect(page.status).toBe(400);
  expect(await page.text()).toContain('The login was refused.');
  expect(await exit).toEqual([1, null]);
  expect(await stderr).toContain('the login was refused (access_denied)');
});

it('gives no token for a code that was issued to another login', async () => {
  const { address, callback, exit, stdout } = await startLogin('--json');
  const state = address.searchParams.get('state') ?? '';
  await fetch(`${callback.href}?code=stolen&state=${encodeURIComponent(state)}`);
  expect(await exit).toEqual([1, null]);
  expect(JSON.parse(await stdout)).toMatchObject({
    server: 'guarded',
    ok: false,
    error: expect.stringContaining('gave no token (invalid_grant)'),
  });
});

it('ends at once when the person gives up', async () => {
  const { child, exit } = await startLogin();
  child.kill('SIGINT');
  expect(await exit).toEqual([130, null]);
});

it('says what is wrong with the command line', async () => {
  const unknown = run('trakcer');
  expect(await unknown.exit).toEqual([2, null]);
  expect(await unknown.stderr).toContain('There is no server "trakcer" under mcpServers. There are: guarded.');
  const taken = run('guarded', '--port', new URL(server.url).port);
  expect(await taken.exit).toEqual([2, null]);
  expect(await taken.stderr).toContain('it is in use');
});
