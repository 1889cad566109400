// What a call through a board costs, in what can be counted: a clock would say something else on each machine.
import { createHook } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { parseMessage } from '../src/mcp/protocol/json-rpc.ts';
import { LOCAL_USER } from '../src/mcp/server/caller.ts';
import { McpServer } from '../src/mcp/server/mcp-server.ts';
import { fixture, openServers } from './upstream-boards.test-helper.ts';

const CALLS = 40;

it('makes few promises for a call of a tool that another server runs, with the record on', async () => {
  const board = await openServers({ odd: fixture('odd-server.ts') });
  const server = new McpServer(board);
  const connection = server.connect(LOCAL_USER);
  let id = 0;
  const ask = async (method: string, params: object): Promise<unknown> => {
    const message = parseMessage(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }));
    return server.handle(message, { connection, send: () => {} });
  };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
  const call = (): Promise<unknown> => ask('tools/call', { name: 'odd__echo', arguments: { text: 'hi' } });
  expect(await call()).toContain('hi');
  let promises = 0;
  const counts: number[] = [];
  const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) }).enable();
  for (let calls = 0; calls < CALLS; calls++) {
    promises = 0;
    await call();
    counts.push(promises);
  }
  hook.disable();
  // What else goes on meanwhile, as a batch of lines that is written, makes some too.
  expect(Math.min(...counts)).toBeLessThanOrEqual(15);
  await server.close();
});
