// Null for "not given": what clients send, and what everything after the first step sees.
import { describe, expect, it } from 'vitest';
import { type Board, defineTool } from '../src/index.ts';
import { LOCAL_USER } from '../src/mcp/server/caller.ts';
import { McpServer } from '../src/mcp/server/mcp-server.ts';
import { resultOf, TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { boardFolder, fixture, openFolder } from './upstream-boards.test-helper.ts';

const own = defineTool({
  name: 'own',
  description: 'Says what it was sent',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      note: { type: 'string' },
      sort: { properties: { by: { type: 'string' } } },
    },
    required: ['name'],
  },
  execute: (input) => input,
});

const SENT = { name: 'Ada', note: null, sort: { by: null } };
const MEANT = { name: 'Ada', sort: {} };

async function open(): Promise<{ board: Board; client: TestClient; seen: Record<string, unknown> }> {
  const mcpServers = { other: { ...fixture('task-server.ts'), prefix: '' } };
  const seen: Record<string, unknown> = {};
  const folder = boardFolder({ mcpServers, policy: { approval: { global: 'write' } } });
  const approve = ({ input }: { readonly input: unknown }): boolean => {
    seen['question'] = input;
    return true;
  };
  const board = await openFolder(folder, { tools: [own], approve });
  board.executor.hooks.before(({ args }) => void (seen['hook'] = structuredClone(args)));
  board.executor.on('call:started', ({ args }) => void (seen['record'] = args));
  const client = new TestClient(new McpServer(board), LOCAL_USER);
  await client.initialize();
  return { board, client, seen };
}

const argumentsOf = (answer: Record<string, unknown> | undefined): unknown => {
  const [{ text = '' } = {}] = resultOf(answer)['content'] as { text?: string }[];
  return JSON.parse(text);
};

describe.each(['own', 'repeat'])('null for an optional argument of %s', (name) => {
  it('is left out of calls by MCP clients, in what hooks, people, the record and the tool see', async () => {
    const { client, seen } = await open();
    expect(argumentsOf(await client.request('tools/call', { name, arguments: SENT }))).toEqual(MEANT);
    expect(seen).toEqual({ hook: MEANT, record: MEANT, question: MEANT });
    delete seen['question'];
    const through = { name: 'call_tool', arguments: { name, arguments: SENT } };
    expect(argumentsOf(await client.modern('tools/call', through))).toEqual(MEANT);
    expect(seen).toEqual({ hook: MEANT, record: MEANT, question: MEANT });
  });

  it('is refused where the argument is required', async () => {
    const { client } = await open();
    const answer = await client.request('tools/call', { name, arguments: { ...SENT, name: null } });
    expect(resultOf(answer)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('name: must be string, got null') }],
    });
  });
});

describe('null in a call from code', () => {
  it('is refused by a tool of the board', async () => {
    const { board } = await open();
    expect((await board.call('own', SENT)).error).toMatchObject({ code: 'invalid_arguments', field: 'note' });
    expect((await board.registry.call('own', SENT)).error?.code).toBe('invalid_arguments');
    // As code without types would send it.
    await expect(own.execute(SENT as never)).rejects.toThrow('note: must be string, got null');
  });

  it('is left out for a tool of a server', async () => {
    const { board, seen } = await open();
    expect(JSON.parse((await board.call('repeat', { ...SENT, free: null, list: [{ by: null }] })).text)).toEqual({
      ...MEANT,
      free: null,
      list: [{}],
    });
    expect(seen['record']).toEqual({ ...MEANT, free: null, list: [{}] });
    expect((await board.call('repeat', { name: null })).error?.code).toBe('invalid_arguments');
  });
});
