// Results of servers: large ones, pictures, data, and invalid answers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Board, toAnthropicToolMessage, toOpenAIToolMessages } from '../src/index.ts';
import { McpServer, serveHttp } from '../src/mcp.ts';
import { answerJson, serveSessions } from './session-server.test-helper.ts';
import { boardFolder, installed, openServers } from './upstream-boards.test-helper.ts';

const INFO = { name: 'test', version: '1.0.0' };
const LINES = Array.from({ length: 60_000 }, (_, n) => `line ${n}: ${'x'.repeat(20)}`);
const LONG = LINES.join('\n');
const NOTE =
  /\n\[[\d,]+ of [\d,]+ characters left out(?: here)?[:;] read them with output_read or output_search, id "([\w-]+)"\]\n/;
/** Two megabytes that no text has. */
const PICTURE = Buffer.alloc(2_000_000, 7).toString('base64');

/** A board with a server whose one tool answers with this. */
async function openAnswering(
  result: object,
  { entry = {}, tool = {} }: { readonly entry?: object; readonly tool?: object } = {},
): Promise<Board> {
  const server = await serveSessions(
    { status: 404 },
    { handle: ({ id }, response) => answerJson(response, id, result), hasStream: false },
  );
  server.tools = [{ name: 'get', inputSchema: { type: 'object' }, ...tool }];
  return openServers({ far: { url: server.url, prefix: 'far_', ...entry } });
}

