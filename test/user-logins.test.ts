// Servers at which each user logs in: on pages of the board, with one token for each user, in all processes of the board.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createAuthenticator } from '../src/features/serving/commands/serve/create-authenticator.ts';
import { type Board, openBoard } from '../src/index.ts';
import { type HttpServer, serveHttp } from '../src/mcp.ts';
import { hashToken } from '../src/mcp/server/auth/token-authenticator.ts';
import { type GuardedServer, startGuardedServer } from './guarded-server.test-helper.ts';

const TOKENS = { ada: 'ada-0123456789abcdef', bob: 'bob-0123456789abcdef' };
type Who = keyof typeof TOKENS;
/** Enough to meet each other in all that renews and reloads; more with PEGBOARD_TEST_CALLS=10000. */
const CALLS = Number(process.env['PEGBOARD_TEST_CALLS'] ?? 1_000);
const open: (() => Promise<unknown>)[] = [];
let upstream: GuardedServer;
let folder: string;

beforeAll(async () => {
  upstream = await startGuardedServer();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-users-'));
  write({});
});
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => upstream.close());

function write(entry: object): void {
  const guarded = { url: `${upstream.url}/mcp`, protocol: '2025-11-25', auth: 'user', ...entry };
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ record: 'off', mcpServers: { guarded } }));
}

interface Replica {
  readonly board: Board;
  readonly server: HttpServer;
  close(): Promise<void>;
}

async function start(): Promise<Replica> {
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  const tokens = Object.entries(TOKENS).map(([name, token]) => ({ name, hash: hashToken(token) }));
  const options = { token: undefined, isOpen: false, boardToken: () => '' };
  const server = await serveHttp(board, { port: 0, authenticator: createAuthenticator({ tokens }, options) });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await server.close();
    await board.close();
  };
  open.push(close);
  return { board, server, close };
}

interface Said {
  readonly status: number;
  readonly text: string;
  readonly loginUrl: string;
}

async function call({ server }: Replica, who: Who, name = 'guarded__whoami', args: object = {}): Promise<Said> {
  const headers = { authorization: `Bearer ${TOKENS[who]}`, 'content-type': 'application/json' };
  const address = new URL(`/tools/${name}`, server.url);
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(args) });
  // The test checks the server's answer itself.
  const body = (await response.json()) as { text?: string; error?: { message: string; loginUrl?: string } };
  const { error } = body;
  return { status: response.status, text: body.text ?? error?.message ?? '', loginUrl: error?.loginUrl ?? '' };
}

/** A browser with cookies, logged in at the upstream server with an account. */
function browser(account: string) {
  let cookie = '';
  const go = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { 'x-account': account, ...(cookie === '' ? {} : { cookie }), ...(init.headers as object) };
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return response;
  };
  const post = (page: string, token: string, headers: object = {}): Promise<Response> =>
    go(page, { method: 'POST', body: new URLSearchParams({ token }), headers: { ...headers } });
  /** Logs in with the token of a user, up to the address that the authorization server sends back to. */
  const approve = async (page: string, token: string): Promise<string> => {
    const sent = await post(page, token);
    const back = await go(sent.headers.get('location') ?? '');
    return back.headers.get('location') ?? '';
  };
  return { go, post, approve, logIn: async (page: string, token: string) => go(await approve(page, token)) };
}

async function logIn(replica: Replica, who: Who, account: string): Promise<void> {
  const { loginUrl } = await call(replica, who, 'guarded_login');
  const done = await browser(account).logIn(loginUrl, TOKENS[who]);
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('You are logged in at guarded')]);
}

it('lists one tool before anyone logs in, and lets each user in with a login of their own', async () => {
  const one = await start();
  expect(one.board.registry.names()).toEqual(['guarded_login']);
  const first = await call(one, 'ada', 'guarded_login');
  expect(first).toMatchObject({
    status: 403,
    loginUrl: expect.stringMatching(`^http://127.0.0.1:${one.server.port}/login/`),
  });
  expect(first.text).toContain(
    `it wants your login. Open this address in a browser, log in at guarded, then call again: ${first.loginUrl}`,
  );
  // The link of a login that is open is given again.
  expect((await call(one, 'ada', 'guarded_login')).loginUrl).toBe(first.loginUrl);
  await logIn(one, 'ada', 'alice');
  expect(await call(one, 'ada', 'guarded_login')).toMatchObject({ status: 200, text: 'You are logged in at guarded.' });
  expect(one.board.registry.names()).toEqual(expect.arrayContaining(['guarded__whoami', 'guarded__ping']));
  expect(await call(one, 'ada')).toMatchObject({ status: 200, text: 'alice' });
  // Bob sees the tools, and has no login.
  const bob = await call(one, 'bob');
  expect(bob).toMatchObject({ status: 403 });
  expect(bob.loginUrl).not.toBe(first.loginUrl);
  await logIn(one, 'bob', 'robert');
  expect(await call(one, 'bob')).toMatchObject({ text: 'robert' });
  expect(await call(one, 'ada')).toMatchObject({ text: 'alice' });
  // The user of the board has none of theirs.
  const own = await one.board.call('guarded__whoami');
  expect(own.error?.message).toContain('it needs a login. Run: pegboard mcp login guarded');
  const leaked = await call(one, 'ada', 'guarded__leak');
  expect(leaked.text).toContain('"authorization":"Bearer [redacted]"');
});

