import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import { defineTool } from '../../../tool/define/define-tool.ts';
import type { HttpOptions } from './http-options.ts';
import { serveHttp } from './serve-http.ts';

const schema = { type: 'object', properties: {} } as const;
const registry = new ToolRegistry().register(
  defineTool({ name: 'hidden_tool', description: 'Hidden words', schema, execute: () => 'x' }),
);
const CARD = { name: 'com.example/desk', title: 'Desk', description: 'Notes of a desk', version: '1.2.0' };

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function start(options: HttpOptions): Promise<(path: string, headers?: Record<string, string>) => Promise<Got>> {
  const http = await serveHttp(registry, { port: 0, ...options });
  onTestFinished(() => http.close());
  return (path, headers = {}) =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port: http.port, path, headers }, (response) => {
        const { statusCode: status, headers: given } = response;
        text(response).then((body) => resolve({ status, headers: given, body }), reject);
      })
        .on('error', reject)
        .end();
    });
}

describe('the card of a server', () => {
  it('is there for everyone, without a token and for pages of all sites, and names no tool', async () => {
    const get = await start({ card: { ...CARD, url: 'https://desk.example.com/mcp' } });
    const { status, headers, body } = await get('/mcp/server-card', {
      origin: 'https://else.example',
      host: 'evil.example',
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/mcp-server-card+json',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    });
    expect(JSON.parse(body)).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      ...CARD,
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://desk.example.com/mcp',
          headers: [{ name: 'Authorization', description: 'Bearer and a token', isRequired: true, isSecret: true }],
          supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        },
      ],
    });
    for (const path of ['/.well-known/mcp/server-card.json', '/.well-known/mcp/server-card'])
      expect((await get(path)).body).toBe(body);
    const again = await get('/mcp/server-card', { 'if-none-match': String(headers['etag']) });
    expect(again).toMatchObject({ status: 304, body: '' });
    const catalog = await get('/.well-known/ai-catalog.json');
    expect(JSON.parse(catalog.body)).toEqual({
      specVersion: '1.0',
      entries: [
        {
          identifier: 'urn:air:example.com:mcp:desk',
          type: 'application/mcp-server-card+json',
          url: 'https://desk.example.com/mcp/server-card',
        },
      ],
    });
    expect(body + catalog.body).not.toContain('hidden');
    expect((await get('/mcp')).status).toBe(401);
  });

  it('takes no address from a request where everyone may read it', async () => {
    const get = await start({ card: CARD });
    const { body } = await get('/mcp/server-card', { host: 'evil.example' });
    expect(JSON.parse(body)).not.toHaveProperty('remotes');
  });

  it('is for those who may come in where it is not public, and nowhere without one', async () => {
    const get = await start({ token: false, card: { ...CARD, isPublic: false } });
    expect((await get('/mcp/server-card', { host: 'evil.example' })).status).toBe(403);
    expect((await get('/mcp/server-card', { origin: 'https://else.example' })).status).toBe(403);
    const own = await get('/mcp/server-card', { host: 'localhost:80' });
    expect(own.headers).not.toHaveProperty('access-control-allow-origin');
    expect(JSON.parse(own.body)).toMatchObject({ remotes: [{ url: 'http://localhost:80/mcp' }] });
    const none = await start({});
    expect((await none('/mcp/server-card')).status).toBe(401);
    expect((await none('/.well-known/mcp/server-card.json')).status).toBe(401);
  });
});
