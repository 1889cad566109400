import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import { META } from '../../protocol/mcp-names.ts';
import { createTokenAuthenticator, hashToken } from '../auth/token-authenticator.ts';
import { McpServer } from '../mcp-server.ts';
import type { HttpOptions } from './http-options.ts';
import { type HttpServer, serveHttp } from './serve-http.ts';

const none = { type: 'object', properties: {} } as const;
const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

interface Board {
  readonly url: string;
  readonly http: HttpServer;
  readonly registry: ToolRegistry;
  /** The outcomes of the calls of `hang`. */
  readonly ended: Promise<string>;
}

async function start(options: HttpOptions = {}): Promise<Board> {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const registry = new ToolRegistry().registerMany([
    defineTool({ name: 'greet', description: 'Greets', schema: none, execute: () => 'Hello.' }),
    defineTool({
      name: 'who',
      description: 'Says who calls',
      schema: none,
      execute: (_input, context) => context.getMeta('sessionId', ''),
    }),
    defineTool({
      name: 'hang',
      description: 'Runs until it is stopped',
      schema: none,
      execute: (_input, context) => {
        context.progress(1, 3);
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => {
            resolve('stopped');
            reject(new Error('Stopped.'));
          });
        });
      },
    }),
  ]);
  const http = await serveHttp(new McpServer({ registry }, { name: 'board' }), {
    port: 0,
    grace: 50,
    ...(options.authenticator === undefined ? { token: false } : {}),
    ...options,
  });
  open.push(http);
  return { url: http.url, http, registry, ended };
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', body: text, headers: { ...JSON_HEADERS, ...headers } });
}

const message = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

