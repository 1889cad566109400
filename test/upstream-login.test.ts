import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { type GuardedServer, startGuardedServer } from './guarded-server.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-login-'));
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
  server.valid.clear();
  server.grants.length = 0;
  rmSync(dataOf(folder), { recursive: true, force: true });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** A person in front of a browser. */
const login = {
  redirectUri: 'http://127.0.0.1:9/callback',
  authorize: async (address: string) =>
    (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? 'nowhere',
};

it('names the command to run, keeps the token of a login, and renews it', async () => {
  const stranger = await openBoard(file);
  await stranger.ready();
  expect(stranger.diagnostics.map(({ message }) => message).join('\n')).toContain(
    'it needs a login. Run: pegboard mcp login guarded.',
  );
  await stranger.close();

  const first = await openBoard(file, { login });
  expect((await first.call('guarded__ping')).text).toBe('pong');
  await first.close();
  expect(server.grants).toEqual(['authorization_code']);

  const second = await openBoard(file);
  expect((await second.call('guarded__ping')).text).toBe('pong');
  expect(server.grants).toHaveLength(1);
  server.valid.clear();
  expect((await second.call('guarded__ping')).text).toBe('pong');
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  await second.close();

  const manifests = join(dataOf(folder), 'mcp');
  for (const name of readdirSync(manifests)) {
    const text = readFileSync(join(manifests, name), 'utf8');
    for (const secret of server.secrets) expect(text).not.toContain(secret);
  }
});

it('keeps tokens out of what the server says, those of a login, a renewal and an earlier run', async () => {
  const leak = async (board: Awaited<ReturnType<typeof openBoard>>): Promise<void> => {
    const { text } = await board.call('guarded__leak');
    expect(text).toContain('"authorization":"Bearer [redacted]"');
    // The newest of both kinds.
    for (const secret of [...server.secrets].slice(-2)) expect(board.redact(`<${secret}>`)).toBe('<[redacted]>');
  };
  const board = await openBoard(file, { login });
  await leak(board);
  server.valid.clear();
  await leak(board);
  // The servers, and their tokens, outlive a reading of the files.
  await board.reload();
  server.valid.clear();
  await leak(board);
  await board.close();
  const later = await openBoard(file);
  expect((await later.call('guarded__leak')).text).toContain('"authorization":"Bearer [redacted]"');
  await later.close();
});

it('renews a token once for several boards that want another at the same time', async () => {
  const first = await openBoard(file, { login });
  expect((await first.call('guarded__ping')).text).toBe('pong');
  const boards = [first, await openBoard(file), await openBoard(file)];
  for (const board of boards) expect((await board.call('guarded__ping')).text).toBe('pong');
  server.valid.clear();
  const results = await Promise.all(boards.map((board) => board.call('guarded__ping')));
  expect(results.map(({ text }) => text)).toEqual(['pong', 'pong', 'pong']);
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  await Promise.all(boards.map((board) => board.close()));
});

it('refuses a login that comes back with another state', async () => {
  const board = await openBoard(file, {
    login: { ...login, authorize: async () => 'http://127.0.0.1:9/callback?code=1&state=x' },
  });
  await board.ready();
  expect(board.diagnostics.map(({ message }) => message).join('\n')).toContain('came back with a different state');
  await board.close();
});

it('sends the secret of a client to the first authorization server alone that its server names', async () => {
  const other = await startGuardedServer();
  onTestFinished(() => {
    server.issuer = undefined;
    other.close();
  });
  const own = join(folder, 'own-client.yaml');
  const oauth = { client_id: 'desk', client_secret: 'the-secret-of-the-desk' };
  const write = (more: object = {}): void => {
    const guarded = { url: `${server.url}/mcp`, protocol: '2025-11-25', oauth: { ...oauth, ...more } };
    writeFileSync(own, JSON.stringify({ mcpServers: { guarded } }));
  };
  const ping = async (): Promise<string> => {
    const board = await openBoard(own, { login });
    const { text } = await board.call('guarded__ping');
    await board.close();
    return text;
  };
  write();
  expect(await ping()).toBe('pong');
  server.valid.clear();
  server.issuer = other.url;
  expect(await ping()).toContain(
    `its authorization server is ${other.url} now, and was ${server.url} before: it is not sent oauth.client_secret. If that is right, set oauth.issuer to it.`,
  );
  expect(other.grants).toEqual([]);
  write({ issuer: other.url });
  await ping();
  expect(new Set(other.grants)).toEqual(new Set(['authorization_code', 'refresh_token']));
});
