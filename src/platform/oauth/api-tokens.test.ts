import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startApiWithLogin } from '../../../test/authorization-server.test-helper.ts';
import { openClient } from '../http/loopback-server.test-helper.ts';
import { openBoardStore } from '../store/open-board-store.ts';
import { type ApiClient, ApiTokens } from './api-tokens.ts';
import { createOAuthHttp } from './oauth-http.ts';

const { signal } = new AbortController();
const person = { redirectUri: '', authorize: () => Promise.reject(new Error('no browser')), showCode: () => {} };

/** Prepares an API, a clock that tests set, and a function that opens the tokens like another process. */
async function prepare(client: Partial<ApiClient> = {}) {
  const api = await startApiWithLogin();
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-api-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sleeps: number[] = [];
  let now = 1_000_000;
  const state = { isStill: false };
  const clock = {
    now: () => now,
    random: () => 0,
    sleep: async (milliseconds: number) => {
      sleeps.push(milliseconds);
      if (!state.isStill) now += milliseconds;
      // Lets other work run.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const http = createOAuthHttp([api.origin], () => openClient().connect());
  const open = (): ApiTokens => {
    const store = openBoardStore({ folder, clock });
    onTestFinished(() => store.close());
    const urls = { tokenUrl: `${api.origin}/token`, deviceUrl: `${api.origin}/device` };
    const whole: ApiClient = { name: 'desk', grant: 'device', clientId: 'public', ...urls, ...client };
    return new ApiTokens({ client: whole, http, clock, closed: signal, store: () => store, learn: () => {} });
  };
  return { api, open, sleeps, state, pass: (milliseconds: number) => (now += milliseconds) };
}

it('renews a token a minute before it expires with the newest refresh token, and sends no other requests', async () => {
  const { api, open, pass } = await prepare();
  const tokens = open();
  await tokens.login(person, signal);
  const first = await tokens.access();
  pass(3539_000);
  expect(await tokens.access()).toBe(first);
  pass(2000);
  const second = await tokens.access();
  expect(second).not.toBe(first);
  pass(3600_000);
  // Each process sees the tokens of the other.
  const other = open();
  const third = await other.access();
  expect(await tokens.access()).toBe(third);
  expect(api.grants).toEqual(['device_code', 'refresh_token', 'refresh_token']);
});

it('uses a login of another process while its own token is still valid', async () => {
  const { open, pass } = await prepare();
  const [serving, terminal] = [open(), open()];
  await serving.login(person, signal);
  const first = await serving.access();
  await terminal.login(person, signal);
  pass(5001);
  expect(await serving.access()).not.toBe(first);
  expect(await serving.access()).toBe(await terminal.access());
});

it('uses a refresh token once for any number of processes', async () => {
  const { api, open, sleeps, state } = await prepare();
  const all = [open(), open(), open()];
  await all[0]?.login(person, signal);
  const refused = await Promise.all(all.map((tokens) => tokens.access()));
  expect(new Set(refused).size).toBe(1);
  sleeps.length = 0;
  // Time stands still while processes wait, so no turn expires.
  state.isStill = true;
  const gate = Promise.withResolvers<void>();
  api.gate = gate.promise;
  const renewals = all.flatMap((tokens) => [tokens.renew(refused[0] ?? ''), tokens.renew(refused[0] ?? '')]);
  await expect.poll(() => sleeps.length).toBeGreaterThan(4);
  gate.resolve();
  expect(await Promise.all(renewals)).toEqual(renewals.map(() => true));
  expect(new Set(await Promise.all(all.map((tokens) => tokens.access()))).size).toBe(1);
  expect(api.grants).toEqual(['device_code', 'refresh_token']);
});

it('takes over the turn of a process that ended', async () => {
  const { api, open, pass, sleeps } = await prepare();
  const ended = open();
  await ended.login(person, signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  api.gate = promise;
  pass(3600_000);
  const unheard = ended.access().catch(() => {});
  await expect.poll(() => api.seen.filter(({ target }) => target === '/token').length).toBe(2);
  api.gate = Promise.resolve();
  sleeps.length = 0;
  expect(await open().access()).toMatch(/^access-/);
  expect(sleeps.reduce((sum, sleep) => sum + sleep, 0)).toBeGreaterThan(20_000);
  resolve();
  await unheard;
});

it('requires a login once after a refused refresh token, and keeps one made meanwhile', async () => {
  const { api, open, pass } = await prepare();
  const [tokens, thief] = [open(), open()];
  await tokens.login(person, signal);
  const stolen = await thief.access();
  pass(3600_000);
  api.grants.length = 0;
  // It was used elsewhere, so the stored one is invalid.
  const kept = api.secrets.find((secret) => secret.startsWith('refresh')) ?? '';
  const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'public', refresh_token: kept });
  await fetch(`${api.origin}/token`, { method: 'POST', body: form });
  await expect(tokens.access()).rejects.toThrow('it needs a login. Run: pegboard login desk');
  await expect(thief.renew(stolen)).rejects.toThrow('it needs a login');
  expect(api.grants).toEqual(['refresh_token', '!refresh_token']);
  expect(await tokens.isReady()).toBe(false);
  await thief.login(person, signal);
  expect(await tokens.access()).toBe(await thief.access());
  expect(await tokens.isReady()).toBe(true);
});

it('keeps a login when a server is busy, or a proxy answers in its place', async () => {
  const { api, open, pass } = await prepare();
  const tokens = open();
  await tokens.login(person, signal);
  pass(3600_000);
  const faults = [
    { status: 429, body: { error: 'too_many_requests' } },
    { status: 429, body: 'slow down' },
    { status: 403, body: '<h1>Blocked</h1>' },
    { status: 407, body: '' },
    { status: 400, body: { error: 'temporarily_unavailable' } },
  ];
  for (const fault of faults) {
    api.faults.push(fault);
    await expect(tokens.access()).rejects.toThrow(`${api.origin} gave no token`);
  }
  expect(await tokens.access()).toMatch(/^access-/);
});

it("polls for a device login at the server's pace, and reports its end", async () => {
  const { api, open, sleeps } = await prepare();
  api.pending.push('authorization_pending', 'slow_down', 'authorization_pending');
  await open().login(person, signal);
  expect(sleeps).toEqual([10, 10, 5010, 5010]);
  api.pending.push('access_denied');
  await expect(open().login(person, signal)).rejects.toThrow('the login was refused');
  api.pending.push('expired_token');
  await expect(open().login(person, signal)).rejects.toThrow('the code was not typed in time. Run the command again');
  api.pending.push(...Array.from({ length: 200 }, () => 'slow_down'));
  await expect(open().login(person, signal)).rejects.toThrow('the code was not typed in time');
  api.pending.length = 0;
  api.pending.push('invalid_scope');
  await expect(open().login(person, signal)).rejects.toThrow(`${api.origin} gave no token (invalid_scope)`);
});