it('outlives messages made to break it', async () => {
  const { url } = await start();
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const odd = '{"toString":1,"valueOf":1}';
  const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"${META.protocolVersion}":${deep}}}}`;
  expect((await post(url, list)).status).toBe(400);
  expect((await post(url, `{"jsonrpc":"2.0","id":1,"error":{"code":${odd},"message":${odd}}}`)).status).toBe(400);
  expect((await post(url, message('initialize', { protocolVersion: '2025-11-25' }))).status).toBe(200);
});

function modern(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {}, ...(params['_meta'] as object) };
  const name = params['name'];
  return post(url, message(method, { ...params, _meta }), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...headers,
  });
}

const INITIALIZE = message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });

async function openSession(url: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await post(url, INITIALIZE, headers);
  expect(response.status).toBe(200);
  return response.headers.get('mcp-session-id') ?? '';
}

/** A request with headers that fetch would not send. */
async function raw(url: string, options: { method?: string; headers?: Record<string, string>; body?: string }) {
  const request = httpRequest(url, { method: options.method ?? 'POST', headers: options.headers });
  request.end(options.body);
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

describe('sessions', () => {
  it('serve a client from its handshake to its farewell', async () => {
    const { url } = await start();
    const session = { 'mcp-session-id': await openSession(url), 'mcp-protocol-version': '2025-11-25' };
    const initialized = await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    expect([initialized.status, await initialized.text()]).toEqual([202, '']);
    const answer = await post(url, message('tools/call', { name: 'greet' }), session);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'Hello.' }] } });
    expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await post(url, message('ping'), session)).status).toBe(404);
  });

  it('are unguessable, and worthless to other callers', async () => {
    const tokens = ['first-token-0123456789', 'second-token-0123456789'];
    const access = { key: '', allows: () => true };
    const authenticator = createTokenAuthenticator(
      tokens.map((token, index) => ({ name: `n${index}`, hash: hashToken(token), access })),
    );
    const { url } = await start({ authenticator });
    const [mine, theirs] = tokens.map((token) => ({ authorization: `Bearer ${token}` }));
    const id = await openSession(url, mine);
    expect(id).toMatch(/^[\w-]{32}$/);
    const session = { 'mcp-session-id': id };
    expect((await post(url, message('ping'), { ...mine, ...session })).status).toBe(200);
    expect((await post(url, message('ping'), { ...theirs, ...session })).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: { ...theirs, ...session } })).status).toBe(404);
    expect((await post(url, message('ping'), session)).status).toBe(401);
  });

  it('tell tools whose calls belong together, and so do tokens and sockets where there are none', async () => {
    const textOf = async (answer: Response): Promise<string> => {
      const { result } = (await answer.json()) as { result: { content: { text: string }[] } };
      return result.content[0]?.text ?? '';
    };
    const { url } = await start();
    const ask = async (id: string) =>
      textOf(await post(url, message('tools/call', { name: 'who' }), { 'mcp-session-id': id }));
    const [one, two] = [await openSession(url), await openSession(url)];
    const said = [await ask(one), await ask(two), await ask(one)];
    expect(said).toEqual([said[0], said[1], said[0]]);
    expect(said[0]).not.toBe(said[1]);
    expect(said).not.toContain(one);
    expect(await textOf(await modern(url, 'tools/call', { name: 'who' }))).toMatch(/^socket-[0-9a-f]{12}-\d+$/);

    const tokens = ['first-token-0123456789', 'second-token-0123456789'];
    const access = { key: '', allows: () => true };
    const known = tokens.map((token, index) => ({ name: `n${index}`, hash: hashToken(token), access }));
    const guarded = await start({ authenticator: createTokenAuthenticator(known) });
    const askAs = async (token = '') =>
      textOf(await modern(guarded.url, 'tools/call', { name: 'who' }, { authorization: `Bearer ${token}` }));
    const mine = await askAs(tokens[0]);
    expect(await askAs(tokens[0])).toBe(mine);
    expect(await askAs(tokens[1])).not.toBe(mine);
  });

  it('are not needed for requests that leave nothing behind', async () => {
    const { url } = await start({ maxSessions: 1 });
    const listed = await post(url, message('tools/list'), { 'mcp-protocol-version': '2025-06-18' });
    expect(listed.headers.get('mcp-session-id')).toBeNull();
    expect(await listed.json()).toMatchObject({
      result: { tools: [{ name: 'greet' }, { name: 'who' }, { name: 'hang' }] },
    });
    const called = await post(url, message('tools/call', { name: 'greet' }), { accept: 'application/json' });
    expect(await called.json()).toMatchObject({ result: { content: [{ text: 'Hello.' }] } });
    // Requests whose answers are fetched later need one.
    for (const later of [
      message('logging/setLevel', { level: 'debug' }),
      message('resources/subscribe', { uri: 'pegboard://tools/greet' }),
      message('tools/call', { name: 'greet', task: {} }),
    ])
      expect((await post(url, later)).status).toBe(400);
    expect((await post(url, message('tools/list'), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });

  it('are needed for other requests of their era, and limited in number', async () => {
    const { url } = await start({ maxSessions: 1 });
    expect((await post(url, message('tools/list'), { 'mcp-session-id': 'guess' })).status).toBe(404);
    const id = await openSession(url);
    const next = await openSession(url);
    expect((await post(url, message('ping'), { 'mcp-session-id': id })).status).toBe(404);
    const odd = { 'mcp-session-id': next, 'mcp-protocol-version': '1999-01-01' };
    expect((await post(url, message('ping'), odd)).status).toBe(400);
  });

  it('bring changes over the stream of a GET, one at a time', async () => {
    const { url, registry } = await start();
    const headers = { 'mcp-session-id': await openSession(url), accept: 'text/event-stream' };
    const stream = await fetch(url, { headers });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect((await fetch(url, { headers })).status).toBe(409);
    registry.remove('greet');
    for await (const chunk of stream.body ?? []) {
      if (Buffer.from(chunk).toString().includes('notifications/tools/list_changed')) break;
    }
    expect((await fetch(url)).status).toBe(405);
  });

  it('go on with a call whose client hung up, until it says that it cancelled', async () => {
    const { url, ended } = await start();
    const session = { 'mcp-session-id': await openSession(url) };
    const params = { name: 'hang', _meta: { progressToken: 1 } };
    const stream = await post(url, message('tools/call', params, 'h'), session);
    await stream.body?.cancel();
    expect(await Promise.race([ended, post(url, message('ping'), session).then(() => 'runs')])).toBe('runs');
    await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'h' } }, session);
    expect(await ended).toBe('stopped');
  });
});

describe('stateless requests', () => {
  it('stream progress before the answer, and end with the client', async () => {
    const { url, ended } = await start();
    const stream = await modern(url, 'tools/call', { name: 'hang', _meta: { progressToken: 1 } });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    await stream.body?.cancel();
    expect(await ended).toBe('stopped');
  });

  it.for([
    ['mcp-protocol-version', '2025-11-25'],
    ['mcp-method', 'tools/list'],
    ['mcp-name', 'hang'],
    ['mcp-name', '=?base64?!?='],
  ])('are refused when the header %s says %s', async ([header = '', value = '']) => {
    const { url } = await start();
    const response = await modern(url, 'tools/call', { name: 'greet' }, { [header]: value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32020 } });
  });

  it('may carry names in Base64', async () => {
    const { url } = await start();
    const name = `=?base64?${Buffer.from('greet').toString('base64')}?=`;
    expect((await modern(url, 'tools/call', { name: 'greet' }, { 'mcp-name': name })).status).toBe(200);
  });

  it('answer hundreds of connections at once', async () => {
    const { url } = await start();
    const statuses = Array.from(
      { length: 500 },
      async () => (await modern(url, 'tools/call', { name: 'greet' })).status,
    );
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  });
});

describe('what comes in', () => {
  it.for([
    ['not JSON', '{"jsonrpc":', 400, -32700],
    ['a batch', [message('ping')], 400, -32600],
    ['a number', '7', 400, -32600],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, -32602],
    ['a message of no version', { id: 1, method: 'ping' }, 400, -32600],
  ] as const)('is refused when it is %s', async ([, body, status, code]) => {
    const { url } = await start();
    const response = await post(url, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('must be JSON by its type, small enough and sent to the right place', async () => {
    const { url } = await start({ maxBody: 2000 });
    expect((await post(url, message('ping'), { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(url, message('ping', { fill: 'x'.repeat(3000) }))).status).toBe(413);
    const chunked = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.alloc(1500, 32));
      },
    });
    const streamed = fetch(url, {
      method: 'POST',
      body: chunked,
      duplex: 'half',
      headers: JSON_HEADERS,
    });
    expect((await streamed).status).toBe(413);
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405);
    expect((await fetch(new URL('/elsewhere', url))).status).toBe(404);
    const long = { ...JSON_HEADERS, 'x-long': 'x'.repeat(20_000) };
    expect(await raw(url, { headers: long, body: '{}' })).toBe(431);
  });

  it('is dropped when its headers take too long', async () => {
    const { http } = await start({ headersTimeout: 100, requestTimeout: 200 });
    const socket = connect(http.port, '127.0.0.1');
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 408/);
    await once(socket, 'close');
  });
});

describe('who comes in', () => {
  it.for([
    [{ host: 'evil.example' }, 403],
    [{ host: 'evil.example:7331' }, 403],
    [{ host: 'localhost.evil.example' }, 403],
    [{ host: 'evil.example@127.0.0.1' }, 403],
    [{ host: '127.0.0.1#.evil.example' }, 403],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:3000' }, 200],
    [{ origin: 'https://app.example' }, 200],
    [{ host: 'board.example' }, 200],
    [{ host: 'localhost' }, 200],
    [{ host: '[::1]:99' }, 200],
  ] as const)('with %j gets %i', async ([headers, status]) => {
    const { url } = await start({ allowedHosts: ['board.example'], allowedOrigins: ['https://app.example'] });
    expect(await raw(url, { headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(INITIALIZE) })).toBe(status);
  });

  it('needs a token where others can reach the server, or it does not start', async () => {
    const server = new McpServer({ registry: new ToolRegistry() });
    await expect(serveHttp(server, { host: '0.0.0.0', port: 0, token: false })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: 'Others can reach 0.0.0.0, so it needs a token. Without one only this machine is served: use 127.0.0.1.',
    });
  });

  it('shows a right token, and sees only what it is good for', async () => {
    const token = 'a-token-that-is-long';
    const access = {
      key: 'greet only',
      allows: (tool: { metadata: { name: string } }) => tool.metadata.name === 'greet',
    };
    const authenticator = createTokenAuthenticator([{ name: 'one', hash: hashToken(token), access }]);
    const { url } = await start({ authenticator });
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`]) {
      const response = await modern(url, 'tools/list', {}, { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="pegboard"/);
    }
    const authorization = `Bearer ${token}`;
    const list = await (await modern(url, 'tools/list', {}, { authorization })).json();
    expect(list).toMatchObject({ result: { tools: [{ name: 'greet' }], cacheScope: 'private' } });
    const call = async (name: string) => (await modern(url, 'tools/call', { name }, { authorization })).json();
    expect(await call('greet')).toMatchObject({ result: { content: [{ text: 'Hello.' }] } });
    expect(await call('hang')).toMatchObject({
      result: {
        isError: true,
        content: [{ text: 'There is no tool "hang". The board has 1 tool; search it for what you need.' }],
      },
    });
    expect((await fetch(new URL('/metrics', url))).status).toBe(401);
  });

  it('is slowed down when it asks for too much', async () => {
    const { url } = await start({ limits: { rate: 1, burst: 2 } });
    const first = [await modern(url, 'tools/list'), await modern(url, 'tools/list'), await modern(url, 'tools/list')];
    expect(first.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(first[2]?.headers.get('retry-after')).toMatch(/^[12]$/);
    const busy = await start({ limits: { concurrency: 1 } });
    const stream = await modern(busy.url, 'tools/call', { name: 'hang', _meta: { progressToken: 1 } });
    expect((await modern(busy.url, 'tools/list')).status).toBe(429);
    await stream.body?.cancel();
    await busy.ended;
    await expect.poll(async () => (await modern(busy.url, 'tools/list')).status).toBe(200);
  });

  it('makes no room by hanging up on a call that goes on', async () => {
    const { url, ended } = await start({ limits: { concurrency: 1 } });
    const session = { 'mcp-session-id': await openSession(url) };
    await expect.poll(async () => (await post(url, message('ping'), session)).status).toBe(200);
    const call = message('tools/call', { name: 'hang', _meta: { progressToken: 1 } }, 7);
    const stream = await post(url, call, session);
    await stream.body?.cancel();
    const statuses = [];
    for (let count = 0; count < 20; count++) statuses.push((await post(url, message('ping'), session)).status);
    expect(new Set(statuses)).toEqual(new Set([429]));
    await open.pop()?.close();
    expect(await ended).toBe('stopped');
  });
});

