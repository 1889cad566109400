import { gzipSync, deflateSync, deflateRawSync, brotliCompressSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../tool/tool-error.ts';
import type { HttpRequest } from './http-messages.ts';
import { openClient, startServer } from './loopback-server.test-helper.ts';
import { sendRequest } from './send-request.ts';

const get = (url: string, headers: Record<string, string> = {}): HttpRequest => ({ method: 'GET', url, headers });

describe('sendRequest', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'sends %s with headers, query and body',
    async (method) => {
      const { origin, seen } = await startServer(({ body }, response) => response.end(`got ${body.toString()}`));
      const outcome = await sendRequest(
        { method, url: `${origin}/a%2Fb?x=1&x=2`, headers: { 'X-Id': 'ä' }, body: 'größe' },
        { client: openClient() },
      );
      expect(outcome).toMatchObject({
        ok: true,
        status: 200,
        body: { type: 'text', text: 'got größe' },
        attempts: 1,
        redirects: 0,
      });
      expect(seen[0]).toMatchObject({ method, target: '/a%2Fb?x=1&x=2', headers: { 'x-id': 'ä' } });
    },
  );

  it('reads the headers of an answer to HEAD', async () => {
    const { origin } = await startServer((_, response) => {
      response.writeHead(200, { 'content-length': 5_000_000, 'content-encoding': 'gzip', 'x-a': ['1', '2'] });
      response.end();
    });
    const outcome = await sendRequest({ method: 'HEAD', url: origin }, { client: openClient() });
    expect(outcome).toMatchObject({ ok: true, body: { type: 'empty' }, truncated: undefined });
    expect(outcome.headers['content-length']).toBe('5000000');
  });

  it('returns 4xx and 5xx as outcomes', async () => {
    const { origin } = await startServer((_, response) => {
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end('{"title":"gone"}');
    });
    expect(await sendRequest(get(`${origin}/x?secret=1`), { client: openClient() })).toMatchObject({
      ok: false,
      status: 404,
      url: `${origin}/x`,
      body: { type: 'json', value: { title: 'gone' } },
    });
  });

  it('reuses a connection', async () => {
    const { origin, connections } = await startServer((_, response) => response.end('x'));
    const client = openClient();
    for (let count = 0; count < 20; count++) await sendRequest(get(origin), { client });
    // undici may open a second one while the first is about to be free.
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it('finishes requests in flight when its client closes, and sends no more', async () => {
    let answer = (): void => {};
    const asked = Promise.withResolvers<void>();
    const { origin } = await startServer((_, response) => {
      answer = () => response.end('late');
      asked.resolve();
    });
    const client = openClient();
    const pending = sendRequest(get(origin), { client });
    await asked.promise;
    const closed = client.close();
    answer();
    expect((await pending).body).toEqual({ type: 'text', text: 'late' });
    await closed;
    await expect(sendRequest(get(origin), { client })).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a long answer', () => {
  it('is cut at the limit and reports its length', async () => {
    const { origin } = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 3_000_000 });
      response.end('x'.repeat(3_000_000));
    });
    const outcome = await sendRequest(get(origin), { client: openClient() });
    expect(outcome.truncated).toEqual({ kept: 1_048_576, total: 3_000_000 });
    expect(outcome.body).toEqual({ type: 'text', text: 'x'.repeat(1_048_576) });
    expect(outcome.notices).toEqual(['The answer was cut: here are the first 1048576 bytes of 3000000 bytes.']);
  });

  it('is cut when it has no known length and never ends', async () => {
    const { origin } = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const flood = (): void => {
        while (!response.destroyed && response.write(`"${'ä'.repeat(10_000)}"`));
        response.once('drain', flood);
      };
      flood();
    });
    const outcome = await sendRequest(get(origin), { client: openClient(), maxBytes: 1000 });
    expect(outcome.truncated).toEqual({ kept: 1000, total: undefined });
    // The limit cuts a character in two, which is dropped.
    expect(outcome.body).toEqual({ type: 'text', text: `"${'ä'.repeat(499)}` });
  });

  it('of exactly the limit is complete', async () => {
    const { origin } = await startServer((_, response) => {
      response.setHeader('content-type', 'text/plain');
      response.write('12345');
      response.end('67890');
    });
    const outcome = await sendRequest(get(origin), { client: openClient(), maxBytes: 10 });
    expect(outcome).toMatchObject({ truncated: undefined, body: { type: 'text', text: '1234567890' } });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
  ] as const)('packed as a %s bomb is cut after unpacking, with little memory', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(100_000_000));
    const { origin } = await startServer((_, response) => {
      response.writeHead(200, {
        'content-type': 'text/plain',
        'content-encoding': encoding,
        'content-length': bomb.length,
      });
      response.end(bomb);
    });
    const client = openClient();
    const before = process.memoryUsage().rss;
    const outcome = await sendRequest(get(origin), { client });
    expect(outcome.truncated).toEqual({ kept: 1_048_576, total: undefined });
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });
});

