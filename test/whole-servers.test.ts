// Whole servers behind a board: resources, prompts, completion, logs, samples and changes, as clients of the official SDKs see them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Board } from '../src/index.ts';
import { McpServer, serveHttp } from '../src/mcp.ts';
import { fixture, installed, openServers } from './upstream-boards.test-helper.ts';

const EVERYTHING = {
  command: process.execPath,
  args: [...(installed('server-everything') as { args: string[] }).args, 'stdio'],
};

/** A client of the board over HTTP. */
async function connect(
  board: Board,
  { mode = 'legacy', capabilities = {} }: { mode?: 'legacy' | 'auto'; capabilities?: object } = {},
): Promise<Client> {
  const http = await serveHttp(new McpServer(board, { mode: 'classic' }), { port: 0, token: false });
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
  onTestFinished(async () => {
    await client.close();
    await http.close();
  });
  return client;
}

describe.for(['legacy', 'auto'] as const)('server-everything through a board (%s)', (mode) => {
  it('has its resources, templates, prompts and completions', async () => {
    const board = await openServers({ everything: EVERYTHING });
    const client = await connect(board, { mode });
    const { resources } = await client.listResources();
    const own = resources.find(({ uri }) => uri.startsWith('everything+demo://'));
    expect(own).toMatchObject({ uri: expect.stringMatching(/^everything\+demo:\/\/resource\/static\/document\//) });
    expect(await client.readResource({ uri: own?.uri ?? '' })).toMatchObject({
      contents: [{ uri: own?.uri, text: expect.stringMatching(/\w/) }],
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('dynamic/text'));
    expect(template?.uriTemplate).toBe('everything+demo://resource/dynamic/text/{resourceId}');
    const dynamic = await client.readResource({ uri: 'everything+demo://resource/dynamic/text/7' });
    expect(dynamic.contents).toMatchObject([{ uri: 'everything+demo://resource/dynamic/text/7' }]);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain('everything__args-prompt');
    const text = await client.getPrompt({ name: 'everything__args-prompt', arguments: { city: 'Bern', state: 'BE' } });
    expect(JSON.stringify(text.messages)).toContain('Bern');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
      argument: { name: 'department', value: 'S' },
    });
    expect(completion.values).toEqual(['Sales', 'Support']);
  });

  it('gives links that can be read', async () => {
    const board = await openServers({ everything: EVERYTHING });
    const client = await connect(board, { mode });
    const { content } = await client.callTool({ name: 'everything__get-resource-links', arguments: { count: 2 } });
    const links = (content as { type: string; uri: string }[]).filter(({ type }) => type === 'resource_link');
    expect(links).toHaveLength(2);
    for (const { uri } of links) {
      expect(uri).toMatch(/^everything\+/);
      expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
    }
    const embedded = await client.callTool({
      name: 'everything__get-resource-reference',
      arguments: { resourceType: 'Text', resourceId: 1 },
    });
    expect(JSON.stringify(embedded.content)).toContain('everything+demo://resource/dynamic/text/1');
    await expect(client.readResource({ uri: 'demo://resource/dynamic/text/1' })).rejects.toThrow(
      'There is no resource',
    );
  });

  it('samples from the model of the client that calls', async () => {
    const board = await openServers({ everything: EVERYTHING });
    const client = await connect(board, { mode, capabilities: { sampling: {} } });
    client.setRequestHandler('sampling/createMessage', ({ params }) => ({
      role: 'assistant' as const,
      model: 'test-model',
      content: { type: 'text' as const, text: `to ${JSON.stringify(params.messages[0]?.content)}` },
    }));
    const result = await client.callTool({
      name: 'everything__trigger-sampling-request',
      arguments: { prompt: 'hello', maxTokens: 10 },
    });
    expect(JSON.stringify(result.content)).toContain('hello');
    expect(JSON.stringify(result.content)).toContain('test-model');
  });
});

describe('two servers through a board, with the v1 SDK', () => {
  it('have their resources, templates, prompts, completions, subscriptions, changes of lists and logs', async () => {
    const board = await openServers({ everything: EVERYTHING, shelf: fixture('shelf-server.ts') });
    const http = await serveHttp(new McpServer(board, { mode: 'classic' }), { port: 0, token: false });
    const changed: string[] = [];
    const note = (list: string) => ({ onChanged: () => void changed.push(list), autoRefresh: false, debounceMs: 0 });
    const listChanged = { resources: note('resources') };
    const client = new ClientV1({ name: 'test', version: '1' }, { listChanged });
    const updated: string[] = [];
    const logged: unknown[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
    await client.connect(new HttpV1(new URL(http.url)));
    onTestFinished(async () => {
      await client.close();
      await http.close();
    });

    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    const document = 'everything+demo://resource/static/document/features.md';
    expect(uris).toEqual(expect.arrayContaining([document, 'ui://shelf/page']));
    expect((await client.readResource({ uri: document })).contents).toMatchObject([{ uri: document }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'everything+demo://resource/dynamic/text/{resourceId}',
    );
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['everything__args-prompt', 'shelf__greet']));
    const prompt = await client.getPrompt({ name: 'everything__args-prompt', arguments: { city: 'Bern' } });
    expect(JSON.stringify(prompt.messages)).toContain('Bern');
    const ref = { type: 'ref/prompt', name: 'everything__completable-prompt' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'department', value: 'S' } });
    expect(completion.values).toEqual(['Sales', 'Support']);

    const uri = 'shelf+note://1';
    await client.callTool({ name: 'shelf__write', arguments: { text: 'milk' } });
    await expect.poll(async () => (await client.listResources()).resources.map((each) => each.uri)).toContain(uri);
    await expect.poll(() => changed).toContain('resources');
    await client.subscribeResource({ uri });
    await client.callTool({ name: 'shelf__write', arguments: { text: 'tea' } });
    await expect.poll(() => updated).toContain(uri);
    expect((await client.readResource({ uri })).contents).toMatchObject([
      { uri, text: expect.stringMatching(/: tea$/) },
    ]);
    await client.setLoggingLevel('debug');
    await client.callTool({ name: 'everything__toggle-simulated-logging', arguments: {} });
    await expect.poll(() => logged.length).toBeGreaterThan(0);
  });
});
