import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { type Board, openBoard } from '../src/index.ts';
import { type ApiWithLogin, startApiWithLogin } from './authorization-server.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), 'pegboard-http-oauth-'));
afterAll(() => rmSync(home, { recursive: true }));
let count = 0;

/** The folder of a board whose tools call an API with OAuth. */
function writeBoard({ origin }: ApiWithLogin, auth: object): string {
  const folder = join(home, String(++count));
  mkdirSync(folder);
  const tool = { type: 'http', description: 'x', allow_hosts: ['127.0.0.1'] };
  const config = {
    name: 'desk',
    http: { base_url: `${origin}/api`, auth: { type: 'oauth', token_url: `${origin}/token`, ...auth } },
    tools: [
      { ...tool, name: 'read', risk: 'read', requests: [{ url: '/me' }] },
      { ...tool, name: 'write', requests: [{ method: 'POST', url: '/me', body: { a: 1 } }] },
    ],
  };
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
  return folder;
}

async function open(folder: string): Promise<Board> {
  const board = await openBoard(join(folder, 'pegboard.yaml'), { env: {} });
  onTestFinished(() => board.close());
  return board;
}

/** A person in front of a browser, who types in the codes that are shown. */
const person = {
  redirectUri: 'http://127.0.0.1:9/callback',
  authorize: async (address: string) =>
    (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? 'nowhere',
  showCode: () => {},
};
const CLIENT = { grant: 'client_credentials', client_id: 'client', client_secret: 'client-secret-1' };
const { signal } = new AbortController();

function pegboard(folder: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], NO_COLOR: '1' };
  return run(process.execPath, [CLI, ...args], { cwd: folder, env });
}

it('gets one token for many calls, keeps it between runs, and gets another when it is refused', async () => {
  const api = await startApiWithLogin();
  const folder = writeBoard(api, CLIENT);
  const board = await open(folder);
  const results = await Promise.all(['read', 'write', 'read', 'write', 'read'].map((name) => board.call(name)));
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  expect(api.grants).toEqual(['client_credentials']);
  // The API repeats what it was sent.
  expect(results.map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => '{"said":"Bearer [redacted]"}'));

  const later = await open(folder);
  expect(await later.call('read')).toMatchObject({ ok: true });
  expect(api.grants).toHaveLength(1);
  api.valid.clear();
  // A request that is refused has done nothing: also one that writes is sent again.
  expect((await Promise.all([later.call('write'), later.call('write')])).map(({ ok }) => ok)).toEqual([true, true]);
  expect(api.grants).toHaveLength(2);
  // The board that is still open finds the new token.
  expect(await board.call('write')).toMatchObject({ ok: true });
  expect(api.grants).toHaveLength(2);
  expect(await board.dryRun('read')).toMatchObject({ steps: [{ auth: 'oauth (client_credentials)' }] });
});

it('ends a call that is cancelled while a token is got, and gets the token for the others', async () => {
  const api = await startApiWithLogin();
  const board = await open(writeBoard(api, CLIENT));
  const gate = Promise.withResolvers<void>();
  api.gate = gate.promise;
  const cancel = new AbortController();
  const [cancelled, other] = [board.call('write', {}, { signal: cancel.signal }), board.call('write')];
  await expect.poll(() => api.seen.length).toBe(1);
  cancel.abort();
  expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  gate.resolve();
  expect(await other).toMatchObject({ ok: true });
  expect(api.grants).toEqual(['client_credentials']);
  expect(api.seen.map(({ target }) => target)).toEqual(['/token', '/api/me']);
});

it('asks an issuer for its addresses, and believes only what speaks for it', async () => {
  const api = await startApiWithLogin();
  const call = async (issuer: string): Promise<string> => {
    const board = await open(writeBoard(api, { ...CLIENT, token_url: undefined, issuer }));
    return (await board.call('read')).text;
  };
  expect(await call(api.origin)).toBe('{"said":"Bearer [redacted]"}');
  const form = new URLSearchParams(api.seen.find(({ target }) => target === '/token')?.body.toString());
  // As the issuer says that it wants it.
  expect(form.get('client_secret')).toBe('client-secret-1');
  expect(await call(`${api.origin}/other`)).toContain(
    `describes https://other.example.com instead of ${api.origin}/other`,
  );
  expect(await call(`${api.origin}/inside`)).toContain('169.254.169.254');
  expect(api.grants).toEqual(['client_credentials']);
});

