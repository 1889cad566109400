import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ToolResult } from '../../tool/tool-result.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { META } from '../protocol/mcp-names.ts';
import { LOCAL_USER } from './caller.ts';
import { serveHttp } from './http/serve-http.ts';
import { McpServer } from './mcp-server.ts';
import { peerOf } from './peer.ts';
import { serveStdio } from './stdio/serve-stdio.ts';
import { resultOf, TestClient } from './test-client.test-helper.ts';

const none = { type: 'object', properties: {} } as const;

function createRegistry(): ToolRegistry {
  return new ToolRegistry().registerMany([
    defineTool({
      name: 'add',
      displayName: 'Add',
      icons: [{ src: 'https://example.com/plus.svg' }],
      description: 'Adds two numbers',
      risk: 'read',
      schema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      execute: ({ a, b }) => String(a + b),
    }),
    defineTool({ name: 'greet', description: 'Greets', schema: none, execute: () => 'Hello.' }),
    defineTool({
      name: 'fail',
      description: 'Fails',
      schema: none,
      execute: () => {
        throw new Error('The disk is full.');
      },
    }),
    defineTool({
      name: 'wait',
      description: 'Waits until it is cancelled',
      schema: none,
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('Stopped.')))),
    }),
  ]);
}

async function open(registry = createRegistry()): Promise<TestClient> {
  const client = new TestClient(new McpServer({ registry }, { name: 'board', version: '1.2.3' }));
  await client.initialize();
  return client;
}

describe('a session', () => {
  it('is over when its client is gone, also with nothing under way', () => {
    const server = new McpServer(createRegistry());
    const connection = server.connect(LOCAL_USER);
    expect(connection.ended?.aborted).toBe(false);
    connection.close();
    expect(connection.ended?.aborted).toBe(true);
  });
});

describe('what is served', () => {
  it('is a board, or a registry by itself', async () => {
    const registry = createRegistry();
    const server = new McpServer(registry);
    expect(server.board.registry).toBe(registry);
    const client = new TestClient(server);
    await client.initialize();
    const called = await client.result('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    expect(called).toMatchObject({ content: [{ type: 'text', text: '3' }] });
  });

  it('is asked for in words where it is something else', async () => {
    // As code without types would.
    const wrong = (value: unknown): never => value as never;
    for (const value of [undefined, {}, [], 'pegboard.yaml']) {
      const words = 'takes a board of openBoard, a ToolRegistry, or an object with a registry; got';
      expect(() => new McpServer(wrong(value))).toThrow(`new McpServer ${words}`);
      await expect(serveHttp(wrong(value))).rejects.toThrow(`serveHttp ${words}`);
      await expect(serveStdio(wrong(value))).rejects.toThrow(`serveStdio ${words}`);
    }
  });

  it('is a board without a server of its own over stdio and HTTP, too', async () => {
    const registry = createRegistry();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(registry, { input, output });
    input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await served;
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    const http = await serveHttp({ registry }, { port: 0 });
    const response = await fetch(http.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${http.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      }),
    });
    expect(await response.json()).toMatchObject({ result: { serverInfo: { name: 'pegboard' } } });
    await http.close();
  });
});

describe('the handshake', () => {
  it('agrees on the revision that the client asks for, or gives the newest', async () => {
    const server = new McpServer({ registry: createRegistry() });
    const ask = (protocolVersion: string) =>
      new TestClient(server).result('initialize', { protocolVersion, capabilities: {}, clientInfo: {} });
    expect(await ask('2025-06-18')).toMatchObject({ protocolVersion: '2025-06-18' });
    expect(await ask('1999-01-01')).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'pegboard' },
    });
  });

  it('keeps no capabilities that would fill the memory of the server', async () => {
    const client = new TestClient(new McpServer({ registry: createRegistry() }));
    const capabilities = { experimental: { text: 'x'.repeat(100_000) } };
    expect(await client.request('initialize', { protocolVersion: '2025-11-25', capabilities })).toMatchObject({
      error: { code: -32602, message: 'params.capabilities has 100028 characters; 65536 is the most.' },
    });
    expect(client.connection.version).toBeUndefined();
    await client.initialize({ experimental: {} });
  });

  it('is asked for before anything but a ping, and says how else to come in', async () => {
    const client = new TestClient(new McpServer({ registry: createRegistry() }));
    expect(await client.request('ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await client.request('tools/list')).toMatchObject({
      id: 2,
      error: { code: -32602, message: expect.stringContaining('Send initialize first') },
    });
    expect(await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  });

  it('serves stateless requests beside a session on the same connection', async () => {
    const client = await open();
    expect(resultOf(await client.modern('tools/call', { name: 'greet' }))).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: 'Hello.' }],
      _meta: { [META.serverInfo]: { name: 'board', version: '1.2.3' } },
    });
    expect(await client.result('tools/call', { name: 'greet' })).toEqual({
      content: [{ type: 'text', text: 'Hello.' }],
    });
  });
});