it('lets no one log in for another, nor with what another began', async () => {
  const one = await start();
  const { loginUrl } = await call(one, 'ada', 'guarded_login');
  const page = await browser('mallory').go(loginUrl);
  expect(await page.text()).toContain('Calls that ada makes on this board will use your account');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  // Bob, with a link that ada sent him: he would give ada his account.
  const [wrong, none, guessed] = await Promise.all([
    browser('robert').post(loginUrl, TOKENS.bob),
    browser('robert').post(loginUrl, ''),
    browser('robert').post(loginUrl, 'a-guess-0123456789'),
  ]);
  expect([wrong.status, none.status, guessed.status]).toEqual([403, 400, 401]);
  const evil = await browser('alice').post(loginUrl, TOKENS.ada, { origin: 'https://evil.example' });
  expect(evil.status).toBe(403);
  // The way back, in a browser that did not begin: mallory's code on ada's login, and ada's way back in another browser.
  const ada = browser('alice');
  const back = await ada.approve(loginUrl, TOKENS.ada);
  const stolen = await browser('mallory').go(back);
  expect([stolen.status, await stolen.text()]).toEqual([
    400,
    expect.stringContaining('this browser did not begin the login'),
  ]);
  const mixed = new URL(back);
  mixed.searchParams.set('state', `${mixed.searchParams.get('state')?.split('.')[0]}.other`);
  expect((await ada.go(mixed.href)).status).toBe(400);
  const unknown = new URL(back);
  unknown.searchParams.set('state', 'nothing.here');
  expect((await ada.go(unknown.href)).status).toBe(404);
  expect((await call(one, 'ada')).status).not.toBe(200);
  expect((await ada.go(back)).status).toBe(200);
  // Once.
  expect((await ada.go(back)).status).toBe(404);
  expect((await ada.go(loginUrl)).status).toBe(404);
  expect(await call(one, 'ada')).toMatchObject({ text: 'alice' });
});

it('keeps one page for a user, though the server asks for something else each time', async () => {
  const one = await start();
  onTestFinished(() => {
    upstream.challenge = 'Bearer';
  });
  const pages: string[] = [];
  for (const scope of ['read', 'write', 'admin']) {
    upstream.challenge = `Bearer scope="${scope}"`;
    pages.push((await call(one, 'ada', 'guarded_login')).loginUrl);
  }
  const opened = await Promise.all(pages.map(async (page) => (await browser('alice').go(page)).status));
  expect(opened).toEqual([404, 404, 200]);
  const kept = await one.board.sealed.space('logins').keys();
  expect(kept.filter(({ key }) => key.startsWith('page '))).toHaveLength(1);
});