it('says why a client gets no token, and does not ask for it with every call', async () => {
  const api = await startApiWithLogin();
  const board = await open(writeBoard(api, { ...CLIENT, client_secret: 'wrong-secret' }));
  const results = [await board.call('read'), await board.call('write')];
  const message = `The request was not sent: there is no token for the API "desk", because ${api.origin} gave no token (invalid_client). The operator of the tool must check auth.client_id and auth.client_secret.`;
  expect(results.map((result) => (result.ok ? undefined : [result.error.code, result.error.message]))).toEqual([
    ['permission_denied', message],
    ['permission_denied', message],
  ]);
  expect(api.seen.map(({ target }) => target)).toEqual(['/token']);

  const away = await open(writeBoard(api, { ...CLIENT, token_url: 'http://127.0.0.1:1/token' }));
  expect(await away.call('write')).toMatchObject({
    ok: false,
    error: { code: 'upstream_unavailable', recoverable: true },
  });
});

it.each([
  ['device', 'device_url', '/device'],
  ['authorization_code', 'authorize_url', '/authorize'],
])('names the command for a login (%s), and renews what it gave', async (grant, key, path) => {
  const api = await startApiWithLogin();
  const auth = { grant, [key]: api.origin + path, client_id: 'public', name: 'my-api', scope: 'a b' };
  const board = await open(writeBoard(api, auth));
  const message =
    'The request was not sent: there is no token for the API "my-api", because it needs a login. Run: pegboard login my-api.';
  expect(await board.call('read')).toMatchObject({ ok: false, error: { code: 'permission_denied', message } });
  expect(api.seen).toEqual([]);

  const [login, ...others] = await board.logins();
  expect(others).toEqual([]);
  expect(login).toMatchObject({ name: 'my-api', grant, tools: ['read', 'write'], isReady: false });
  await login?.login(person, signal);
  expect(await board.logins()).toMatchObject([{ isReady: true }]);
  expect(await board.call('read')).toMatchObject({ ok: true });
  api.valid.clear();
  expect(await board.call('write')).toMatchObject({ ok: true });
  expect(api.grants).toEqual([grant === 'device' ? 'device_code' : grant, 'refresh_token']);
  for (const secret of api.secrets.filter((text) => /^(?:access|refresh)/.test(text))) {
    expect(board.redact(`x ${secret} y`)).toBe('x [redacted] y');
  }
});

it('lets one of several processes use a refresh token, and doctor name the command', async () => {
  const api = await startApiWithLogin();
  const folder = writeBoard(api, { grant: 'device', device_url: `${api.origin}/device`, client_id: 'public' });
  await expect(pegboard(folder, 'doctor')).rejects.toMatchObject({
    stdout: expect.stringMatching(/missing\s+login\s+desk\s+needs a login; run pegboard login desk \(read, write\)/),
  });
  api.pending.push('authorization_pending');
  api.lifetime = 0.000_1;
  const { stdout, stderr } = await pegboard(folder, 'login', 'desk');
  expect(stdout).toBe('Logged in to desk, for 2 tools.\n');
  expect(stderr).toBe(`Open this address in a browser:\n${api.origin}/type-it-here\nand enter this code:\nWDJB-MJHT\n`);
  expect(api.grants).toEqual(['!device_code', 'device_code']);

  await expect(pegboard(folder, 'login', 'dsk')).rejects.toMatchObject({
    stderr: expect.stringContaining('There is no login "dsk". There are: desk.'),
  });

  // All of them want a new token while the server takes its time.
  const gate = Promise.withResolvers<void>();
  api.gate = gate.promise;
  api.lifetime = 3600;
  const isAsked = (): boolean => api.seen.filter(({ target }) => target === '/token').length > 2;
  const calls = [1, 2, 3].map(() => pegboard(folder, 'call', 'read'));
  await expect.poll(isAsked, { timeout: 30_000 }).toBe(true);
  gate.resolve();
  for (const { stdout: text } of await Promise.all(calls)) expect(text).toBe('{"said":"Bearer [redacted]"}\n');
  expect(api.grants).toEqual(['!device_code', 'device_code', 'refresh_token']);
  expect((await pegboard(folder, 'login', 'desk', '--forget')).stdout).toBe('Deleted the login to desk.\n');
  expect((await pegboard(folder, 'login')).stdout).toBe('desk  needs a login, for 2 tools\n');
});
