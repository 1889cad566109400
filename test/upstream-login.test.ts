// A server that wants a login, and its authorization server, both on this machine.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBoard } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-login-'));
const file = join(folder, 'pegboard.yaml');
const valid = new Set<string>();
const grants: string[] = [];
let url = '';
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8');
    const send = (status: number, value: unknown, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(value));
    };
    const path = request.url ?? '';
    if (path === '/.well-known/oauth-protected-resource/mcp')
      return send(200, { resource: `${url}/mcp`, authorization_servers: [url] });
    if (path === '/.well-known/oauth-authorization-server')
      return send(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        token_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
      });
    if (path === '/register') return send(201, { client_id: 'made-here' });
    if (path === '/token') {
      grants.push(new URLSearchParams(body).get('grant_type') ?? '');
      const access = `secret-access-${grants.length}`;
      valid.add(access);
      return send(200, { access_token: access, token_type: 'Bearer', refresh_token: 'secret-refresh' });
    }
    if (path !== '/mcp' || request.method !== 'POST') return send(404, {});
    if (!valid.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return send(401, {}, { 'www-authenticate': 'Bearer' });
    const { id, method } = JSON.parse(body);
    if (method === 'initialize') {
      const serverInfo = { name: 'guarded', version: '1' };
      return send(200, {
        jsonrpc: '2.0',
        id,
        result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
      });
    }
    if (method === 'tools/list')
      return send(200, { jsonrpc: '2.0', id, result: { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] } });
    if (method === 'tools/call')
      return send(200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'pong' }] } });
    return id === undefined ? send(202, {}) : send(404, {});
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(file, JSON.stringify({ mcpServers: { guarded: { url: `${url}/mcp`, protocol: '2025-11-25' } } }));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const login = {
  redirectUri: 'http://127.0.0.1:9/callback',
  authorize: async (address: string) =>
    `http://127.0.0.1:9/callback?code=1&state=${new URL(address).searchParams.get('state')}`,
};

it('names the command to run, keeps the token of a login, and renews it', async () => {
  const stranger = await openBoard(file);
  expect(stranger.diagnostics.map(({ message }) => message).join('\n')).toContain(
    'it wants a login. Run: pegboard mcp login guarded.',
  );
  await stranger.close();

  const first = await openBoard(file, { login });
  expect((await first.call('guarded.ping')).text).toBe('pong');
  await first.close();
  expect(grants).toEqual(['authorization_code']);

  const second = await openBoard(file);
  expect((await second.call('guarded.ping')).text).toBe('pong');
  expect(grants).toHaveLength(1);
  valid.clear();
  expect((await second.call('guarded.ping')).text).toBe('pong');
  expect(grants).toEqual(['authorization_code', 'refresh_token']);
  await second.close();

  const manifests = join(folder, '.pegboard/mcp');
  for (const name of readdirSync(manifests))
    expect(readFileSync(join(manifests, name), 'utf8')).not.toContain('secret');
});

it('refuses a login that comes back with another state', async () => {
  valid.clear();
  rmSync(join(folder, '.pegboard'), { recursive: true });
  const board = await openBoard(file, {
    login: { ...login, authorize: async () => 'http://127.0.0.1:9/callback?code=1&state=x' },
  });
  expect(board.diagnostics.map(({ message }) => message).join('\n')).toContain('came back with another state');
  await board.close();
});
