import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import { McpServer } from '../mcp-server.ts';
import type { Authenticator, HttpOptions } from './http-options.ts';
import { type HttpServer, serveHttp } from './serve-http.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(options: HttpOptions): Promise<HttpServer> {
  const schema = { type: 'object', properties: {} };
  const registry = new ToolRegistry().registerMany([
    defineTool({ name: 'look', description: 'Looks', schema, execute: () => 'seen' }),
    defineTool({ name: 'wipe', description: 'Wipes', schema, execute: () => 'wiped' }),
  ]);
  const http = await serveHttp(new McpServer(registry), { port: 0, ...options });
  open.push(http);
  return http;
}

function post(url: string, message: object, headers: object = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return fetch(url, { method: 'POST', headers: all, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) });
}

const INITIALIZE = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };
const LIST = { method: 'tools/list' };

async function openSession(url: string, headers: object): Promise<object> {
  const response = await post(url, INITIALIZE, headers);
  return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

/** Takes a turn to answer, as one does that asks an authorization server; the token is the caller. */
const askElsewhere = (rights: Readonly<Record<string, readonly string[]>>): Authenticator => ({
  async authenticate({ headers: { authorization = '' } }) {
    await new Promise((resolve) => void setImmediate(resolve));
    const allowed = rights[authorization];
    if (allowed === undefined) return { status: 401, message: 'No.', wwwAuthenticate: 'Bearer' };
    return {
      id: authorization,
      access: { key: allowed.join(), allows: ({ metadata }) => allowed.includes(metadata.name) },
    };
  },
});

describe('a server in code', () => {
  it('makes a token where nothing else is said, and gives it back', async () => {
    const http = await start({});
    expect(http.token).toMatch(/^pb_[\w-]{43}$/);
    expect((await post(http.url, INITIALIZE)).status).toBe(401);
    expect((await post(http.url, INITIALIZE, { authorization: `Bearer ${http.token}` })).status).toBe(200);
    const own = await start({ token: 'a-token-of-my-own' });
    expect(own.token).toBeUndefined();
    expect((await post(own.url, INITIALIZE, { authorization: 'Bearer a-token-of-my-own' })).status).toBe(200);
    expect((await post((await start({ token: false })).url, INITIALIZE)).status).toBe(200);
    await expect(start({ token: 'short' })).rejects.toMatchObject({
      message:
        'The token has 5 characters, which can be guessed; 16 is the least. Make one with: pegboard serve --new-token',
    });
  });

  it('narrows and ends what is open, with a check that takes its time', async () => {
    const http = await start({ authenticator: askElsewhere({ ada: ['look', 'wipe'], bob: ['look'] }) });
    const [ada, bob] = [
      await openSession(http.url, { authorization: 'ada' }),
      await openSession(http.url, { authorization: 'bob' }),
    ];
    const [adaHears, bobHears] = [
      await fetch(http.url, { headers: { ...ada } }),
      await fetch(http.url, { headers: { ...bob } }),
    ];
    expect(http.update({ port: 0, authenticator: askElsewhere({ ada: ['look'] }) })).toEqual([]);
    const list = await (await post(http.url, LIST, ada)).text();
    expect(list).toContain('"look"');
    expect(list).not.toContain('wipe');
    expect((await post(http.url, LIST, bob)).status).toBe(401);
    // It ends, while the other one is told.
    await bobHears.text();
    let heard = '';
    for await (const chunk of adaHears.body ?? [])
      if ((heard += Buffer.from(chunk).toString()).includes('tools/list_changed')) break;
    expect(heard).toContain('notifications/tools/list_changed');
  });

  it('counts on: a change of settings forgives no wrong token', async () => {
    const authenticator = askElsewhere({ ada: ['look'] });
    const http = await start({ authenticator, wrongTokens: 2, limits: { rate: 0.001, burst: 3 } });
    const ask = async (authorization: string) => (await post(http.url, INITIALIZE, { authorization })).status;
    expect([await ask('x'), await ask('y'), await ask('z')]).toEqual([401, 401, 429]);
    expect(await ask('ada')).toBe(429);
    const other = await start({ authenticator, limits: { rate: 0.001, burst: 2 } });
    const askOther = async () => (await post(other.url, INITIALIZE, { authorization: 'ada' })).status;
    expect([await askOther(), await askOther(), await askOther()]).toEqual([200, 200, 429]);
    http.update({ authenticator: askElsewhere({ ada: ['look'] }), wrongTokens: 2 });
    other.update({ authenticator: askElsewhere({ ada: ['look'] }), limits: { rate: 0.001, burst: 2 } });
    expect([await ask('z'), await askOther()]).toEqual([429, 429]);
  });

  it('names what it cannot change, and stays as it is when the rest makes no sense', async () => {
    const http = await start({ token: 'a-token-of-my-own' });
    const same = { port: 0, token: 'a-token-of-my-own' };
    expect(http.update(same)).toEqual([]);
    expect(http.update({ ...same, port: 1, host: '0.0.0.0', path: '/x', maxHeader: 9 })).toEqual([
      'host',
      'port',
      'path',
      'maxHeader',
    ]);
    expect(() => http.update({ ...same, token: false, trustedProxies: ['nowhere'] })).toThrow(
      'serve.trusted_proxies has "nowhere"',
    );
    expect((await post(http.url, INITIALIZE)).status).toBe(401);
  });
});
