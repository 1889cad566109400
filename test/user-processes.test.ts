// Two processes of one board that are killed: logins of users, and calls over plain HTTP that wait, go on in another.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { hashToken } from '../src/mcp/server/auth/token-authenticator.ts';
import { startGuardedServer } from './guarded-server.test-helper.ts';
import { startHttp } from './mcp/serve-process.test-helper.ts';

const TOKEN = 'ada-0123456789abcdef';

interface Served {
  readonly url: string;
  kill(): Promise<unknown>;
}

it('goes on in another process after kill -9, and after a restart', async () => {
  const upstream = await startGuardedServer();
  onTestFinished(() => upstream.close());
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'pegboard.yaml');
  const config = {
    mcpServers: { guarded: { url: `${upstream.url}/mcp`, protocol: '2025-11-25', auth: 'user', risk: 'read' } },
    tools: [{ name: 'sink', type: 'cli', description: 'Sink', command: 'echo sunk', risk: 'destructive' }],
    policy: { approval: { global: 'destructive' } },
    serve: { tokens: [{ name: 'ada', hash: hashToken(TOKEN) }] },
  };
  writeFileSync(file, JSON.stringify(config));
  const serve = async (): Promise<Served> => {
    const { child, url } = await startHttp(['-f', file]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const kill = async (): Promise<unknown> => {
      const over = once(child, 'exit');
      child.kill('SIGKILL');
      return over;
    };
    return { url, kill };
  };
  const call = async (
    { url }: Served,
    name: string,
    headers: object = {},
  ): Promise<{ status: number; body: Answer }> => {
    const sent = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers };
    const response = await fetch(new URL(`/tools/${name}`, url), { method: 'POST', body: '{}', headers: sent });
    // The test checks the server's answer itself.
    return { status: response.status, body: (await response.json()) as Answer };
  };
  interface Answer {
    readonly text?: string;
    readonly error?: { readonly loginUrl?: string };
    readonly approval?: { readonly id: string };
    readonly idempotencyKey?: string;
  }
  const [one, other] = await Promise.all([serve(), serve()]);
  const { body } = await call(one, 'guarded_login');
  const page = body.error?.loginUrl ?? '';
  const form = { method: 'POST', body: new URLSearchParams({ token: TOKEN }), redirect: 'manual' } as const;
  const sent = await fetch(page, form);
  const cookie = sent.headers.get('set-cookie')?.split(';')[0] ?? '';
  const visit = (address: string | null): Promise<Response> =>
    fetch(address ?? '', { headers: { 'x-account': 'alice', cookie }, redirect: 'manual' });
  const back = await visit((await visit(sent.headers.get('location'))).headers.get('location'));
  expect(back.status).toBe(200);
  const asked = await call(one, 'sink');
  expect(asked).toMatchObject({ status: 202, body: { status: 'waiting' } });
  await one.kill();

  // It has never heard of the user, and finds the login and the question in the store.
  expect((await call(other, 'guarded_login')).body.text).toBe('You are logged in at guarded.');
  expect((await call(other, 'guarded__whoami')).body.text).toBe('alice');
  const board = await openBoard(file, { cwd: folder, servers: 'cached' });
  onTestFinished(() => board.close());
  await board.approvals.answer(asked.body.approval?.id ?? '', { allow: true, by: 'boss' });
  const key = { 'idempotency-key': asked.body.idempotencyKey ?? '' };
  expect(await call(other, 'sink', key)).toMatchObject({
    status: 200,
    body: { text: expect.stringContaining('sunk') },
  });
  await other.kill();
  const again = await serve();
  expect((await call(again, 'guarded__whoami')).body.text).toBe('alice');
  expect((await call(again, 'sink', key)).status).toBe(409);
});
