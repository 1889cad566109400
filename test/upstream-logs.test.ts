// Log lines of servers that belong to no call reach the clients whose process wrote them, and no others.
import { expect, it, onTestFinished } from 'vitest';
import { McpServer } from '../src/mcp.ts';
import { LOCAL_USER } from '../src/mcp/server/caller.ts';
import { TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { boardFolder, fixture, openFolder } from './upstream-boards.test-helper.ts';

const all = { key: '', allows: () => true };

it.for(['user', 'board'] as const)('with share: %s', async (share) => {
  const entry = { ...fixture('late-log-server.ts'), share, env: { LATE_TOKEN: '${LATE_TOKEN}' } };
  const env = { ...process.env, LATE_TOKEN: 'very-secret-value' };
  const board = await openFolder(boardFolder({ mcpServers: { late: entry } }), { env });
  const server = new McpServer(board);
  onTestFinished(() => server.close());
  const open = async (id: string, access = all): Promise<TestClient> => {
    const client = new TestClient(server, { ...LOCAL_USER, id, user: id, access });
    await client.initialize();
    return client;
  };
  const [alice, second, bob, denied, quiet] = await Promise.all([
    open('alice'),
    open('alice'),
    open('bob'),
    open('alice', { key: 'none', allows: () => false }),
    open('alice'),
  ]);
  await quiet.request('logging/setLevel', { level: 'error' });
  await alice.request('tools/call', { name: 'late__work', arguments: { who: 'alice' } });
  const lines = (client: TestClient): unknown[] =>
    client.received.filter(({ method }) => method === 'notifications/message').map(({ params }) => params);
  const line = { level: 'warning', logger: 'late', data: 'late word of alice with [redacted]' };
  await expect.poll(() => lines(alice)).toEqual([line]);
  await expect.poll(() => lines(second)).toEqual([line]);
  expect(lines(bob)).toEqual(share === 'board' ? [line] : []);
  expect([lines(denied), lines(quiet)]).toEqual([[], []]);
});
