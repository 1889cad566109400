// Servers over HTTP: the official ones of both generations, and answers that no good server gives.
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer as createModernServer } from './fixtures/mcp/modern-server.ts';
import { nextChange, openServers } from './upstream-boards.test-helper.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Serves on loopback until the test is over, and gives the address. */
async function serve(handler: Handler): Promise<string> {
  const server = createHttpServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port, so its address is one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}

function answer(response: ServerResponse, message: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(message));
}

/** The adapter's own types are stricter than Node's about what may be absent. */
function toHandler(handler: Parameters<typeof toNodeHandler>[0]): Handler {
  const handle = toNodeHandler(handler);
  return (request, response) => handle(request as Parameters<typeof handle>[0], response);
}

/** A server of the older generation with sessions, and the means to forget them. */
function createSessions(): { handler: Handler; forget(): void; readonly sessions: Map<string, McpServer> } {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const sessions = new Map<string, McpServer>();
  const handler: Handler = async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return known.handleRequest(request, response);
    if (request.headers['mcp-session-id'] !== undefined) return response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, transport);
        sessions.set(id, server);
      },
    });
    const server = new McpServer({ name: 'old', version: '1' });
    server.registerTool('hello', { description: 'Say hello' }, async () => ({
      content: [{ type: 'text', text: 'hello' }],
    }));
    await server.connect(transport);
    return transport.handleRequest(request, response);
  };
  return { handler, forget: () => transports.clear(), sessions };
}

/** A server of 2025-11-25 that gives this for its list. */
function createListing(list: object): Handler {
  const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
  return async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method } = await readBody(request);
    if (method === 'initialize') return answer(response, { jsonrpc: '2.0', id, result: info });
    if (method === 'tools/list') return answer(response, { jsonrpc: '2.0', id, result: list });
    return id === undefined
      ? response.writeHead(202).end()
      : answer(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
  };
}

