import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../../../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../../../board/registry/tool-registry.ts';
import { createTokenAuthenticator, hashToken } from '../../auth/token-authenticator.ts';
import { McpServer } from '../../mcp-server.ts';
import type { HttpOptions } from '../http-options.ts';
import { type HttpServer, serveHttp } from '../serve-http.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const [TOKEN, OTHER] = ['a-token-that-is-long', 'one-for-reading-only'];
const everything = { key: '', allows: () => true };
const greeting = { key: 'greet', allows: (tool: { metadata: { name: string } }) => tool.metadata.name === 'greet' };

async function start(options: HttpOptions = {}): Promise<(path: string, headers?: object) => Promise<Response>> {
  const schema = { type: 'object', properties: {} } as const;
  const registry = new ToolRegistry().registerMany(
    ['greet', 'secret_project'].map((name) => defineTool({ name, description: name, schema, execute: () => 'Done.' })),
  );
  const authenticator = createTokenAuthenticator([
    { name: 'all', hash: hashToken(TOKEN), access: everything },
    { name: 'some', hash: hashToken(OTHER), access: greeting },
  ]);
  const http = await serveHttp(new McpServer({ registry }), { port: 0, authenticator, ...options });
  open.push(http);
  await Promise.all(['greet', 'secret_project', 'missing'].map((name) => registry.call(name, {})));
  return (path, headers = {}) => fetch(new URL(path, http.url), { headers: { ...headers } });
}

const bearer = (token: string, more: object = {}): object => ({ authorization: `Bearer ${token}`, ...more });

describe('tokens that are wrong', () => {
  it('are not looked at after too many from one address, good ones neither', async () => {
    const get = await start({ wrongTokens: 3 });
    const statuses = [];
    for (let count = 0; count < 5; count++) statuses.push((await get('/mcp', bearer(`guess-${count}`))).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const refused = await get('/mcp', bearer(TOKEN));
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({
      error: {
        message: expect.stringMatching(/^Too many wrong tokens came from this address\. Try again in \d+ s\.$/),
      },
    });
  });

  it('do not keep out clients that were let in before, nor those that ask what is wanted', async () => {
    const get = await start({ wrongTokens: 2 });
    expect((await get('/metrics', bearer(TOKEN))).status).toBe(200);
    for (let count = 0; count < 4; count++) await get('/mcp', bearer(`guess-${count}`));
    expect((await get('/mcp', bearer('guess'))).status).toBe(429);
    expect((await get('/metrics', bearer(TOKEN))).status).toBe(200);
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/healthz')).status).toBe(200);
  });

  it('count when they were good before', async () => {
    let isGood = true;
    const http = await serveHttp(new McpServer({ registry: new ToolRegistry() }), {
      port: 0,
      wrongTokens: 2,
      authenticator: {
        authenticate: () =>
          isGood ? { id: 'me', access: everything } : { status: 401, message: 'No.', wwwAuthenticate: 'Bearer' },
      },
    });
    open.push(http);
    const ask = async () => (await fetch(new URL('/metrics', http.url), { headers: { ...bearer('mine') } })).status;
    expect(await ask()).toBe(200);
    isGood = false;
    expect([await ask(), await ask(), await ask()]).toEqual([401, 401, 429]);
  });

  it('count for whom a trusted proxy names, and for the sender otherwise', async () => {
    const forwarded = (address: string): object => bearer('guess', { 'x-forwarded-for': address });
    const plain = await start({ wrongTokens: 1 });
    expect((await plain('/mcp', forwarded('192.0.2.1'))).status).toBe(401);
    expect((await plain('/mcp', forwarded('192.0.2.2'))).status).toBe(429);

    const proxied = await start({ wrongTokens: 1, trustedProxies: ['127.0.0.0/8', '10.1.0.0/16'] });
    expect((await proxied('/mcp', forwarded('192.0.2.1'))).status).toBe(401);
    expect((await proxied('/mcp', forwarded('192.0.2.2'))).status).toBe(401);
    expect((await proxied('/mcp', forwarded('192.0.2.2'))).status).toBe(429);
    // The part that a client writes before the entries of the proxies is ignored.
    expect((await proxied('/mcp', forwarded('198.51.100.7, 192.0.2.2, 10.1.2.3'))).status).toBe(429);
    // Addresses of one IPv6 network are one client.
    expect((await proxied('/mcp', forwarded('2001:db8:0:1::1'))).status).toBe(401);
    expect((await proxied('/mcp', forwarded('2001:db8:0:1:ffff::2'))).status).toBe(429);
    expect((await proxied('/mcp', forwarded('2001:db8:0:2::1'))).status).toBe(401);
  });

  it('cannot be counted for a proxy that is no address', async () => {
    await expect(start({ trustedProxies: ['nginx'] })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: 'serve.trusted_proxies has "nginx". Use addresses or networks, as 127.0.0.1 or 10.0.0.0/8.',
    });
  });
});

describe('figures', () => {
  it('show the tools that a token is good for', async () => {
    const get = await start();
    expect((await get('/metrics')).status).toBe(401);
    const all = await get('/metrics', bearer(TOKEN));
    expect(all.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await all.text();
    for (const name of ['greet', 'secret_project', '(unknown)']) expect(text).toContain(`tool="${name}"`);
    const some = await (await get('/metrics', bearer(OTHER))).text();
    expect(some).toContain('tool="greet"');
    expect(some).not.toMatch(/secret_project|unknown/);
  });

  it('need no token where the operator says so, and nothing else goes without one', async () => {
    const get = await start({ metricsOpen: true });
    expect(await (await get('/metrics')).text()).toContain('secret_project');
    expect((await get('/mcp')).status).toBe(401);
  });
});
