// Everything that a client of a served board gets apart from results: lists, prompts and resources that code brings, metrics, tasks of others' tools.
import { expect, it } from 'vitest';
import { createDiscoveryTools, defineTool, ToolIndex, ToolRegistry } from '../../src/index.ts';
import { McpServer, serveHttp } from '../../src/mcp.ts';
import type { Caller } from '../../src/mcp/server/caller.ts';
import { resultOf, TestClient } from '../../src/mcp/server/test-client.test-helper.ts';

const SECRET = 'a-secret-of-the-board';
const NUMBER = 9_182_736_450;
const none = { type: 'object', properties: {} } as const;

/** A board that has its secrets in names and schemas, and sources whose code tells them. */
function createLeakyServer(): McpServer {
  const registry = new ToolRegistry({ secrets: [SECRET, String(NUMBER)] }).registerMany([
    defineTool({
      name: `use_${SECRET}`,
      description: SECRET,
      category: SECRET,
      schema: { type: 'object', properties: { [SECRET]: { type: 'integer', default: NUMBER } } },
      execute: () => 'done',
    }),
  ]);
  const fail = (): never => {
    throw new Error(`no ${SECRET}`);
  };
  const blob = Buffer.from(`xx${SECRET}`).toString('base64');
  return new McpServer(registry, {
    name: SECRET,
    title: SECRET,
    instructions: SECRET,
    prompts: [
      {
        list: () => [{ name: 'hello', description: SECRET }],
        get: async (name, _, { peer }) => {
          if (name === 'asks')
            await peer.ask({ who: { method: 'elicitation/create', params: { message: `Is it ${SECRET}?` } } });
          if (name !== 'hello') return fail();
          return { messages: [{ role: 'user', content: { type: 'text', text: SECRET } }] };
        },
        complete: () => [SECRET],
      },
    ],
    resources: [
      {
        list: () => [{ uri: `x://${SECRET}`, name: 'one', size: NUMBER }],
        templates: () => [{ uriTemplate: `x://${SECRET}/{id}`, name: 'all' }],
        read: (uri) =>
          uri === 'x://one'
            ? [
                { uri, text: SECRET },
                { uri, blob },
              ]
            : fail(),
        complete: () => [SECRET],
      },
    ],
  });
}

it('tells no secret in lists, prompts, resources and completions, those of code included', async () => {
  const client = new TestClient(createLeakyServer());
  const told = [await client.initialize({ elicitation: {} })];
  const ask = async (method: string, params?: Record<string, unknown>): Promise<void> => {
    told.push((await client.request(method, params)) ?? {});
  };
  const argument = { name: 'name', value: '' };
  for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) await ask(`${list}/list`);
  for (const name of ['hello', 'other', 'board_tools']) await ask('prompts/get', { name });
  for (const uri of ['x://one', 'x://two', `pegboard://tools/use_${SECRET}`]) await ask('resources/read', { uri });
  for (const name of ['hello', 'board_tools'])
    await ask('completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name: 'category', value: '' } });
  for (const uri of ['x://all', 'pegboard://tools/{name}'])
    await ask('completion/complete', { ref: { type: 'ref/resource', uri }, argument });
  told.push((await client.modern('prompts/get', { name: 'asks' }, { elicitation: {} })) ?? {});
  const text = JSON.stringify(told);
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(String(NUMBER));
  for (const [blob] of text.matchAll(/(?<="blob":")[^"]*/g))
    expect(Buffer.from(blob, 'base64').toString()).not.toContain('board');
  // Every question arrived with its secret removed.
  expect(told.filter((one) => JSON.stringify(one).includes('[redacted]'))).toHaveLength(told.length);
  expect(told[5]).toMatchObject({
    result: { messages: [{ role: 'user', content: { type: 'text', text: '[redacted]' } }] },
  });
  expect(told[6]).toMatchObject({ error: { message: 'The server failed: no [redacted]' } });
});

it('tells no secret in the labels of metrics', async () => {
  const server = createLeakyServer();
  const http = await serveHttp(server, { port: 0 });
  try {
    await server.board.registry.call(`use_${SECRET}`);
    const headers = { authorization: `Bearer ${http.token}` };
    const text = await (await fetch(new URL('/metrics', http.url), { headers })).text();
    expect(text).toContain('pegboard_calls_total{tool="use_[redacted]",outcome="ok"} 1');
    expect(text).not.toContain(SECRET);
  } finally {
    await http.close();
  }
});

it.each([
  ['call_tool', { name: 'wipe' }],
  ['call_tool', JSON.stringify({ name: ' wipe ' })],
  ['climax_call', { tool_name: 'wipe' }],
  ['climax_call', { tool_name: 'wipe', name: 'look' }],
])('keeps the task of %s %j from rights that lost its tool', async (stand, args) => {
  const { promise: work, resolve: finish } = Promise.withResolvers<string>();
  const registry = new ToolRegistry().registerMany([
    defineTool({ name: 'look', description: 'Looks', schema: none, execute: () => 'seen' }),
    defineTool({ name: 'wipe', description: 'Wipes', schema: none, execute: () => work }),
  ]);
  const compat = stand === 'climax_call' ? ('climax' as const) : undefined;
  registry.registerMany(createDiscoveryTools({ registry, index: ToolIndex.from(registry) }, { compat }));
  const server = new McpServer(registry, { mode: 'discovery', compat, tasks: { always: [stand] } });
  const as = (...allowed: string[]): Caller => ({
    id: 'ada',
    access: { key: allowed.join(), allows: ({ metadata }) => allowed.includes(metadata.name) },
  });
  const able = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const client = new TestClient(server, as('look', 'wipe'));
  const begun = resultOf(await client.modern('tools/call', { name: stand, arguments: args }, able));
  const taskId = String(begun['taskId']);
  finish('the wiped words');
  const told = async (caller: Caller): Promise<string> => {
    const answer = await new TestClient(server, caller).modern('tasks/get', { taskId }, able);
    return JSON.stringify(answer);
  };
  await expect.poll(() => told(as('look', 'wipe'))).toContain('the wiped words');
  expect(await told(as('look'))).toContain(`There is no task \\"${taskId}\\" (any more).`);
});
