// Servers over HTTP that forget their sessions: the next call opens another one, and nothing runs twice.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { BOARD, placeBoard, startServe, TOKEN, waitForText } from './mcp/serve-process.test-helper.ts';
import { answerJson, serveSessions } from './session-server.test-helper.ts';
import { nextChange, openServers } from './upstream-boards.test-helper.ts';

const TEN = Array.from({ length: 10 }, (_, index) => index);
const NO_SESSION = { code: -32_000, message: 'Bad Request: No valid session ID provided' };
const NOT_FOUND = { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } };
const GONE = { status: 404, body: NOT_FOUND };

describe('a session that the server forgot', () => {
  it.for([
    ['404 with a JSON-RPC body', GONE],
    ['404 with a JSON-RPC body of the Python SDK', { status: 404, body: pythonError() }],
    ['404 without a body', { status: 404 }],
    ['404 with a text', { status: 404, body: 'session not found' }],
    ['400 as server-everything says it', { status: 400, body: { jsonrpc: '2.0', id: 7, error: NO_SESSION } }],
    ['400 as a text', { status: 400, body: 'Bad Request: No valid session ID provided' }],
    ['400 without a body', { status: 400 }],
    ['401 as the Rust SDK said it', { status: 401, body: 'Unauthorized: Session not found' }],
  ] as const)('(%s) is opened anew once for ten calls, each of which runs once', async ([, refusal]) => {
    const server = await serveSessions(refusal);
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    expect((await board.call('far_hello')).text).toBe('hello');
    // All ten are on their way before the first is refused.
    server.forget(10);
    const results = await Promise.all(TEN.map(() => board.call('far_hello')));
    expect(results.map(({ text }) => text)).toEqual(TEN.map(() => 'hello'));
    expect(server.refused.filter((method) => method === 'tools/call')).toHaveLength(10);
    expect(server.taken.filter((method) => method === 'tools/call')).toHaveLength(11);
    expect(server.opened).toHaveLength(2);
  });

  it('is not opened a third time for a server that keeps forgetting', async () => {
    const server = await serveSessions(GONE, {
      handle: (_, response) => response.writeHead(404).end(),
      hasStream: false,
    });
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    const { error } = await board.call('far_hello');
    expect(error?.code).toBe('upstream_unavailable');
    expect(error?.message).toContain('it answered 404');
    expect(server.taken.filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  it.for([
    ['400 about the arguments', 400, { code: -32_602, message: 'Invalid params: unknown session name' }],
    ['404 about the method', 404, { code: -32_601, message: 'Method not found' }],
    ['400 about the revision', 400, { code: -32_000, message: 'Bad Request: Unsupported protocol version' }],
  ] as const)('is not what %s means', async ([, status, error]) => {
    const server = await serveSessions(GONE, {
      handle: ({ id }, response) => response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id, error })),
    });
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    const result = await board.call('far_hello');
    expect(result.error?.message).toContain(error.message);
    expect(server.taken.filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(server.opened).toHaveLength(1);
  });

  it('lets a call end that was taken before, and does not make it again', async () => {
    const reached = Promise.withResolvers<() => void>();
    let runs = 0;
    const server = await serveSessions(GONE, {
      handle: ({ id }, response) => {
        const finish = (): void => answerJson(response, id, { content: [{ type: 'text', text: `run ${++runs}` }] });
        // The first one takes long.
        if (server.opened.length === 1) reached.resolve(finish);
        else finish();
      },
    });
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    const long = board.call('far_hello');
    const finish = await reached.promise;
    server.forget();
    expect((await board.call('far_hello')).text).toBe('run 1');
    finish();
    expect((await long).text).toBe('run 2');
    expect(runs).toBe(2);
  });

  it('takes the task of a call along', async () => {
    const server = await serveSessions(GONE, {
      handle: ({ id, method, params }, response) => {
        if (method === 'tools/call') {
          answerJson(response, id, { task: { taskId: 'task-1', status: 'working' } });
          return server.forget();
        }
        return answerJson(response, id, {
          content: [{ type: 'text', text: `${method} of ${String(params['taskId'])}` }],
        });
      },
    });
    const execution = { taskSupport: 'required' };
    server.tools = [{ name: 'hello', inputSchema: { type: 'object' }, execution }];
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    expect((await board.call('far_hello')).text).toBe('tasks/result of task-1');
    expect(server.taken.filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(server.opened).toHaveLength(2);
  });

  it('tells that a task went with it', async () => {
    const error = { code: -32_602, message: 'Task not found' };
    const server = await serveSessions(GONE, {
      handle: ({ id, method }, response) => {
        if (method === 'tasks/result')
          return response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        answerJson(response, id, { task: { taskId: 'task-1', status: 'working' } });
        return server.forget();
      },
    });
    server.tools = [{ name: 'hello', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }];
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    const result = await board.call('far_hello');
    expect(result.error?.code).toBe('upstream_unavailable');
    expect(result.text).toContain('and the task that ran the call with it (Task not found)');
    expect(server.taken.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is noticed by the stream that it had, which brings what the server offers now', async () => {
    const server = await serveSessions(GONE);
    const streaming = server.nextStream();
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    await streaming;
    server.tools = [{ name: 'later', inputSchema: { type: 'object' } }];
    const changed = nextChange(board);
    const again = server.nextStream();
    server.forget();
    expect(await changed).toBe('far');
    expect(board.registry.has('far_later')).toBe(true);
    // The new session has a stream of its own.
    await again;
    const third = nextChange(board);
    server.tools = [];
    server.tell({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await third;
    expect(board.registry.has('far_later')).toBe(false);
    expect(server.opened).toHaveLength(2);
  });

  it('is opened anew when its list of tools is asked for again', async () => {
    const server = await serveSessions(GONE);
    const streaming = server.nextStream();
    const board = await openServers({ far: { url: server.url, prefix: 'far_' } });
    await streaming;
    server.tools = [{ name: 'later', inputSchema: { type: 'object' } }];
    const changed = nextChange(board);
    server.tell({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    server.forget();
    await changed;
    expect((await board.call('far_later')).text).toBe('hello');
    expect(server.opened).toHaveLength(2);
  });
});

it('a session of the oldest kind that the server forgot is opened anew once for ten calls', async () => {
  const transports = new Map<string, SSEServerTransport>();
  let opened = 0;
  let runs = 0;
  const url = await listen((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    if (request.method === 'POST') {
      const known = transports.get(searchParams.get('sessionId') ?? '');
      if (known !== undefined) return void known.handlePostMessage(request, response);
      return void response.writeHead(400).end('No transport found for sessionId');
    }
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    opened++;
    const server = new McpServer({ name: 'oldest', version: '1' });
    server.registerTool('hello', { description: 'Hi' }, async () => ({
      content: [{ type: 'text', text: `run ${++runs}` }],
    }));
    return void server.connect(transport);
  });
  const board = await openServers({ far: { url, type: 'sse', prefix: 'far_' } });
  expect((await board.call('far_hello')).text).toBe('run 1');
  // The stream stays open, as through a proxy.
  transports.clear();
  const results = await Promise.all(TEN.map(() => board.call('far_hello')));
  expect(results.every(({ ok }) => ok)).toBe(true);
  expect({ runs, opened }).toEqual({ runs: 11, opened: 2 });
});

describe('a restarted server', () => {
  it.for(['v1', 'v2'] as const)(
    'of the TypeScript SDK %s with one transport is called again by ten at once',
    async (sdk) => {
      let runs = 0;
      const start = async (): Promise<RequestListener> => {
        const options = { sessionIdGenerator: () => randomUUID() };
        const hello = async (): Promise<{ content: { type: 'text'; text: string }[] }> => {
          runs++;
          return { content: [{ type: 'text', text: 'hello' }] };
        };
        if (sdk === 'v1') {
          const transport = new StreamableHTTPServerTransport(options);
          const server = new McpServer({ name: 'one', version: '1' });
          server.registerTool('hello', { description: 'Hi' }, hello);
          await server.connect(transport);
          return (request, response) => void transport.handleRequest(request, response);
        }
        const transport = new NodeStreamableHTTPServerTransport(options);
        const server = new McpServerV2({ name: 'one', version: '1' });
        server.registerTool('hello', { description: 'Hi', inputSchema: z.object({}) }, hello);
        await server.connect(transport);
        return (request, response) => void transport.handleRequest(request, response);
      };
      let handle = await start();
      const url = await listen((request, response) => handle(request, response));
      const board = await openServers({ far: { url, prefix: 'far_' } });
      expect((await board.call('far_hello')).text).toBe('hello');
      handle = await start();
      const results = await Promise.all(TEN.map(() => board.call('far_hello')));
      expect(results.map(({ text }) => text)).toEqual(TEN.map(() => 'hello'));
      expect(runs).toBe(11);
    },
  );

  it('server-everything of npm is called again by ten at once', async () => {
    const port = await freePort();
    const path = '../node_modules/@modelcontextprotocol/server-everything/dist/index.js';
    const start = (): Promise<() => Promise<void>> =>
      startProcess([join(import.meta.dirname, path), 'streamableHttp'], { PORT: String(port) }, /listening on port/);
    const stop = await start();
    const board = await openServers({ far: { url: `http://127.0.0.1:${port}/mcp`, prefix: 'far_' } });
    expect((await board.call('far_echo', { message: 'hi' })).text).toBe('Echo: hi');
    await stop();
    await start();
    const results = await Promise.all(TEN.map((n) => board.call('far_echo', { message: String(n) })));
    expect(results.map(({ text }) => text)).toEqual(TEN.map((n) => `Echo: ${n}`));
  });

  it.for(['auto', '2025-11-25'])('Pegboard itself is called again by ten at once (protocol %s)', async (protocol) => {
    const port = await freePort();
    const { file, remove } = placeBoard();
    onTestFinished(remove);
    const start = async (): Promise<() => Promise<void>> => {
      const child = startServe([file, '--http', '--port', String(port), '--token', TOKEN]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await waitForText(child.stderr, /at http:\S+/);
      return async () => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await ended;
      };
    };
    const stop = await start();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const board = await openServers({
      far: { url: `http://127.0.0.1:${port}/mcp`, headers, protocol, prefix: 'far_' },
    });
    expect((await board.call('far_hail', { ship: 'Ada' })).text).toBe('ahoy Ada\n');
    await stop();
    const stopAgain = await start();
    const results = await Promise.all(TEN.map((n) => board.call('far_hail', { ship: String(n) })));
    expect(results.map(({ text }) => text)).toEqual(TEN.map((n) => `ahoy ${n}\n`));
    // Tools that it offers after another restart arrive without a call.
    await stopAgain();
    writeFileSync(file, BOARD.replace('name: hail', 'name: greet'));
    const changed = nextChange(board);
    await start();
    expect(await changed).toBe('far');
    expect(board.registry.has('far_greet')).toBe(true);
  });
});

/** Serves on loopback until the test is over, and gives the address. */
async function listen(handle: RequestListener): Promise<string> {
  const listener = createHttpServer(handle);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  // It listens on a port, so its address is one.
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
}

function pythonError(): object {
  return { jsonrpc: '2.0', id: 'server-error', error: { code: -32_600, message: 'Session not found' } };
}

/** Starts a Node program and waits until it says that it is ready; gives what kills it. */
async function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await waitForText(child.stderr, ready);
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so its address is one.
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