describe('tools/list', () => {
  it('gives titles, annotations and schemas, in the order of the board', async () => {
    const client = await open();
    const { tools } = await client.result('tools/list');
    expect(tools).toMatchObject([
      {
        name: 'add',
        title: 'Add',
        icons: [{ src: 'https://example.com/plus.svg' }],
        annotations: { readOnlyHint: true },
        inputSchema: { required: ['a', 'b'] },
      },
      { name: 'greet' },
      { name: 'fail' },
      { name: 'wait' },
    ]);
    expect(await client.result('tools/list')).toEqual({ tools });
  });

  it('gives pages whose cursors hold until the board changes', async () => {
    const registry = createRegistry();
    const client = new TestClient(new McpServer({ registry }, { pageSize: 3 }));
    await client.initialize();
    const first = await client.result('tools/list');
    expect(first['tools']).toHaveLength(3);
    const cursor = first['nextCursor'];
    expect(await client.result('tools/list', { cursor })).toEqual({
      tools: [expect.objectContaining({ name: 'wait' })],
    });
    const [version] = Buffer.from(String(cursor), 'base64url').toString().split(':');
    for (const offset of [1, 4, 999_999_999]) {
      const forged = Buffer.from(`${version}:${offset}`).toString('base64url');
      expect(await client.request('tools/list', { cursor: forged })).toMatchObject({ error: { code: -32602 } });
    }
    registry.remove('greet');
    for (const stale of [cursor, 'nonsense', 7]) {
      expect(await client.request('tools/list', { cursor: stale })).toMatchObject({ error: { code: -32602 } });
    }
  });

  it('tells clients of both eras once when several tools change, and lists the new ones', async () => {
    const registry = createRegistry();
    const client = await open(registry);
    const heard = new Promise<void>((resolve) => {
      client.onMessage = ({ method, params }) => {
        if (method === 'notifications/tools/list_changed' && params !== undefined) resolve();
      };
    });
    void client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    registry.remove('fail');
    registry.remove('wait');
    await heard;
    const methods = client.received.map(({ method }) => method);
    expect(methods.filter((method) => method === 'notifications/tools/list_changed')).toHaveLength(2);
    expect(methods[0]).toBe('notifications/subscriptions/acknowledged');
    expect((await client.result('tools/list'))['tools']).toHaveLength(2);
  });
});