describe('a compressed answer', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate, gzip', (text: string) => gzipSync(deflateSync(text))],
    ['identity', (text: string) => Buffer.from(text)],
  ] as const)('in %s is unpacked', async (encoding, compress) => {
    const { origin, seen } = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(compress('{"a":"ä"}'));
    });
    expect((await sendRequest(get(origin), { client: openClient() })).body).toMatchObject({ value: { a: 'ä' } });
    expect(seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br, zstd');
  });

  it.each(['gzip', 'deflate', 'br', 'zstd'])('in broken %s is an error, not a crash', async (encoding) => {
    const { origin } = await startServer((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      response.end('this is not compressed at all');
    });
    await expect(sendRequest(get(origin), { client: openClient() })).rejects.toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining('compressed'),
    });
  });

  it('without content is empty in every encoding', async () => {
    const { origin } = await startServer(({ target }, response) => {
      response.writeHead(Number(target.slice(1)), { 'content-encoding': 'gzip' });
      response.end();
    });
    const client = openClient();
    for (const status of [200, 204, 304, 404]) {
      expect(await sendRequest(get(`${origin}/${status}`), { client })).toMatchObject({
        status,
        body: { type: 'empty' },
      });
    }
  });

  it('in an unknown encoding, or in many layers, is refused', async () => {
    const { origin } = await startServer(({ target }, response) => {
      response.writeHead(200, { 'content-encoding': target === '/many' ? 'gzip, gzip, gzip' : 'snappy' });
      response.end('x');
    });
    const client = openClient();
    await expect(sendRequest(get(origin), { client })).rejects.toMatchObject({
      code: 'execution_failed',
      message:
        'The server answered in the encoding "snappy", which cannot be read. Ask it for one of: gzip, deflate, br, zstd.',
    });
    await expect(sendRequest(get(`${origin}/many`), { client })).rejects.toMatchObject({ code: 'execution_failed' });
  });
});

describe('an answer', () => {
  it.each([
    ['text/plain; charset=ISO-8859-1', Buffer.from('größe', 'latin1'), { type: 'text', text: 'größe' }],
    ['text/html; charset="windows-1251"', Buffer.from([0xcf, 0xf0]), { type: 'text', text: 'Пр' }],
    ['text/plain; charset=nonsense', Buffer.from('größe'), { type: 'text', text: 'größe' }],
    ['text/plain; charset=utf-8', Buffer.from('gr\xf6\xdfe', 'latin1'), { type: 'text', text: 'gr\ufffd\ufffde' }],
    ['application/json', Buffer.from('\ufeff{"a":1}'), { type: 'json', value: { a: 1 }, text: '{"a":1}' }],
    ['application/vnd.api+json; x=y', Buffer.from('[1]'), { type: 'json', value: [1], text: '[1]' }],
    ['application/json', Buffer.from('{"a":'), { type: 'text', text: '{"a":' }],
    ['application/soap+xml', Buffer.from('<a/>'), { type: 'text', text: '<a/>' }],
    ['image/png', Buffer.from([0x89, 0x50]), { type: 'binary', base64: 'iVA=', mimeType: 'image/png' }],
    ['', Buffer.from('plain'), { type: 'text', text: 'plain' }],
    ['', Buffer.from([0, 1]), { type: 'binary', base64: 'AAE=', mimeType: 'application/octet-stream' }],
    ['application/json', Buffer.alloc(0), { type: 'empty' }],
  ])('of type %j is read as such', async (type, bytes, body) => {
    const { origin } = await startServer((_, response) => {
      if (type !== '') response.setHeader('content-type', type);
      response.end(bytes);
    });
    expect((await sendRequest(get(origin), { client: openClient() })).body).toEqual(body);
  });
});

