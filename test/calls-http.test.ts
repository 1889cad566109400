// The record over HTTP: a caller sees its own calls, a right shows all.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateless } from '../bench/mcp/messages.ts';
import { createAuthenticator } from '../src/features/serving/commands/serve/create-authenticator.ts';
import { type Board, defineTool, openBoard } from '../src/index.ts';
import { type HttpServer, serveHttp } from '../src/mcp.ts';
import { hashToken } from '../src/mcp/server/auth/token-authenticator.ts';

const TOKENS = { ada: 'ada-0123456789abcdef', bob: 'bob-0123456789abcdef', boss: 'boss-0123456789abcdef' };
type Who = keyof typeof TOKENS;
const folder = mkdtempSync(join(tmpdir(), 'pegboard-calls-http-'));
const echo = defineTool({
  name: 'echo',
  description: 'Says it again',
  risk: 'read',
  schema: { type: 'object', properties: { text: { type: 'string' } } },
  execute: ({ text }: { text?: string }) => text ?? '',
});
const secret = defineTool({ ...echo.metadata, name: 'secret', schema: { type: 'object' }, execute: () => 'x' });
let board: Board;
let server: HttpServer;
let open: HttpServer;

beforeAll(async () => {
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, 'record: full\n');
  board = await openBoard(file, { cwd: folder, tools: [echo, secret] });
  const token = (name: Who) => ({ name, hash: hashToken(TOKENS[name]) });
  const tokens = [{ ...token('ada'), allow: ['echo'] }, token('bob'), { ...token('boss'), calls: 'all' as const }];
  const options = { token: undefined, isOpen: false, boardToken: () => '' };
  server = await serveHttp(board, { port: 0, authenticator: createAuthenticator({ tokens }, options) });
  open = await serveHttp(board, { port: 0, token: false });
  await board.call('echo', { text: 'of the board' });
  for (const [who, text] of [
    ['ada', 'one'],
    ['bob', 'two'],
    ['ada', 'three'],
  ] as const)
    await call(who, 'echo', { text });
  await call('ada', 'secret', {});
});
afterAll(async () => {
  await server.close();
  await open.close();
  await board.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(who: Who, name: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  const { body, headers } = stateless('tools/call', { name, arguments: args });
  const accept = 'application/json, text/event-stream';
  const sent = { ...headers, accept, 'content-type': 'application/json', authorization: `Bearer ${TOKENS[who]}` };
  const response = await fetch(server.url, { method: 'POST', body, headers: sent });
  await response.text();
  expect(response.status).toBe(200);
}

interface Answer {
  readonly status: number;
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly caller: string;
    readonly args?: string;
  }[];
  readonly message: string;
  readonly id?: string;
}

async function look(path: string, who?: Who, at: HttpServer = server): Promise<Answer> {
  const headers = who === undefined ? {} : { authorization: `Bearer ${TOKENS[who]}` };
  const response = await fetch(new URL(path, at.url), { headers });
  // The type of the server's answer, or its error.
  const body = (await response.json()) as Partial<Answer> & { error?: { message: string } };
  return { calls: [], message: body.error?.message ?? '', ...body, status: response.status };
}

it('shows each caller its own calls, and all to one with the right', async () => {
  const texts = async (path: string, who: Who): Promise<unknown[]> =>
    (await look(path, who)).calls.map(({ args, caller }) => [JSON.parse(args ?? '{}').text, caller]);
  expect(await texts('/calls?tool=echo', 'ada')).toEqual([
    ['three', 'token:ada'],
    ['one', 'token:ada'],
  ]);
  expect(await texts('/calls', 'bob')).toEqual([['two', 'token:bob']]);
  expect(await texts('/calls?tool=echo', 'boss')).toEqual([
    ['three', 'token:ada'],
    ['two', 'token:bob'],
    ['one', 'token:ada'],
    ['of the board', ''],
  ]);
  expect(await texts('/calls?caller=token:bob', 'boss')).toEqual([['two', 'token:bob']]);
  expect(await texts('/calls?tool=echo&limit=1', 'ada')).toEqual([['three', 'token:ada']]);
  expect(await texts(`/calls?since=${Date.now() + 60_000}`, 'ada')).toEqual([]);
  // A tool beyond the caller's rights has no name for it here either.
  expect((await look('/calls', 'ada')).calls.map(({ tool }) => tool)).toEqual(['echo', 'echo']);
});

it('gives one call by its id to its caller alone', async () => {
  const [mine] = (await look('/calls', 'bob')).calls;
  const path = `/calls/${mine?.id}`;
  expect(await look(path, 'bob')).toMatchObject({ status: 200, id: mine?.id });
  expect(await look(path, 'boss')).toMatchObject({ status: 200, id: mine?.id });
  expect(await look(path, 'ada')).toMatchObject({ status: 404, message: `You have no call "${mine?.id}".` });
  expect(await look('/calls/none', 'ada')).toMatchObject({ status: 404, message: 'You have no call "none".' });
});

it('refuses what it cannot show, and says why', async () => {
  expect(await look('/calls')).toMatchObject({ status: 401 });
  expect(await look('/calls', undefined, open)).toMatchObject({ status: 403 });
  expect(await look('/calls?caller=token:bob', 'ada')).toMatchObject({
    status: 403,
    message: 'Your token shows your own calls. One with calls: all under serve.tokens shows those of others.',
  });
  expect(await look('/calls?limit=0', 'ada')).toMatchObject({
    status: 400,
    message: 'limit is a whole number from 1 to 200.',
  });
  expect(await look('/calls?since=yesterday', 'ada')).toMatchObject({ status: 400 });
  expect(await look('/calls?who=bob', 'ada')).toMatchObject({
    status: 400,
    message: 'Unknown parameter "who". Use: tool, outcome, since, text, parent, caller, limit.',
  });
});
