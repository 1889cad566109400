import { describe, expect, it } from 'vitest';
import { defineTool } from '../../tool/define/define-tool.ts';
import { createDiscoveryTools } from '../../discovery/meta-tools/create-discovery-tools.ts';
import { ToolIndex } from '../../discovery/tool-index.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { LOCAL_USER } from './caller.ts';
import { McpServer } from './mcp-server.ts';
import type { McpServerOptions } from './server-options.ts';
import { resultOf, TestClient } from './test-client.test-helper.ts';

function createRegistry(count: number): ToolRegistry {
  const registry = new ToolRegistry();
  for (let index = 0; index < count; index++) {
    registry.register(
      defineTool({
        name: `tool_${index}`,
        description: `Does the ${index}th thing there is to do, such as sending the ${index}th letter`,
        schema: { type: 'object', properties: { text: { type: 'string' } } },
        execute: () => `Did ${index}.`,
      }),
    );
  }
  return registry;
}

const META_TOOLS = ['search_tools', 'call_tool', 'describe_tool'];

async function listed(client: TestClient): Promise<string[]> {
  const { tools } = resultOf(await client.modern('tools/list'));
  return (tools as { name: string }[]).map(({ name }) => name);
}

function connect(count: number, options: McpServerOptions, pinned: string[] = []): TestClient {
  return new TestClient(new McpServer({ registry: createRegistry(count), pinned }, options));
}

describe('the list of tools', () => {
  it('has all of them while they fit, then the pinned ones and those that find others', async () => {
    expect(await listed(connect(10, {}))).toHaveLength(10);
    expect(await listed(connect(500, {}, ['tool_7']))).toEqual([...META_TOOLS, 'tool_7']);
    expect(await listed(connect(10, { tokenBudget: 100 }))).toEqual(META_TOOLS);
    expect(await listed(connect(500, { mode: 'classic' }))).toHaveLength(500);
    expect(await listed(connect(3, { mode: 'discovery' }, ['tool_1', 'gone']))).toEqual([...META_TOOLS, 'tool_1']);
    expect(await listed(connect(3, { mode: 'discovery', compat: 'climax' }))).toEqual(['climax_search', 'climax_call']);
    expect(await listed(connect(3, { mode: 'classic', compat: 'climax' }))).toHaveLength(3);
  });

  it("has CLImax's names where they are asked for, on a small board and beside tools of the board's own", async () => {
    const registry = createRegistry(3);
    registry.registerMany(createDiscoveryTools({ registry, index: ToolIndex.from(registry) }));
    const client = new TestClient(new McpServer({ registry }, { compat: 'climax' }));
    expect(await listed(client)).toEqual(['climax_search', 'climax_call']);
    const call = { name: 'climax_call', arguments: { tool_name: 'tool_1', args: { text: 'x' } } };
    expect(resultOf(await client.modern('tools/call', call))).toMatchObject({ content: [{ text: 'Did 1.' }] });
  });

  it('does not change when tools are found and called', async () => {
    const client = connect(500, {});
    const before = await client.modern('tools/list');
    const found = resultOf(
      await client.modern('tools/call', { name: 'search_tools', arguments: { query: '42th letter' } }),
    );
    expect(JSON.stringify(found)).toContain('tool_42');
    const called = { name: 'call_tool', arguments: { name: 'tool_42', arguments: { text: 'x' } } };
    expect(resultOf(await client.modern('tools/call', called))).toMatchObject({ content: [{ text: 'Did 42.' }] });
    expect(resultOf(await client.modern('tools/call', { name: 'tool_42' }))).toMatchObject({
      content: [{ text: 'Did 42.' }],
    });
    expect(resultOf(await client.modern('tools/list'))).toEqual(resultOf(before));
  });

  it('hides tools beyond a caller’s rights from its searches and calls too', async () => {
    const access = { key: 'odd', allows: ({ metadata }: { metadata: { name: string } }) => metadata.name === 'tool_1' };
    const server = new McpServer({ registry: createRegistry(50) }, { mode: 'discovery' });
    const client = new TestClient(server, { id: 'odd', access });
    const search = { name: 'search_tools', arguments: { query: 'sending letters' } };
    expect(JSON.stringify(await client.modern('tools/call', search))).not.toContain('tool_2');
    for (const call of [{ name: 'tool_2' }, { name: 'call_tool', arguments: { name: 'tool_2' } }]) {
      expect(resultOf(await client.modern('tools/call', call))).toMatchObject({ isError: true });
    }
    const direct = { name: 'call_tool', arguments: { name: 'tool_1' } };
    expect(resultOf(await client.modern('tools/call', direct))).toMatchObject({ content: [{ text: 'Did 1.' }] });
    expect(await client.modern('resources/read', { uri: 'pegboard://tools/tool_2' })).toMatchObject({
      error: { code: -32602 },
    });
    const unrestricted = new TestClient(server, LOCAL_USER);
    expect(JSON.stringify(await unrestricted.modern('tools/call', search))).toContain('tool_2');
  });

  it.each([
    [{ mode: 'discovery' }, 'Did 1.'],
    [{ tokenBudget: 10 }, 'Did 1.'],
    [{ mode: 'classic' }, 'Got tool_1.'],
  ] as const)('says what a call of call_tool is for, beside a tool of that name: %j', async (options, text) => {
    const registry = createRegistry(3);
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const execute = ({ name }: { name?: unknown }): string => `Got ${String(name)}.`;
    registry.register(defineTool({ name: 'call_tool', description: 'Takes calls of others', schema, execute }));
    const client = new TestClient(new McpServer({ registry }, options));
    const call = { name: 'call_tool', arguments: { name: 'tool_1' } };
    expect(resultOf(await client.modern('tools/call', call))).toMatchObject({ content: [{ text }] });
  });

  it('is written once, not for each request', async () => {
    let reads = 0;
    const registry = createRegistry(1);
    registry.register(
      Object.defineProperty(
        defineTool({ name: 'counted', description: 'C', schema: { type: 'object' }, execute: () => '' }),
        'outputSchema',
        {
          get() {
            reads++;
            return undefined;
          },
        },
      ),
    );
    const client = new TestClient(new McpServer({ registry }));
    for (let count = 0; count < 5; count++) await client.modern('tools/list');
    expect(reads).toBe(1);
  });
});