it.for(['legacy', 'auto'] as const)('asks a client (%s) to open the page, and goes on with its call', async (mode) => {
  const one = await start();
  await logIn(one, 'bob', 'robert');
  const connect = async (capabilities: object): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
    const headers = { authorization: `Bearer ${TOKENS.ada}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(one.server.url), { requestInit: { headers } }));
    open.push(() => client.close());
    return client;
  };
  const plain = await connect({ elicitation: { form: {} } });
  const told = await plain.callTool({ name: 'guarded__whoami', arguments: {} });
  expect(told).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('/login/') }] });
  const client = await connect({ elicitation: { url: {} } });
  const asked: unknown[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { mode, url, message } = params as { mode: string; url: string; message: string };
    asked.push([mode, message.split('\n')[0]]);
    expect((await browser('alice').logIn(url, TOKENS.ada)).status).toBe(200);
    return { action: 'accept' as const };
  });
  const result = await client.callTool({ name: 'guarded__whoami', arguments: {} });
  expect(result.content).toEqual([{ type: 'text', text: 'alice' }]);
  expect(asked).toEqual([['url', 'The server "guarded" (tool guarded__whoami) asks:']]);
});

it.for(['token-exchange', 'jwt-bearer'])('gets tokens for that of a user by %s, and keeps none', async (grant) => {
  const client = { client_id: 'desk', client_secret: 'desk-secret-1', issuer: upstream.url };
  const provider = { token_endpoint: `${upstream.url}/token`, client_id: 'desk-login' };
  const oauth =
    grant === 'token-exchange'
      ? { grant: 'token_exchange', ...client }
      : { grant: 'jwt_bearer', ...client, identity_provider: provider };
  write({ oauth });
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  open.push(() => board.close());
  const jwt = (sub: string, scope: string): string =>
    ['{}', JSON.stringify({ sub, scope }), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
  // Two users, one of them with two tokens that may not stand for each other.
  const callers = ['alice', 'robert'].map((sub) => ({
    id: sub,
    user: `oauth:${sub}`,
    access: { key: '', allows: () => true },
  }));
  const server = await serveHttp(board, {
    port: 0,
    authenticator: {
      authenticate: ({ headers }) => {
        const [, payload = ''] = (headers.authorization ?? '').split('.');
        const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
        return callers.find(({ id }) => id === sub) ?? { status: 401, message: 'No.', wwwAuthenticate: 'Bearer' };
      },
    },
  });
  open.push(() => server.close());
  const ask = async (token: string, name: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(new URL(`/tools/${name}`, server.url), { method: 'POST', headers, body: '{}' });
    const body = (await response.json()) as { text?: string; error?: { message: string } };
    return body.text ?? body.error?.message ?? '';
  };
  const narrow = jwt('alice', 'read');
  expect(await ask(narrow, 'guarded_login')).toBe('guarded answers; it wanted no login so far.');
  upstream.grants.length = 0;
  const said = await Promise.all([
    ask(narrow, 'guarded__whoami'),
    ask(jwt('alice', 'write'), 'guarded__whoami'),
    ask(jwt('robert', 'read'), 'guarded__whoami'),
    ask(narrow, 'guarded__whoami'),
  ]);
  expect(said).toEqual(['alice', 'alice', 'robert', 'alice']);
  // One exchange for each token of a user; that of the first call came with its login.
  expect(upstream.grants).toEqual(Array.from({ length: 2 }, () => `urn:ietf:params:oauth:grant-type:${grant}`));
  expect((await board.sealed.space('oauth').entries()).filter(({ key }) => key.startsWith('token '))).toEqual([]);
  // A caller without such a token has nothing to exchange.
  const own = await board.call('guarded__whoami');
  expect(own.error).toMatchObject({ code: 'permission_denied' });
  expect(own.error?.message).toContain('this caller has none to exchange');
});

it.for([
  [{ share: 'board' }, 'has auth: user and share: board.'],
  [{ headers: { authorization: 'Bearer x' } }, 'has auth: user and an authorization header.'],
  [{ oauth: { grant: 'token_exchange', client_id: 'x' } }, 'has oauth.grant: token_exchange without oauth.issuer'],
  [{ oauth: { grant: 'client_credentials', client_id: 'x', client_secret: 'y' } }, 'which is the same for all users.'],
  [{ auth: 'board', oauth: { grant: 'token_exchange', client_id: 'x' } }, 'Write auth: user beside it.'],
] as const)('refuses an entry that would mix users: %j', async ([entry, message]) => {
  write(entry);
  await expect(openBoard(join(folder, 'pegboard.yaml'), { cwd: folder })).rejects.toThrow(message);
});

it('crosses no users in interleaved calls at two processes, keeps logins over a restart, and forgets them everywhere', async () => {
  const [one, other] = [await start(), await start()];
  await logIn(one, 'ada', 'alice');
  await logIn(other, 'bob', 'robert');
  await Promise.all([one.board.ready({ retry: true }), other.board.ready({ retry: true })]);
  const boards = [one.board, other.board];
  const users = [
    ['token:ada', 'alice'],
    ['token:bob', 'robert'],
  ] as const;
  const wrong: unknown[] = [];
  let count = 0;
  const work = async (): Promise<void> => {
    while (count < CALLS) {
      const number = count++;
      const [caller, account] = users[number % 2] ?? ['', ''];
      const { text } = (await boards[(number >> 1) % 2]?.call('guarded__whoami', {}, { context: { caller } })) ?? {};
      if (text !== account) wrong.push([caller, text]);
      // Now and then all tokens end, and both processes renew those of both users.
      if (number % (CALLS / 2) === CALLS / 4) upstream.valid.clear();
      if (number === CALLS / 2) await boards[number % 2]?.reload();
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(wrong).toEqual([]);

  await other.close();
  const again = await start();
  expect(await call(again, 'ada')).toMatchObject({ text: 'alice' });
  expect(await call(again, 'bob')).toMatchObject({ text: 'robert' });
  expect(await call(again, 'ada', 'guarded_login', { forget: true })).toMatchObject({
    text: 'You are logged out of guarded.',
  });
  // The process that still has the token in memory lets go of it too.
  await expect.poll(async () => (await call(one, 'ada')).status).toBe(403);
  expect((await call(again, 'ada')).status).toBe(403);
  expect(await call(one, 'bob')).toMatchObject({ text: 'robert' });
  await logIn(one, 'ada', 'alicia');
  await expect.poll(async () => (await call(again, 'ada')).text).toBe('alicia');
}, 60_000);