describe('tools/call', () => {
  it.for([
    [{ name: 'add', arguments: { a: 2, b: 3 } }, { content: [{ type: 'text', text: '5' }] }],
    [{ name: 'add', arguments: { a: '2', b: 3 } }, { content: [{ type: 'text', text: '5' }] }],
    [{ name: 'add', arguments: '{"a":2,"b":3}' }, { content: [{ type: 'text', text: '5' }] }],
    [{ name: 'greet' }, { content: [{ type: 'text', text: 'Hello.' }] }],
    [{ name: 'greet', arguments: null }, { content: [{ type: 'text', text: 'Hello.' }] }],
  ] as const)('takes %j', async ([params, result]) => {
    const client = await open();
    expect(await client.result('tools/call', params)).toEqual(result);
  });

  it.for([
    [{ name: 'add', arguments: { a: 2 } }, 'b'],
    [{ name: 'add', arguments: [1, 2] }, 'Send one JSON object'],
    [{ name: 'ad', arguments: {} }, 'Did you mean: add?'],
    [{ name: 'fail' }, 'The disk is full.'],
  ] as const)('answers %j with a result that says what to change', async ([params, text]) => {
    const client = await open();
    expect(await client.result('tools/call', params)).toEqual({
      content: [{ type: 'text', text: expect.stringContaining(text) }],
      isError: true,
    });
  });

  it('refuses a call without a name as a request', async () => {
    const client = await open();
    expect(await client.request('tools/call', { arguments: {} })).toMatchObject({ error: { code: -32602 } });
  });

  it('holds to the output schema what is sent: a date is a text by then, an instance of a class an object', async () => {
    class Point {
      readonly x = 1;
    }
    const outputSchema = {
      type: 'object',
      properties: { at: { type: 'string' }, x: { type: 'number' } },
    } as const;
    const dated = { at: new Date(0) };
    const registry = new ToolRegistry().registerMany(
      Object.entries({ dated, point: new Point() }).map(([name, output]) =>
        // The JSON of a value differs from the type that the compiler sees.
        defineTool({ name, description: 'D', schema: none, outputSchema, execute: () => output as never }),
      ),
    );
    const client = await open(registry);
    expect(await client.result('tools/call', { name: 'dated' })).toMatchObject({
      structuredContent: { at: '1970-01-01T00:00:00.000Z' },
    });
    expect(await client.result('tools/call', { name: 'point' })).toMatchObject({ structuredContent: { x: 1 } });
  });

  it('sends structured content for tools that promised it, and only then', async () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
    const registry = new ToolRegistry().registerMany([
      defineTool({ name: 'promised', description: 'P', schema: none, outputSchema, execute: () => ({ sum: 5 }) }),
      defineTool({
        name: 'broken',
        description: 'B',
        schema: none,
        outputSchema,
        // @ts-expect-error what the compiler refuses is refused at run time too
        execute: () => ({ sum: 'five' }),
      }),
      defineTool({ name: 'free', description: 'F', schema: none, execute: () => ({ sum: 5 }) }),
    ]);
    const client = await open(registry);
    const text = [{ type: 'text', text: '{"sum":5}' }];
    expect(await client.result('tools/call', { name: 'promised' })).toEqual({
      content: text,
      structuredContent: { sum: 5 },
    });
    expect(await client.result('tools/call', { name: 'free' })).toEqual({ content: text });
    expect(await client.result('tools/call', { name: 'broken' })).toMatchObject({
      content: [{ text: expect.stringContaining('is not what its output schema says') }],
      isError: true,
    });
  });

  it('passes images, audio and links on', async () => {
    const blocks = [
      { type: 'text', text: 'Here:' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
    ] as const;
    const registry = new ToolRegistry().register(
      defineTool({ name: 'mixed', description: 'M', schema: none, execute: () => ToolResult.content(blocks) }),
    );
    expect(await (await open(registry)).result('tools/call', { name: 'mixed' })).toEqual({ content: blocks });
  });

  it('sends progress that only grows, to clients that ask for it', async () => {
    const registry = new ToolRegistry().register(
      defineTool({
        name: 'steps',
        description: 'S',
        schema: none,
        execute(_input, context) {
          context.progress(1, 2, 'half');
          context.progress(1, 2);
          context.progress(2, 2);
          return 'Done.';
        },
      }),
    );
    const client = await open(registry);
    await client.result('tools/call', { name: 'steps' });
    expect(client.received).toEqual([]);
    await client.result('tools/call', { name: 'steps', _meta: { progressToken: 't' } });
    expect(client.received.map(({ params }) => params)).toEqual([
      { progressToken: 't', progress: 1, total: 2, message: 'half' },
      { progressToken: 't', progress: 2, total: 2 },
    ]);
  });

  it('sends log lines at the level the client wants', async () => {
    const registry = new ToolRegistry().register(
      defineTool({
        name: 'talk',
        description: 'T',
        schema: none,
        execute(_input, { log }) {
          log.debug('low');
          log.warn('high', { disk: 'full' });
          return 'Done.';
        },
      }),
    );
    const client = await open(registry);
    await client.result('logging/setLevel', { level: 'warning' });
    await client.result('tools/call', { name: 'talk' });
    const expected = { level: 'warning', logger: 'talk', data: { message: 'high', disk: 'full' } };
    expect(client.received.map(({ params }) => params)).toEqual([expected]);
    expect(await client.request('logging/setLevel', { level: 'loud' })).toMatchObject({ error: { code: -32602 } });
    await client.modern('tools/call', { name: 'talk' });
    expect(client.received).toHaveLength(1);
    await client.modern('tools/call', { name: 'talk', _meta: { [META.logLevel]: 'debug' } });
    expect(client.received).toHaveLength(3);
  });

  it('stops a call that is cancelled and does not answer it', async () => {
    const client = await open();
    const call = client.request('tools/call', { name: 'wait' }, 'w');
    for (const requestId of ['unknown', { odd: true }, 'w']) {
      await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    }
    expect(await call).toBeUndefined();
    expect(await client.request('ping', {}, 'w')).toMatchObject({ id: 'w', result: {} });
  });

  it('refuses an id that is in use', async () => {
    const client = await open();
    const call = client.request('tools/call', { name: 'wait' }, 1);
    expect(await client.request('ping', {}, 1)).toMatchObject({ id: 1, error: { code: -32600 } });
    client.connection.close();
    expect(await call).toBeUndefined();
  });
});

