// Prompts and resources that a board file declares.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toAccess } from '../src/features/serving/commands/serve/serve-settings.ts';
import { openBoard } from '../src/index.ts';
import { McpServer } from '../src/mcp.ts';
import { resultOf, TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { boardFolder, ECHO, fixture, openFolder } from './upstream-boards.test-helper.ts';

async function connect(config: Readonly<Record<string, unknown>>): Promise<{ client: TestClient; folder: string }> {
  const folder = boardFolder(config);
  mkdirSync(join(folder, 'docs/deep'), { recursive: true });
  writeFileSync(join(folder, 'docs/a b.md'), '# A');
  writeFileSync(join(folder, 'docs/deep/c.md'), '# C');
  symlinkSync('/etc/hosts', join(folder, 'docs/out.md'));
  const server = new McpServer(await openFolder(folder));
  onTestFinished(() => server.close());
  return { client: new TestClient(server), folder };
}

describe('resources of a board file', () => {
  it('are files, globs and results of tools', async () => {
    const { client, folder } = await connect({
      tools: [{ ...ECHO, risk: 'destructive' }],
      resources: [
        { uri: 'docs://{path}', files: 'docs/**/*.md' },
        { uri: 'docs://readme', file: 'docs/a b.md', title: 'Read me' },
        { template: 'said://{who}/{what}', tool: 'echo', args: { text: '{{who}} says {{what}} {{who}}' } },
      ],
    });
    const { resources } = resultOf(await client.modern('resources/list'));
    expect(resources).toMatchObject([
      { uri: 'pegboard://tools/echo' },
      { uri: 'pegboard://tools/output_read' },
      { uri: 'pegboard://tools/output_search' },
      { uri: 'docs://docs/a%20b.md', name: 'docs/a b.md', mimeType: 'text/markdown' },
      { uri: 'docs://docs/deep/c.md' },
      { uri: 'docs://readme', title: 'Read me' },
    ]);
    const read = async (uri: string) => client.modern('resources/read', { uri });
    expect(resultOf(await read('docs://docs/a%20b.md'))).toMatchObject({ contents: [{ text: '# A' }] });
    expect(resultOf(await read('said://ada/hi%20%7B%7Bwho%7D%7D'))).toMatchObject({
      contents: [{ mimeType: 'text/plain', text: expect.stringMatching(/^ada says hi \{\{who\}\} ada/) }],
    });
    for (const uri of ['docs://docs/out.md', 'docs://docs/../pegboard.yaml', 'docs:///etc/hosts', 'said://a/b/c'])
      expect(await read(uri)).toMatchObject({ error: { code: -32602 } });
    await client.initialize();
    await client.result('resources/subscribe', { uri: 'docs://readme' });
    writeFileSync(join(folder, 'docs/a b.md'), '# Changed');
    await vi.waitFor(() =>
      expect(client.received).toContainEqual(
        expect.objectContaining({ method: 'notifications/resources/updated', params: { uri: 'docs://readme' } }),
      ),
    );
  });

  it('that a tool gives are guarded as the tool is', async () => {
    const { client } = await connect({
      tools: [{ ...ECHO, risk: 'destructive' }],
      resources: [{ template: 'said://{what}', tool: 'echo', args: { text: '{{what}}' } }],
      policy: {},
    });
    const answer = await client.modern('resources/read', { uri: 'said://x' });
    expect(JSON.stringify(answer)).toContain('approv');
  });

  it('that a tool gives are for callers who may use the tool', async () => {
    const resources = [
      { template: 'said://{what}', tool: 'echo', args: { text: '{{what}}' } },
      { uri: 'docs://note', text: 'A note' },
    ];
    const folder = boardFolder({ tools: [ECHO], resources });
    const server = new McpServer(await openFolder(folder));
    onTestFinished(() => server.close());
    const read = async (allow: readonly unknown[], uri: string): Promise<string> => {
      // As a token in a file has them.
      const access = toAccess(allow as Parameters<typeof toAccess>[0]);
      return JSON.stringify(
        await new TestClient(server, { id: 'token:eve', access }).modern('resources/read', { uri }),
      );
    };
    const all = { resource: '*' };
    expect(await read([all], 'docs://note')).toContain('A note');
    expect(await read([all, 'echo'], 'said://hello')).toContain('"text":"hello');
    expect(await read([all], 'said://hello')).toContain('Your rights do not include the tool that gives it.');
  });
});

describe('prompts of a board file', () => {
  it('have arguments, files and resources, of other servers too', async () => {
    const { client } = await connect({
      mcpServers: { shelf: fixture('shelf-server.ts') },
      resources: [{ uri: 'docs://note', text: 'A note' }],
      prompts: [
        {
          name: 'review',
          title: 'Review',
          icon: 'https://example.com/i.png',
          arguments: [{ name: 'what', required: true, values: ['code', 'copy', 'docs'] }],
          messages: [
            { text: 'Review {{what}}.' },
            { resource: 'docs://note' },
            { role: 'assistant', resource: 'shelf+note://1' },
            { file: 'docs/a b.md' },
          ],
        },
      ],
    });
    const { prompts } = resultOf(await client.modern('prompts/list'));
    expect(prompts).toContainEqual({
      name: 'review',
      title: 'Review',
      icons: [{ src: 'https://example.com/i.png' }],
      arguments: [{ name: 'what', required: true }],
    });
    const get = (args: object) => client.modern('prompts/get', { name: 'review', arguments: args });
    expect(resultOf(await get({ what: '{{what}}' }))['messages']).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'Review {{what}}.' } },
      { content: { type: 'resource', resource: { uri: 'docs://note', text: 'A note' } } },
      { role: 'assistant', content: { resource: { uri: 'shelf+note://1' } } },
      { content: { text: '# A' } },
    ]);
    expect(await get({})).toMatchObject({
      error: { code: -32602, message: 'The prompt "review" needs the argument "what".' },
    });
    const ref = { type: 'ref/prompt', name: 'review' };
    const done = await client.modern('completion/complete', { ref, argument: { name: 'what', value: 'co' } });
    expect(resultOf(done)).toMatchObject({ completion: { values: ['code', 'copy'] } });
  });

  it('with faults are told with their place', async () => {
    const folder = boardFolder({
      prompts: [{ name: 'a', text: '{{b}}' }, { name: 'c' }],
      resources: [{ uri: 'docs://x' }, { uri: 'pegboard://x', text: 'x' }, { files: '*', uri: 'docs://y' }],
    });
    await expect(openBoard(join(folder, 'pegboard.yaml'), { faults: 'all' })).rejects.toThrow(
      /prompts\[0\]\.text: has \{\{b\}\}[^]*prompts\[1\]: the prompt "c" needs one of[^]*needs one of text, file[^]*is not an address[^]*with \{path\}/,
    );
  });
});

describe('what a server asks callers for', () => {
  it('can be refused by its entry and by a policy', async () => {
    const desk = { ...fixture('desk-server.ts'), prefix: 'desk_', protocol: '2025-11-25' };
    const ask = async (config: object) => {
      const board = await openFolder(boardFolder({ ...config, tools: [] }));
      let asked = 0;
      const elicit = () => ({ action: 'accept' as const, content: { answer: String(++asked) } });
      await board.call('desk_ask', { about: 'tea' }, { context: { elicit } });
      return asked;
    };
    const open = { approval: { global: 'none' } };
    expect(await ask({ mcpServers: { desk } })).toBe(1);
    expect(await ask({ mcpServers: { desk: { ...desk, elicitation: false } } })).toBe(0);
    expect(await ask({ mcpServers: { desk }, policy: { ...open, servers: { '*': { elicitation: false } } } })).toBe(0);
    expect(await ask({ mcpServers: { desk }, policy: { ...open, servers: { other: { elicitation: false } } } })).toBe(
      1,
    );
  });
});