describe('a server over HTTP', () => {
  it('of the newer generation is called without sessions', async () => {
    const url = await serve(toHandler(createMcpHandler(() => createModernServer())));
    const board = await openServers({ modern: { url } });
    expect(board.diagnostics).toEqual([]);
    expect(await board.call('modern__add', { a: 2, b: 3 })).toMatchObject({ text: '5', data: { sum: 5 } });
    const steps: number[] = [];
    await board.call('modern__count', {}, { onProgress: ({ done }) => steps.push(done) });
    expect(steps).toEqual([1, 2, 3]);
    const elicit = (): unknown => ({ action: 'accept', content: { colour: 'green' } });
    expect((await board.call('modern__paint', {}, { context: { elicit } })).text).toBe('painted green');
  });

  it('of the older generation has a session, begins another when it is forgotten, and tells of changes', async () => {
    const { handler, forget, sessions } = createSessions();
    const board = await openServers({ old: { url: await serve(handler) } });
    expect((await board.call('old__hello')).text).toBe('hello');
    expect(sessions.size).toBe(1);
    forget();
    expect((await board.call('old__hello')).text).toBe('hello');
    expect(sessions.size).toBe(2);
    const changed = nextChange(board);
    const current = [...sessions.values()].at(-1);
    current?.registerTool('later', { description: 'New' }, async () => ({ content: [] }));
    expect(await changed).toBe('old');
    expect(board.registry.has('old__later')).toBe(true);
  });

  it('of the oldest kind is found by its stream of events', async () => {
    const transports = new Map<string, SSEServerTransport>();
    const url = await serve(async (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x');
      if (request.method === 'POST') {
        const known = transports.get(searchParams.get('sessionId') ?? '');
        if (known === undefined) return response.writeHead(405).end();
        return known.handlePostMessage(request, response);
      }
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      const server = new McpServer({ name: 'oldest', version: '1' });
      server.registerTool('hello', { description: 'Hi' }, async () => ({ content: [{ type: 'text', text: 'hello' }] }));
      return server.connect(transport);
    });
    const board = await openServers({ found: { url }, told: { url, type: 'sse' } });
    expect(board.diagnostics).toEqual([]);
    expect((await board.call('found__hello')).text).toBe('hello');
    expect((await board.call('told__hello')).text).toBe('hello');
  });

  it('of the oldest kind may use the ids of requests that the board uses', async () => {
    let stream: ServerResponse | undefined;
    let asked: unknown;
    const lost = Promise.withResolvers<void>();
    const send = (message: object): unknown =>
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    const info = {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
    };
    const results = new Map<unknown, object>([
      ['initialize', info],
      ['tools/list', { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] }],
    ]);
    const url = await serve(async (request, response) => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        return stream.write('event: endpoint\ndata: /post\n\n');
      }
      const { id, method } = await readBody(request);
      if (id !== undefined && method === undefined) {
        // The answer to its own question is lost.
        asked = id;
        request.socket.once('close', () => lost.resolve());
        return request.socket.destroy();
      }
      response.writeHead(202).end();
      const result = results.get(method);
      if (result !== undefined) return send({ id, result });
      if (method !== 'tools/call') return undefined;
      if (asked === undefined) return send({ id, method: 'ping' });
      const said = { content: [{ type: 'text', text: 'hello' }] };
      return [asked, id].map((one) => send({ id: one, result: said }));
    });
    const board = await openServers({ oldest: { url, type: 'sse' } });
    const first = board.call('oldest__hello');
    await lost.promise;
    expect((await board.call('oldest__hello')).text).toBe('hello');
    expect((await first).text).toBe('hello');
  });

  it('is not asked without end for a stream that it ends at once', async () => {
    const times: number[] = [];
    const asked = Promise.withResolvers<void>();
    const info = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
    };
    const url = await serve(async (request, response) => {
      if (request.method === 'GET') {
        if (times.push(performance.now()) === 3) asked.resolve();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.end(`retry: 0\nid: ${times.length}\ndata: {}\n\n`);
      }
      const { id, method } = await readBody(request);
      if (id === undefined) return response.writeHead(202).end();
      const result = method === 'initialize' ? info : { tools: [] };
      return answer(response, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': 'one' });
    });
    await openServers({ endless: { url, protocol: '2025-11-25' } });
    await asked.promise;
    const [first = 0, , third = 0] = times;
    expect(third - first).toBeGreaterThan(1900);
  });

  it('may not fill the memory of a board with its list of tools', async () => {
    const description = 'x'.repeat(1_000_000);
    const tools = Array.from({ length: 70 }, (_, n) => ({ name: `t${n}`, description, inputSchema: {} }));
    const board = await openServers({ huge: { url: await serve(createListing({ tools })), max_frame: 100_000_000 } });
    expect(board.servers[0]?.failure?.message).toContain(
      'what it says of its tools has more than 67,108,864 characters',
    );
  });

  it('gets the headers of the config, and a refusal names what is missing without showing them', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="vault"' }).end();
    });
    const board = await openServers({ closed: { url, headers: { Authorization: 'Bearer hunter2hunter2' } } });
    expect(seen).toContain('Bearer hunter2hunter2');
    const [told] = board.diagnostics;
    expect(told?.message).toContain(
      'it answered 401 (it asks for: Bearer realm="vault"). Put a token into its headers',
    );
    expect(JSON.stringify(board.diagnostics)).not.toContain('hunter2');
  });

  it.for([
    ['is down', undefined, /refuses connections/],
    ['points elsewhere', 302, /it answered 302 and points to http:\/\/elsewhere\.example\/\. Put that into url/],
    ['fails', 500, /it answered 500: oh dear/],
  ] as const)('that %s is a warning', async ([, status, message]) => {
    const url =
      status === undefined
        ? 'http://127.0.0.1:9/mcp'
        : await serve((_, response) =>
            response.writeHead(status, { location: 'http://elsewhere.example/' }).end('oh dear'),
          );
    const board = await openServers({ bad: { url } });
    expect(board.diagnostics).toMatchObject([{ severity: 'warning', message: expect.stringMatching(message) }]);
  });

  it.for([
    [
      'cuts its stream',
      (response: ServerResponse) => response.writeHead(200, EVENTS).end('data: {"x":1}\n\n'),
      /stream ended before the answer/,
    ],
    [
      'answers without end',
      (response: ServerResponse) => response.writeHead(200, JSON_TYPE).end('1'.repeat(200_000)),
      /more than 100,000 bytes/,
    ],
    [
      'sends an event without end',
      (response: ServerResponse) => response.writeHead(200, EVENTS).end(`data: ${'1'.repeat(200_000)}`),
      /an event of more than 100000 bytes/,
    ],
    [
      'answers with no message',
      (response: ServerResponse) => response.writeHead(200, JSON_TYPE).end('[]'),
      /it answered 200/,
    ],
    ['drops the line', (response: ServerResponse) => response.destroy(), /./],
  ] as const)('that %s fails the call alone', async ([, misbehave, message]) => {
    const url = await serve(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method } = await readBody(request);
      if (method === 'tools/call') return misbehave(response);
      if (method === 'tools/list')
        return answer(response, {
          jsonrpc: '2.0',
          id,
          result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
        });
      if (method !== 'initialize') return response.writeHead(id === undefined ? 202 : 400).end();
      return answer(response, {
        jsonrpc: '2.0',
        id,
        result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} },
      });
    });
    const board = await openServers({ bad: { url, max_frame: 100_000 } });
    const { error } = await board.call('bad__t');
    expect(error?.code).toBe('upstream_unavailable');
    expect(error?.message).toMatch(message);
  });
});

const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