describe('a stateless request', () => {
  it.for([
    [{}, META.protocolVersion],
    [{ [META.protocolVersion]: '2026-07-28' }, META.clientCapabilities],
    [{ [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: 'all' }, META.clientCapabilities],
  ] as const)('with _meta %j is refused with what is missing', async ([_meta, missing]) => {
    const client = new TestClient(new McpServer({ registry: createRegistry() }));
    expect(await client.request('server/discover', { _meta })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(missing) },
    });
  });

  it('of another revision is told which ones there are', async () => {
    const client = new TestClient(new McpServer({ registry: createRegistry() }));
    expect(await client.modern('tools/list', { _meta: { [META.protocolVersion]: '2031-01-01' } })).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2031-01-01' } },
    });
  });

  it('finds neither methods of the older era nor unknown ones', async () => {
    const client = new TestClient(new McpServer({ registry: createRegistry() }));
    for (const method of ['ping', 'initialize', 'logging/setLevel', 'nonsense', 'constructor', '__proto__']) {
      expect(await client.modern(method)).toMatchObject({ error: { code: -32601 } });
    }
  });

  it('follows no more than it can look up at once', async () => {
    const client = new TestClient(new McpServer({ registry: createRegistry() }));
    const many = { resourceSubscriptions: Array.from({ length: 1_001 }, (_, index) => `x://${index}`) };
    expect(await client.modern('subscriptions/listen', { notifications: many })).toMatchObject({
      error: { code: -32602 },
    });
  });

  it('ends streams with a result when the server stops', async () => {
    const server = new McpServer({ registry: createRegistry() });
    const client = new TestClient(server);
    const stream = client.modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['x://y'] } });
    server.resourceUpdated('x://y');
    server.endStreams();
    expect(resultOf(await stream)).toMatchObject({ resultType: 'complete', _meta: { [META.subscriptionId]: 1 } });
    expect(client.received.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
    ]);
  });
});

describe('a tool that asks the client', () => {
  const registry = new ToolRegistry().register(
    defineTool({
      name: 'sign_in',
      description: 'Signs in',
      schema: none,
      execute: async (_input, context) => {
        const params = { mode: 'url', message: 'Sign in', url: 'https://example.com' };
        const answers = await peerOf(context)?.ask({ page: { method: 'elicitation/create', params } });
        return String(answers?.['page']?.['action']);
      },
    }),
  );

  it.for([
    [{}, { error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } } }],
    [{ elicitation: {} }, { error: { code: -32021 } }],
    [{ elicitation: { url: {} } }, { result: { resultType: 'input_required' } }],
  ] as const)('of a stateless client that can do %j', async ([capabilities, answer]) => {
    const client = new TestClient(new McpServer({ registry }));
    expect(await client.modern('tools/call', { name: 'sign_in' }, capabilities)).toMatchObject(answer);
  });

  it('is told when the client of a session cannot, answers with an error, or is gone', async () => {
    const client = new TestClient(new McpServer({ registry }));
    const call = () => client.result('tools/call', { name: 'sign_in' });
    await client.initialize({ elicitation: { form: {} } });
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('"elicitation"') }],
    });
    await client.initialize({ elicitation: { url: {} } });
    client.onMessage = ({ id }) => void client.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'No screen.' } });
    expect(await call()).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('No screen.') }] });
    client.onMessage = () => client.connection.close();
    expect(await client.request('tools/call', { name: 'sign_in' })).toBeUndefined();
  });
});

describe('prompts, resources and completion', () => {
  it('serves the board as a prompt and each tool as a resource', async () => {
    const client = await open();
    const prompt = await client.result('prompts/get', { name: 'board_tools' });
    expect(prompt).toMatchObject({ messages: [{ role: 'user', content: { text: expect.stringContaining('add') } }] });
    const { resources } = await client.result('resources/list');
    expect(resources).toHaveLength(4);
    const { contents } = await client.result('resources/read', { uri: 'pegboard://tools/add' });
    expect(contents).toMatchObject([{ uri: 'pegboard://tools/add', text: expect.stringContaining('"risk": "read"') }]);
    const { resourceTemplates } = await client.result('resources/templates/list');
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'pegboard://tools/{name}' }]);
    const ref = { type: 'ref/resource', uri: 'pegboard://tools/{name}' };
    expect(await client.result('completion/complete', { ref, argument: { name: 'name', value: 'a' } })).toEqual({
      completion: { values: ['add', 'fail', 'wait'], total: 3, hasMore: false },
    });
  });

  it('tells those who follow a tool when it changes', async () => {
    const registry = createRegistry();
    const client = await open(registry);
    await client.result('resources/subscribe', { uri: 'pegboard://tools/greet' });
    registry.update('greet', defineTool({ name: 'greet', description: 'New', schema: none, execute: () => 'Hi.' }));
    expect(client.received).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'pegboard://tools/greet' } },
    ]);
  });

  it.for([
    ['resources/read', { uri: 'pegboard://tools/none' }, -32002],
    ['resources/read', { uri: 5 }, -32602],
    ['prompts/get', { name: 'none' }, -32602],
    ['prompts/get', { name: 'board_tools', arguments: { category: 1 } }, -32602],
    ['completion/complete', { ref: 'x', argument: 'y' }, -32602],
    ['resources/subscribe', {}, -32602],
  ] as const)('refuses %s with %j', async ([method, params, code]) => {
    expect(await (await open()).request(method, params)).toMatchObject({ error: { code } });
  });
});