interface AnyResult {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Calls a tool of a board as both official clients do, which hold results to output schemas. */
async function callWithClients(board: Board, name: string, args: Record<string, unknown> = {}): Promise<AnyResult[]> {
  const http = await serveHttp(new McpServer(board), { port: 0, token: false, grace: 50 });
  onTestFinished(() => http.close());
  const results: AnyResult[] = [];
  for (const mode of ['v1', 'legacy', 'auto'] as const) {
    const client = mode === 'v1' ? new ClientV1(INFO) : new ClientV2(INFO, { versionNegotiation: { mode } });
    const transport = mode === 'v1' ? new HttpV1(new URL(http.url)) : new HttpV2(new URL(http.url));
    await client.connect(transport);
    // Clients hold results to the schemas that they have listed.
    await client.listTools();
    results.push((await client.callTool({ name, arguments: args })) as unknown as AnyResult);
    await client.close();
  }
  return results;
}

describe('a large result of a server', () => {
  it('is cut, and the whole is read by its id', async () => {
    const board = await openAnswering({ content: [{ type: 'text', text: LONG }] });
    const { ok, text, meta } = await board.call('far_get');
    expect(ok).toBe(true);
    expect(text.length).toBeLessThan(1_050_000);
    const id = NOTE.exec(text)?.[1] ?? '';
    expect(meta.truncated).toEqual({ from: LONG.length, to: text.length, id });
    const page = await board.call('output_read', { id, offset: 40_000, lines: 1 });
    expect(page.data).toMatchObject({ lines: [LINES[40_000]] });
    const found = await board.call('output_search', { id, text: 'line 45678:' });
    expect(found.text).toContain(LINES[45_678]);
  });

  it('that comes in several pieces is cut as one', async () => {
    const half = LINES.length / 2;
    const pieces = [LINES.slice(0, half), LINES.slice(half)].map((lines) => ({ type: 'text', text: lines.join('\n') }));
    const picture = { type: 'image', data: PICTURE, mimeType: 'image/png' };
    const board = await openAnswering({ content: [...pieces, picture] });
    const result = await board.call('far_get');
    expect(result.content?.map(({ type }) => type)).toEqual(['text', 'image']);
    expect(result.content?.[0]).toEqual({ type: 'text', text: result.text });
    const id = NOTE.exec(result.text)?.[1] ?? '';
    const page = await board.call('output_read', { id, offset: 45_000, lines: 1 });
    expect(page.data).toMatchObject({ lines: [LINES[45_000]] });
  });

  it('has one id for code and for models', async () => {
    const board = await openAnswering({ content: [{ type: 'text', text: LONG }] });
    const calls = [{ id: 'c1', name: 'far_get', input: {} }];
    const results = await board.registry.callAll(calls);
    const [message] = toOpenAIToolMessages(calls, results);
    expect(message?.content.length).toBeLessThanOrEqual(25_000);
    expect(message?.content).toContain(` of ${LONG.length.toLocaleString('en-US')} characters left out`);
    expect(NOTE.exec(message?.content ?? '')?.[1]).toBe(results[0]?.meta.truncated?.id);
  });

  it('that is a failure is cut as well, in its error too', async () => {
    const board = await openAnswering({ isError: true, content: [{ type: 'text', text: LONG }] });
    const { error, text, meta } = await board.call('far_get');
    expect(error?.message).toBe(text);
    expect(text.length).toBeLessThan(1_050_000);
    const page = await board.call('output_read', { id: meta.truncated?.id ?? '', offset: 40_000, lines: 1 });
    expect(page.data).toMatchObject({ lines: [LINES[40_000]] });
  });

  it('that is an embedded text is cut the same way', async () => {
    const resource = { uri: 'file:///log', text: LONG };
    const board = await openAnswering({ content: [{ type: 'resource', resource }] });
    const { content } = await board.call('far_get');
    const [block] = content ?? [];
    const text = block?.type === 'resource' ? (block.resource.text ?? '') : '';
    const id = NOTE.exec(text)?.[1] ?? '';
    const page = await board.call('output_read', { id, offset: 40_000, lines: 1 });
    expect(page.data).toMatchObject({ lines: [LINES[40_000]] });
  });

  it('of server-filesystem fits its output schema for every client, and is read on by its id', async () => {
    const folder = boardFolder({});
    writeFileSync(join(folder, 'log.txt'), LONG);
    const board = await openServers({ files: { ...installed('server-filesystem', folder), prefix: 'fs_' } });
    const args = { path: join(folder, 'log.txt') };
    for (const { content, structuredContent, isError } of await callWithClients(board, 'fs_read_text_file', args)) {
      expect(isError ?? false).toBe(false);
      expect(content[0]?.text?.length).toBeLessThanOrEqual(25_000);
      expect(NOTE.exec(content[0]?.text ?? '')?.[1]).toBeDefined();
      expect(structuredContent).toEqual({ content: LONG });
    }
  });

  it('that gives its data as text only is held to its output schema before it is cut', async () => {
    const rows = Array.from({ length: 5_000 }, (_, id) => ({ id }));
    const outputSchema = { type: 'object', properties: { rows: { type: 'array' } }, required: ['rows'] };
    const result = { content: [{ type: 'text', text: JSON.stringify({ rows }) }] };
    const board = await openAnswering(result, { entry: { max_output: 1_000 }, tool: { outputSchema } });
    for (const { content, structuredContent, isError } of await callWithClients(board, 'far_get')) {
      expect(isError ?? false).toBe(false);
      expect(structuredContent).toEqual({ rows });
      expect(NOTE.exec(content[0]?.text ?? '')?.[1]).toBeDefined();
    }
  });
});

it('a long answer that is not what its output schema says is an error for clients, with an id for the rest', async () => {
  const outputSchema = { type: 'object', properties: { rows: { type: 'array' } }, required: ['rows'] };
  const board = await openAnswering({ content: [{ type: 'text', text: LONG }] }, { tool: { outputSchema } });
  for (const { content, isError } of await callWithClients(board, 'far_get')) {
    expect(isError).toBe(true);
    const text = content[0]?.text ?? '';
    expect(text.length).toBeLessThanOrEqual(25_000);
    expect(text).toContain('The answer of "far_get" is not what its output schema says (it is no object).');
    expect(NOTE.exec(text)?.[1]).toBeDefined();
  }
});

describe('a picture of a server', () => {
  it('of two megabytes arrives, as it is', async () => {
    const content = [
      { type: 'text', text: 'a picture' },
      { type: 'image', data: PICTURE, mimeType: 'image/png', annotations: { audience: ['user'] } },
      { type: 'audio', data: PICTURE, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///x', mimeType: 'application/zip', blob: PICTURE } },
    ];
    const board = await openAnswering({ content });
    const result = await board.call('far_get');
    expect(result.text).toBe('a picture');
    expect(result.content).toEqual(content);
    for (const told of await callWithClients(board, 'far_get')) expect(told.content).toEqual(content);
  });

  it('over the limit is left out with a note that names the limit', async () => {
    const picture = { type: 'image', data: PICTURE, mimeType: 'image/png' };
    const content = [{ type: 'text', text: 'two pictures' }, picture, picture];
    const board = await openAnswering({ content }, { entry: { max_media: '3MB' } });
    const result = await board.call('far_get');
    const note =
      '[image (image/png) left out: 2,000,000 bytes. A result may have 3,145,728 bytes of pictures, sounds and files (max_media).]';
    expect(result.text).toBe(`two pictures\n${note}`);
    expect(result.content).toEqual([content[0], picture, { type: 'text', text: note }]);
  });

  it('over the limit that is all there is fails the call', async () => {
    const content = [{ type: 'image', data: PICTURE, mimeType: 'image/png' }];
    const board = await openAnswering({ content }, { entry: { tools: { get: { max_media: 1_000_000 } } } });
    const { error } = await board.call('far_get');
    expect(error?.code).toBe('output_too_large');
    expect(error?.message).toBe(
      'Tool "far_get" ran, but its result has more than 1,000,000 bytes of pictures, sounds and files (max_media). Ask for less.',
    );
  });

  it('of server-filesystem, which gives it as data too, is never told as text', async () => {
    const folder = boardFolder({});
    mkdirSync(join(folder, 'pictures'));
    const path = join(folder, 'pictures/big.png');
    writeFileSync(path, Buffer.from(PICTURE, 'base64'));
    const board = await openServers({ files: { ...installed('server-filesystem', folder), prefix: 'fs_' } });
    const result = await board.call('fs_read_media_file', { path });
    expect(result.text).toBe('');
    expect(result.content).toEqual([{ type: 'image', data: PICTURE, mimeType: 'image/png' }]);
    for (const { content, isError } of await callWithClients(board, 'fs_read_media_file', { path })) {
      expect(isError ?? false).toBe(false);
      expect(content).toEqual([{ type: 'image', data: PICTURE, mimeType: 'image/png' }]);
    }
    const calls = [{ id: 'c1', name: 'fs_read_media_file', input: { path } }];
    const results = await board.registry.callAll(calls);
    expect(toOpenAIToolMessages(calls, results)[0]?.content).toBe('[image left out: image/png, 2000000 bytes]');
    expect(toAnthropicToolMessage(calls, results).content[0]?.content).toMatchObject([{ type: 'image' }]);
  });

  it.for([
    ['in its text', { content: [{ type: 'text', text: `see data:image/png;base64,${PICTURE}` }, image()] }],
    ['in its data', { content: [image()], structuredContent: { width: 3, picture: image() } }],
    ['in data without pieces', { content: [], structuredContent: { width: 3, picture: image() } }],
    ['in data and its JSON', dataAndText({ width: 3, picture: image() })],
  ] as const)('is told once when the server says it twice, %s', async ([, result]) => {
    const board = await openAnswering(result);
    const { ok, text } = await board.call('far_get');
    expect(ok).toBe(true);
    expect(text).not.toContain(PICTURE.slice(0, 100));
    expect(text).toContain('[image/png, 2,000,000 bytes]');
  });

  it('is read at once where it has thousands of pictures and a long text', async () => {
    const data = (n: number): string => `${'A'.repeat(290)}${String(n).padStart(10, 'B')}`;
    const pictures = Array.from({ length: 20_000 }, (_, n) => ({
      type: 'image',
      mimeType: 'image/png',
      data: data(n),
    }));
    const said = `${'A'.repeat(20_000_000)} ${data(7)}`;
    const board = await openAnswering({ content: [...pictures, { type: 'text', text: said }] });
    const { ok, text } = await board.call('far_get');
    expect(ok).toBe(true);
    expect(text.endsWith(' [image/png, 225 bytes]')).toBe(true);
  });
});

describe('what a server says during a call', () => {
  it('is passed on only in part where it never stops, without what deceives', async () => {
    const said = { level: 'error', data: `\u001B[31mred\u001B[0m ${'x'.repeat(20_000)}` };
    const line = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: said })}\n\n`;
    const server = await serveSessions(
      { status: 404 },
      {
        handle: ({ id }, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (let lines = 0; lines < 3_000; lines++) response.write(line);
          response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
        },
        hasStream: false,
      },
    );
    const board = await openServers({ far: { url: server.url } });
    const heard: string[] = [];
    expect((await board.call('far__hello', {}, { onLog: ({ message }) => heard.push(message) })).ok).toBe(true);
    expect(heard.length).toBeGreaterThanOrEqual(500);
    expect(heard.length).toBeLessThan(2_500);
    expect(heard[0]?.slice(0, 8)).toBe('red xxxx');
    expect(heard[0]?.length).toBeLessThan(10_002);
    expect(heard).toContain('The MCP server "far" reports more than can be read: only a part is passed on.');
  });

  it('in the data of an error is left out where it is too much for a remark', async () => {
    const server = await serveSessions(
      { status: 404 },
      {
        handle: ({ id, params }, response) => {
          const data = { why: 'x'.repeat(Number(Object(params['arguments']).length)) };
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32050, message: 'No.', data } }));
        },
        hasStream: false,
      },
    );
    const board = await openServers({ far: { url: server.url } });
    const small = await board.call('far__hello', { length: 3 });
    expect(small.error?.protocol).toEqual({ code: -32050, message: 'No.', data: { why: 'xxx' } });
    const large = await board.call('far__hello', { length: 2_000_000 });
    expect(large.error?.protocol).toEqual({ code: -32050, message: 'No.' });
  });
});

describe('an answer that is no result', () => {
  it.for([
    ['nothing', {}, 'it has neither content nor structuredContent'],
    ['null for content', { content: null }, 'it has neither content nor structuredContent'],
    ['a text for content', { content: 'hello' }, 'its content is a string, not a list of pieces'],
    ['a text for a piece', { content: ['hello'] }, 'piece 1 of its content is a string, not an object'],
    ['a piece without a type', { content: [{ text: 'x' }] }, 'piece 1 of its content has no type'],
    [
      'a picture without a type',
      { content: [{ type: 'image', data: PICTURE }] },
      'piece 1 of its content (image) has no mimeType that is a text',
    ],
    [
      'a resource without anything in it',
      { content: [{ type: 'resource', resource: { uri: 'x:y' } }] },
      'piece 1 of its content (resource) has no text or blob that is a text',
    ],
    [
      'only pieces of a later revision',
      { content: [{ type: 'video', data: PICTURE, mimeType: 'video/mp4' }] },
      'its content has only pieces of types that are not known here: "video"',
    ],
  ] as const)('(%s) is an error that says what is wrong', async ([, result, fault]) => {
    const board = await openAnswering(result);
    const { error } = await board.call('far_get');
    expect(error?.code).toBe('execution_failed');
    expect(error?.message).toBe(`The server's answer is no valid result: ${fault}. The tool may have run.`);
  });

  it('gives the text that was in it', async () => {
    const board = await openAnswering({ content: [{ type: 'text', text: 'done' }, { type: 'image' }] });
    expect((await board.call('far_get')).text).toMatch(/piece 2 .* This is the text in it:\ndone$/s);
  });

  it('because its result is no object says so', async () => {
    const board = await openAnswering([]);
    expect((await board.call('far_get')).text).toContain('its result is no object');
  });

  it('is not one with an empty list, or with pieces of a later revision beside known ones', async () => {
    expect((await (await openAnswering({ content: [] })).call('far_get')).ok).toBe(true);
    const video = { type: 'video', data: PICTURE, mimeType: 'video/mp4' };
    const board = await openAnswering({
      content: [{ type: 'text', text: 'a film' }, video, { type: 'card', text: 'c' }],
    });
    const { ok, text } = await board.call('far_get');
    expect({ ok, text }).toEqual({
      ok: true,
      text: 'a film\n[A piece of the type "video" is left out: it is not known here.]\nc',
    });
    for (const { content } of await callWithClients(board, 'far_get')) expect(content).toHaveLength(3);
  });
});

function image(): object {
  return { type: 'image', data: PICTURE, mimeType: 'image/png' };
}

function dataAndText(data: object): object {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
}
