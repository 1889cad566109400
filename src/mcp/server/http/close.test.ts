import { expect, it } from 'vitest';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import { McpServer } from '../mcp-server.ts';
import { serveHttp } from './serve-http.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A tool that reports once and then ignores that it should stop. */
function stubborn() {
  return new ToolRegistry().register(
    defineTool({
      name: 'hang',
      description: 'Never ends',
      schema: { type: 'object', properties: {} },
      timeout: 600_000,
      execute: (_input, context) => {
        context.progress(1, 2);
        return new Promise<string>(() => {});
      },
    }),
  );
}

it.for(['2025-11-25', '2026-07-28'])('a stream that is cut off ends with an error, in %s', async (version) => {
  const http = await serveHttp(new McpServer(stubborn()), { port: 0, token: false, grace: 1 });
  const post = (message: object, headers: object): Promise<Response> =>
    fetch(http.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const isModern = version === '2026-07-28';
  let headers: Record<string, string> = {
    'mcp-protocol-version': version,
    'mcp-method': 'tools/call',
    'mcp-name': 'hang',
  };
  if (!isModern) {
    const params = { protocolVersion: version, capabilities: {} };
    const opened = await post({ id: 0, method: 'initialize', params }, {});
    headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  }
  const _meta = { progressToken: 1, ...(isModern ? META : {}) };
  const response = await post({ id: 7, method: 'tools/call', params: { name: 'hang', _meta } }, headers);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await http.close();
  const [first = '', last = ''] = (await response.text()).match(/^data: .*$/gm) ?? [];
  expect(first).toContain('notifications/progress');
  expect(JSON.parse(last.slice('data: '.length))).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32603,
      message:
        'The server stopped before the call was done. It may have had effects; call again when the server is back.',
    },
  });
});

it('tells nothing of a tool beyond the rights, neither its headers nor that it is a task', async () => {
  const schema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  const registry = new ToolRegistry().registerMany([
    defineTool({ name: 'look', description: 'Looks', schema: { type: 'object' }, execute: () => 'seen' }),
    defineTool({ name: 'wipe', description: 'Wipes', category: 'danger', schema, execute: () => 'wiped' }),
  ]);
  const access = { key: 'look', allows: ({ metadata }: { metadata: { name: string } }) => metadata.name === 'look' };
  const http = await serveHttp(new McpServer(registry, { tasks: { only: ['wipe'] } }), {
    port: 0,
    authenticator: { authenticate: () => ({ id: 'ada', access }) },
  });
  const call = async (method: string, params: Record<string, unknown>): Promise<string> => {
    const named = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
    const response = await fetch(http.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...named,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
    });
    return `${response.status} ${await response.text()}`;
  };
  const args = { region: 'eu' };
  const refused = await call('tools/call', { name: 'wipe', arguments: args });
  expect(refused).toContain('There is no tool \\"wipe\\".');
  expect(refused.replaceAll('wipe', 'wipf')).toBe(await call('tools/call', { name: 'wipf', arguments: args }));
  const complete = { ref: { type: 'ref/prompt', name: 'board_tools' }, argument: { name: 'category', value: 'dan' } };
  expect(await call('completion/complete', complete)).toContain('"values":[]');
  await http.close();
});