describe('a failure', () => {
  it('to connect says what, where and what to do, without credentials', async () => {
    const { port } = await startServer(() => {});
    const closed = port === 1 ? 2 : 1;
    await expect(
      sendRequest(get(`http://user:hunter2@127.0.0.1:${closed}/p?key=abc`), { client: openClient() }),
    ).rejects.toMatchObject({
      code: 'upstream_unavailable',
      recoverable: true,
      message: `GET http://127.0.0.1:${closed} failed: nothing listens there (ECONNREFUSED). Check that the server runs. Check the host and the port in the url of the tool.`,
    });
  });

  it('to resolve a name is one', async () => {
    const lookup = openClient({
      lookup: (hostname, _options, callback) => callback(Object.assign(new Error(hostname), { code: 'ENOTFOUND' }), ''),
    });
    await expect(sendRequest(get('http://nowhere.example/'), { client: lookup })).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message:
        'GET http://nowhere.example failed: its name cannot be resolved (ENOTFOUND). Check the host and the port in the url of the tool.',
    });
  });

  it('in the middle of the answer is one', async () => {
    const { origin } = await startServer((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half');
      setImmediate(() => response.socket?.destroy());
    });
    await expect(sendRequest(get(origin), { client: openClient() })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  it('of a server that does not speak HTTP is one', async () => {
    const { origin } = await startServer((_, response) => response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'));
    await expect(sendRequest(get(origin), { client: openClient() })).rejects.toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining('the answer is not HTTP'),
    });
  });

  it('to begin an answer in time is a timeout', async () => {
    const { origin } = await startServer(() => {});
    await expect(sendRequest(get(origin), { client: openClient(), headersTimeout: 30 })).rejects.toMatchObject({
      code: 'timeout',
      message: `GET ${origin} failed: the server took too long to begin its answer (UND_ERR_HEADERS_TIMEOUT). Try again later.`,
    });
  });

  it('to continue an answer in time is a timeout', async () => {
    const { origin } = await startServer((_, response) => {
      response.write('begin');
    });
    await expect(sendRequest(get(origin), { client: openClient(), bodyTimeout: 30 })).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('to end a slowly arriving body in time is a timeout', async () => {
    const { origin } = await startServer((_, response) => {
      const drip = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(drip));
    });
    await expect(sendRequest(get(origin), { client: openClient(), timeout: 60 })).rejects.toMatchObject({
      code: 'timeout',
      message: `GET ${origin} was given up: it took too long.`,
    });
  });

  it('differs from a cancellation, before and during the answer', async () => {
    const controller = new AbortController();
    const { origin } = await startServer((_, response) => {
      response.write('x');
      controller.abort();
    });
    const client = openClient();
    const cancelled = { code: 'cancelled', message: `GET ${origin} was cancelled.` };
    await expect(sendRequest(get(origin), { client, signal: controller.signal })).rejects.toMatchObject(cancelled);
    await expect(sendRequest(get(origin), { client, signal: AbortSignal.abort() })).rejects.toMatchObject(cancelled);
    const reason = new ToolError({ code: 'timeout', message: 'The call took too long.' });
    await expect(sendRequest(get(origin), { client, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('the egress policy', () => {
  it('refuses loopback, in every spelling, before anything is sent', async () => {
    const { port, seen, connections } = await startServer((_, response) => response.end());
    const client = openClient({ allow: [] });
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost']) {
      await expect(sendRequest(get(`http://${host}:${port}/`), { client })).rejects.toMatchObject({
        code: 'permission_denied',
      });
    }
    expect([seen, connections()]).toEqual([[], 0]);
  });

  it('refuses a name that resolves to a private address', async () => {
    const { port, connections } = await startServer((_, response) => response.end());
    const client = openClient({
      allow: [],
      lookup: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    await expect(sendRequest(get(`http://rebind.example:${port}/`), { client })).rejects.toMatchObject({
      code: 'permission_denied',
      message: `Requests to rebind.example:${port} (127.0.0.1) are not allowed: the address is loopback, not public. To permit it, add "rebind.example:${port}" to allow_hosts of the tool, or of http: in its file for all its tools.`,
    });
    expect(connections()).toBe(0);
  });

  it('connects to the address it judged, not to what the name resolves to next', async () => {
    const { port, connections } = await startServer((_, response) => response.end('inside'));
    let asked = 0;
    const client = openClient({
      // Stands for a public address; nothing listens on it.
      allow: ['127.0.0.2'],
      lookup: (_hostname, _options, callback) =>
        callback(null, [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]),
    });
    const request = get(`http://rebind.example:${port}/`);
    await expect(sendRequest(request, { client })).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await expect(sendRequest(request, { client })).rejects.toMatchObject({ code: 'permission_denied' });
    expect([asked, connections()]).toEqual([2, 0]);
  });

  it('checks the connected address, even if the resolver was deceived', async () => {
    const { port, seen } = await startServer((_, response) => response.end());
    const { createEgressPolicy } = await import('./egress.ts');
    const strict = createEgressPolicy();
    let looks = 0;
    const client = openClient({
      // Passes the first check, as if the address had changed before the connection.
      egress: { ...strict, checkAddress: (...parts) => (looks++ === 0 ? undefined : strict.checkAddress(...parts)) },
      lookup: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    await expect(sendRequest(get(`http://rebind.example:${port}/`), { client })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    expect([looks, seen]).toEqual([2, []]);
  });

  it('allows configured hosts by port', async () => {
    const { port } = await startServer((_, response) => response.end('in'));
    const other = await startServer((_, response) => response.end('out'));
    const client = openClient({ allow: [`localhost:${port}`] });
    expect(await sendRequest(get(`http://localhost:${port}/`), { client })).toMatchObject({ ok: true });
    await expect(sendRequest(get(`http://localhost:${other.port}/`), { client })).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('refuses other schemes', async () => {
    await expect(sendRequest(get('file:///etc/passwd'), { client: openClient() })).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

it('loads undici only for the first request', async () => {
  const { execFileSync } = await import('node:child_process');
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load(url, context, next) { if (url.includes('/node_modules/undici/')) loaded.add('undici'); return next(url, context); } });
    const { createHttpClient } = await import('./http-client.ts');
    const { createEgressPolicy } = await import('./egress.ts');
    const { sendRequest } = await import('./send-request.ts');
    await import('./template/compile-request.ts');
    const client = createHttpClient({ egress: createEgressPolicy() });
    await createHttpClient({ egress: createEgressPolicy() }).close();
    const before = loaded.size;
    await client.connect();
    console.log(before, loaded.size, typeof sendRequest);
    await client.close();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(output).toBe('0 1 function\n');
});