describe('the operator', () => {
  it('sees health, readiness and figures', async () => {
    const { url } = await start();
    await openSession(url);
    await modern(url, 'tools/call', { name: 'greet' });
    await modern(url, 'tools/call', { name: 'no"such\ntool' }, { 'mcp-name': '=?base64?bm8ic3VjaAp0b29s?=' });
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    expect(await (await fetch(new URL('/readyz', url))).text()).toBe('ready\n');
    const text = await (await fetch(new URL('/metrics', url))).text();
    expect(text).toContain('pegboard_calls_total{tool="greet",outcome="ok"} 1');
    expect(text).toContain('pegboard_calls_total{tool="(unknown)",outcome="not_found"} 1');
    expect(text).toContain('pegboard_call_duration_seconds_count{tool="greet"} 1');
    expect(text).toContain('pegboard_sessions 1');
    expect(text).toContain('pegboard_calls_in_flight 0');
    expect(text).toContain('pegboard_caller_calls_total{caller="MCP client"} 2');
  });

  it('stops the server: calls are cancelled after the grace time, streams end', async () => {
    const { url, http, ended } = await start();
    const listening = await modern(url, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const hanging = await modern(url, 'tools/call', { name: 'hang', _meta: { progressToken: 1 } });
    await http.close();
    expect(await ended).toBe('stopped');
    expect(await listening.text()).toContain('"resultType":"complete"');
    await hanging.text().catch(() => '');
    await expect(fetch(url)).rejects.toThrow();
  });

  it('is told why a port cannot be used', async () => {
    const { http } = await start();
    const server = new McpServer({ registry: new ToolRegistry() });
    await expect(serveHttp(server, { port: http.port })).rejects.toMatchObject({
      message: expect.stringContaining('something else listens there'),
    });
  });
});
