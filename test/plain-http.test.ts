// A board for programs that know no MCP: calls by POST, typed errors, questions to poll, and the document that describes it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { readOpenApi } from '../src/cli/commands/import/import-openapi.ts';
import { formatMade } from '../src/cli/commands/import/write-yaml.ts';
import { createAuthenticator } from '../src/features/serving/commands/serve/create-authenticator.ts';
import { type Board, defineTool, openBoard, type Tool } from '../src/index.ts';
import { type HttpServer, serveHttp } from '../src/mcp.ts';
import { hashToken } from '../src/mcp/server/auth/token-authenticator.ts';

type Json = Readonly<Record<string, unknown>>;
const TOKENS = { ada: 'ada-0123456789abcdef', bob: 'bob-0123456789abcdef' };
type Who = keyof typeof TOKENS;
const folder = mkdtempSync(join(tmpdir(), 'pegboard-plain-'));
const sent: unknown[] = [];
const keys: unknown[] = [];
const none = { type: 'object', properties: {} } as const;
const tools: Tool[] = [
  defineTool({
    name: 'add_numbers',
    description: 'Add two numbers',
    risk: 'read',
    schema: z.object({ a: z.number(), b: z.number().default(1) }),
    outputSchema: z.object({ sum: z.number() }),
    execute: ({ a, b }) => ({ sum: a + b }),
  }),
  defineTool({
    name: 'send',
    description: 'Send a text',
    risk: 'write',
    schema: z.object({ to: z.string() }),
    execute: (input, context) => {
      sent.push(input);
      keys.push(context.idempotencyKey);
      return 'sent';
    },
  }),
  defineTool({
    name: 'hang',
    description: 'Take long',
    risk: 'read',
    timeout: 20,
    schema: none,
    execute: () => new Promise(() => {}),
  }),
  defineTool({
    name: 'depth',
    description: 'Count the levels of a tree',
    risk: 'read',
    schema: {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      required: ['tree'],
      $defs: { node: { type: 'object', properties: { below: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
    },
    execute: ({ tree }: { tree: unknown }) => JSON.stringify(tree).split('below').length,
  }),
  defineTool({ name: 'hidden_numbers', description: 'Secret', risk: 'read', schema: none, execute: () => 'x' }),
  defineTool({
    name: 'fail',
    description: 'Fail',
    risk: 'read',
    schema: none,
    execute: () => {
      throw new Error('No paper.');
    },
  }),
];
let boards: Board[];
let servers: HttpServer[];

beforeAll(async () => {
  const file = join(folder, 'pegboard.yaml');
  const long = { name: 'long', type: 'cli', description: 'Count', risk: 'read', command: 'seq 1 200', max_output: 100 };
  writeFileSync(file, JSON.stringify({ name: 'desk', tools: [long], policy: { approval: {} } }));
  const token = (name: Who) => ({ name, hash: hashToken(TOKENS[name]) });
  const listed = [{ ...token('ada'), allow: ['add_numbers', 'send', 'long', 'hang', 'depth', 'fail'] }, token('bob')];
  const options = { token: undefined, isOpen: false, boardToken: () => '' };
  // Two processes of one board, as far as its store can tell.
  boards = await Promise.all([1, 2].map(() => openBoard(file, { cwd: folder, tools })));
  servers = await Promise.all(
    boards.map((board) =>
      serveHttp(board, { port: 0, maxBody: 10_000, authenticator: createAuthenticator({ tokens: listed }, options) }),
    ),
  );
});
afterAll(async () => {
  for (const server of servers) await server.close();
  for (const board of boards) await board.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Asked {
  readonly who?: Who;
  /** Index of the process that gets the request. */
  readonly at?: number;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json & { readonly error?: Json };
}

async function ask(path: string, init: Asked = {}): Promise<Answer> {
  const { who = 'ada', at = 0, headers, ...rest } = init;
  const authorization = `Bearer ${TOKENS[who]}`;
  const response = await fetch(new URL(path, servers[at]?.url), { headers: { authorization, ...headers }, ...rest });
  const text = await response.text();
  // The test checks the server's answer itself.
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

const call = (name: string, args: unknown, init: Asked = {}): Promise<Answer> =>
  ask(`/tools/${name}`, {
    method: 'POST',
    body: typeof args === 'string' ? args : JSON.stringify(args),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });

/** A server that answers once the file `gate` is there; one of its tools is for apps alone. */
const LATE = `
const { existsSync } = require('node:fs');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const tools = [{ name: 'show', inputSchema: { type: 'object' } }, { name: 'wipe', inputSchema: { type: 'object' }, _meta: { ui: { visibility: ['app'] } } }];
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const hello = () => existsSync(process.argv[1]) ? answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'late', version: '1' } }) : setTimeout(hello, 10);
  if (method === 'initialize') hello();
  else if (method === 'tools/list') answer(id, { tools });
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'ran ' + params.name }] });
});`;

describe('a call', () => {
  it('waits for a late server, and reaches none of its tools that are for apps alone', async () => {
    const gate = join(folder, 'gate');
    const late = { command: process.execPath, args: ['-e', LATE, gate], protocol: '2025-11-25' };
    const board = await openBoard({ cwd: folder, data: join(folder, 'late'), mcpServers: { late } });
    onTestFinished(() => board.close());
    const server = await serveHttp(board, { port: 0, token: false });
    onTestFinished(() => server.close());
    const post = async (name: string): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(new URL(`/tools/${name}`, server.url), { method: 'POST', body: '{}', headers });
      return `${response.status} ${await response.text()}`;
    };
    const { absent } = board.registry;
    if (absent === undefined) throw new Error('The board knows nothing of late tools.');
    const waits = vi.spyOn(absent, 'arrival');
    const answers = ['late__wipe', 'late__show'].map(post);
    for (const name of ['late__wipe', 'late__show'])
      await vi.waitFor(() => expect(waits).toHaveBeenCalledWith(name, 'retry'), { timeout: 20_000 });
    writeFileSync(gate, '');
    expect(await Promise.all(answers)).toEqual([
      expect.stringMatching(/^404 .*There is no tool/),
      expect.stringMatching(/^200 .*ran show/),
    ]);
  });

  it('answers with the result, and is in the record as one of its caller', async () => {
    const answer = await call('add_numbers', { a: 2 });
    expect(answer).toMatchObject({ status: 200, body: { text: '{"sum":3}', data: { sum: 3 } } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    await expect
      .poll(async () => (await ask('/calls?tool=add_numbers')).body['calls'])
      .toMatchObject([{ tool: 'add_numbers', caller: 'token:ada', by: 'HTTP client', outcome: 'ok' }]);
  });

  it('fails with a status and a code that fit', async () => {
    expect(await call('add_numbers', { a: 'x', b: 'y' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_arguments', issues: [{ path: ['a'] }, { path: ['b'] }] } },
    });
    expect(await call('add_numbers', '[1]')).toMatchObject({
      status: 400,
      body: {
        error: {
          message: 'The body is JSON, but no object. Send a JSON object with the arguments of "add_numbers", or {}.',
        },
      },
    });
    expect(await call('add_numbers', '{')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_arguments' } },
    });
    expect(await call('hang', {})).toMatchObject({
      status: 504,
      body: { error: { code: 'timeout', recoverable: true } },
    });
    expect(await call('fail', {})).toMatchObject({
      status: 500,
      body: { error: { message: expect.stringContaining('No paper.') } },
    });
    expect(await ask('/tools/add_numbers')).toMatchObject({
      status: 405,
      body: { error: { code: 'method_not_allowed' } },
    });
    expect(await call('add_numbers', `{"a":${'1'.repeat(20_000)}}`)).toMatchObject({ status: 413 });
    expect(await call('add_numbers', {}, { headers: { authorization: 'Bearer nothing' } })).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized' } },
    });
  });

  it('finds no tool beyond the rights of its caller, nor a word of it', async () => {
    const { status, body } = await call('ad_numbers', {});
    expect([status, body.error?.['code']]).toEqual([404, 'not_found']);
    expect(body.error?.['message']).toBe('There is no tool "ad_numbers". Did you mean: add_numbers?');
    expect(await call('hidden_numbers', {})).toMatchObject({ status: 404 });
    expect(await call('hidden_numbers', {}, { who: 'bob' })).toMatchObject({ status: 200 });
  });

  it('comes from no web page, and from no name that is not served', async () => {
    const evil = { origin: 'https://evil.example' };
    expect(await call('add_numbers', { a: 1 }, { headers: evil })).toMatchObject({
      status: 403,
      body: { error: { code: 'permission_denied' } },
    });
    // Types that a form of a web page can send without a preflight.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      expect(await call('add_numbers', '{"a":1}', { headers: { 'content-type': type } })).toMatchObject({
        status: 415,
      });
    const port = servers[0]?.port;
    const status = await new Promise((resolve, reject) => {
      const headers = {
        host: 'rebound.example',
        authorization: `Bearer ${TOKENS.ada}`,
        'content-type': 'application/json',
      };
      httpRequest({ port, host: '127.0.0.1', path: '/tools/add_numbers', method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end('{"a":1}');
    });
    expect(status).toBe(403);
  });

  it('leaves what was too long to return to its caller alone', async () => {
    const { body } = await call('long', {});
    const { id } = body['truncated'] as { id: string };
    expect(await ask(`/outputs/${id}?offset=100&lines=2`, { at: 1 })).toMatchObject({
      status: 200,
      body: { id, offset: 100, lines: ['101', '102'], next: 102, total: 200 },
    });
    expect(await ask(`/outputs/${id}`, { who: 'bob' })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
    expect(await ask(`/outputs/${id}?lines=x`)).toMatchObject({ status: 400, body: { error: { field: 'lines' } } });
  });
});

describe('a call that needs a yes', () => {
  it('waits as a question, runs once on the yes, on any process, for its caller alone', async () => {
    const asked = await call('send', { to: 'eve' });
    expect(asked).toMatchObject({ status: 202, body: { status: 'waiting', approval: { url: expect.any(String) } } });
    // The fields were checked above.
    const { approval, idempotencyKey } = asked.body as {
      approval: { id: string; url: string };
      idempotencyKey: string;
    };
    expect(asked.headers.get('location')).toBe(approval.url);
    expect(await ask(approval.url, { at: 1 })).toMatchObject({
      status: 200,
      body: { status: 'waiting', tool: 'send' },
    });
    expect(await ask(approval.url, { who: 'bob' })).toMatchObject({
      status: 404,
      body: { error: { message: `You have no approval "${approval.id}".` } },
    });
    expect(await ask(approval.url, { who: 'bob', method: 'DELETE' })).toMatchObject({ status: 404 });
    const again = { headers: { 'idempotency-key': idempotencyKey } };
    expect(await call('send', { to: 'eve' }, again)).toMatchObject({ status: 202, body: { approval } });

    await boards[0]?.approvals.answer(approval.id, { allow: true, by: 'boss' });
    expect(await ask(approval.url, { at: 1 })).toMatchObject({ body: { status: 'allowed' } });
    // Neither another caller nor other arguments run on it.
    const stolen = await call('send', { to: 'eve' }, { ...again, who: 'bob' });
    const changed = await call('send', { to: 'mallory' }, again);
    expect([stolen.status, changed.status]).toEqual([202, 202]);
    expect(sent).toEqual([]);
    expect(await call('send', { to: 'eve' }, { ...again, at: 1 })).toMatchObject({
      status: 200,
      body: { text: 'sent' },
    });
    expect(await call('send', { to: 'eve' }, again)).toMatchObject({
      status: 409,
      body: { error: { code: 'outcome_unknown' } },
    });
    expect(sent).toEqual([{ to: 'eve' }]);
    expect(await ask(approval.url)).toMatchObject({ body: { status: 'spent' } });
  });

  it('is told a no with its reason, and can be withdrawn', async () => {
    const key = { headers: { 'idempotency-key': 'order 7' } };
    const ids: string[] = [];
    for (const to of ['x', 'y']) {
      const { body } = await call('send', { to }, key);
      ids.push((body as { approval: { id: string } }).approval.id);
    }
    const [first = '', second = ''] = ids;
    await boards[1]?.approvals.answer(first, { allow: false, reason: 'Not on a Friday.', by: 'boss' });
    expect(await ask(`/approvals/${first}`)).toMatchObject({ body: { status: 'denied', reason: 'Not on a Friday.' } });
    expect(await call('send', { to: 'x' }, key)).toMatchObject({
      status: 403,
      body: { error: { code: 'permission_denied' } },
    });
    expect(await ask(`/approvals/${second}`, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await boards[0]?.approvals.get(second)).toMatchObject({ status: 'ended' });
    expect(await call('send', { to: 'x' }, { headers: { 'idempotency-key': 'x'.repeat(300) } })).toMatchObject({
      status: 400,
    });
  });

  it('gives tools a key that no other caller can give', async () => {
    const seen = async (who: Who): Promise<unknown> => {
      const key = { who, headers: { 'idempotency-key': 'same' } };
      const { body } = await call('send', { to: 'z' }, key);
      await boards[0]?.approvals.answer((body as { approval: { id: string } }).approval.id, {
        allow: true,
        by: 'boss',
      });
      await call('send', { to: 'z' }, key);
      return keys.at(-1);
    };
    const [ada, bob] = [await seen('ada'), await seen('bob')];
    expect([typeof ada, typeof bob]).toEqual(['string', 'string']);
    expect(ada).not.toBe(bob);
  });
});

describe('the document', () => {
  it('has the tools of its caller, and loads as tools of a board that call back', async () => {
    const { body: document } = await ask('/openapi.json');
    const paths = Object.keys(document['paths'] as Json);
    expect(paths).toEqual([
      '/tools/long',
      '/tools/add_numbers',
      '/tools/send',
      '/tools/hang',
      '/tools/depth',
      '/tools/fail',
      '/approvals/{id}',
      '/outputs/{id}',
    ]);
    expect(JSON.stringify(document)).not.toContain('hidden_numbers');
    const all = await ask('/openapi.json', { who: 'bob' });
    expect(Object.keys(all.body['paths'] as Json)).toContain('/tools/hidden_numbers');

    const made = await readOpenApi({ ...document }, { file: 'openapi.json', documentUrl: `${servers[0]?.url}` });
    const file = join(mkdtempSync(join(folder, 'client-')), 'api.yaml');
    writeFileSync(file, formatMade(made));
    const variable = /\$\{(\w+TOKEN)\}/.exec(formatMade(made))?.[1] ?? '';
    const client = await openBoard(file, { allowHosts: ['127.0.0.1'], env: { [variable]: TOKENS.ada } });
    onTestFinished(() => client.close());
    expect(client.registry.names().toSorted()).toEqual(
      [
        'add_numbers',
        'depth',
        'fail',
        'get_approval',
        'get_output',
        'hang',
        'long',
        'output_read',
        'output_search',
        'send',
        'withdraw_approval',
      ].toSorted(),
    );
    const result = await client.call('add_numbers', { a: 40, b: 2 });
    expect(result.data).toMatchObject({ data: { sum: 42 } });
    const depth = await client.call('depth', { tree: { below: [{ below: [] }] } });
    expect(depth.data).toMatchObject({ text: '3' });
    expect((await client.call('send', { to: 'q' })).data).toMatchObject({ status: 'waiting' });
    expect((await client.call('fail', { body: {} })).error?.message).toContain('No paper.');
  });
});
