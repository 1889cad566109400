// A model gets the beginning of a long result through every way to the board, and learns where the rest is.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineAgent, runAgent } from '../src/agent.ts';
import { toAiSdkTools } from '../src/ai-sdk.ts';
import {
  type Board,
  defineTool,
  openBoard,
  toAnthropicToolMessage,
  toGeminiToolMessage,
  toMcpCallResult,
  toOpenAIToolMessages,
  ToolRegistry,
} from '../src/index.ts';
import { McpServer } from '../src/mcp.ts';
import { TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { scriptedModel } from '../src/testing.ts';
import { entryFile } from './cli-program.test-helper.ts';

const LINES = Array.from({ length: 4_000 }, (_, n) => `line ${n}: ${'x'.repeat(20)}`);
const LONG = LINES.join('\n');
const ROWS = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id} 😀` }));
const NOTE = /\n\[[\d,]+ of [\d,]+ characters left out: read them with output_read or output_search, id "([\w-]+)"\]\n/;

const SCRIPT = `import { defineTool } from ${JSON.stringify(entryFile('index'))};
  const none = { type: 'object', properties: {} };
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: 'row ' + id + ' 😀' }));
  const lines = Array.from({ length: 4_000 }, (_, n) => 'line ' + n + ': ' + 'x'.repeat(20));
  export const text = defineTool({ name: 'text', description: 'Long text', schema: none, execute: () => lines.join('\\n') });
  export const data = defineTool({ name: 'data', description: 'Much data', schema: none,
    outputSchema: { type: 'object', properties: { rows: { type: 'array' } }, required: ['rows'] }, execute: () => ({ rows }) });`;

async function open(settings = '', files: Readonly<Record<string, string>> = {}): Promise<Board> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-model-'));
  for (const [name, text] of Object.entries({ 'long.ts': SCRIPT, ...files })) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'pegboard.yaml'), `${settings}\ntools: [{ type: script, file: ./long.ts }]\n`);
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  onTestFinished(async () => {
    await board.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return board;
}

async function client(board: Board, caller = ''): Promise<TestClient> {
  const access = { key: '', allows: () => true };
  const made = new TestClient(new McpServer(board), { id: caller, access });
  await made.initialize();
  return made;
}

interface CallAnswer {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly rows: unknown };
  readonly isError?: boolean;
}

async function callOver(over: TestClient, name: string, args: object = {}): Promise<CallAnswer> {
  // The type that a server answers `tools/call` with.
  return (await over.result('tools/call', { name, arguments: args })) as unknown as CallAnswer;
}

/** The id in a text that was cut at lines, beginning and end. */
function idIn(text: string, limit = 25_000): string {
  expect(text.length).toBeLessThanOrEqual(limit);
  expect(text.length).toBeGreaterThan(limit * 0.75);
  expect(text.isWellFormed()).toBe(true);
  return NOTE.exec(text)?.[1] ?? '';
}

describe('a model behind MCP', () => {
  it('gets beginning and end, and reads the rest by the id between them', async () => {
    const over = await client(await open());
    const [{ text } = { text: '' }] = (await callOver(over, 'text')).content;
    const id = idIn(text);
    expect(text.startsWith('line 0: ')).toBe(true);
    expect(text.endsWith(LINES.at(-1) ?? '')).toBe(true);
    // Cut between lines, not inside one.
    for (const line of text.split('\n').filter((one) => !one.startsWith('['))) expect(LINES).toContain(line);
    const page = await callOver(over, 'output_read', { id, offset: 2_000, lines: 2 });
    expect(page.content[0]?.text).toContain(LINES[2_000]);
    const found = await callOver(over, 'output_search', { id, text: 'line 2345:' });
    expect(found.content[0]?.text).toContain(LINES[2_345]);
    const resource = await over.result('resources/read', { uri: `pegboard://outputs/${id}` });
    expect(resource).toMatchObject({ contents: [{ text: LONG }] });
  });

  it('searches all that a command printed, also where the board keeps more than it returns', async () => {
    const tool = {
      name: 'count',
      type: 'cli',
      description: 'Counts',
      command: ['seq', '-f', 'line %g of a long log', '80000'],
    };
    const board = await open(`name: x\nimport: [more.yaml]`, { 'more.yaml': JSON.stringify({ tools: [tool] }) });
    const over = await client(board);
    const text = (await callOver(over, 'count')).content[0]?.text ?? '';
    const size = Array.from({ length: 80_000 }, (_, n) => `line ${n + 1} of a long log\n`).join('').length;
    expect(text).toContain(` of ${size.toLocaleString('en-US')} characters left out`);
    const id = NOTE.exec(text)?.[1];
    const found = await callOver(over, 'output_search', { id, text: 'line 40000 ' });
    expect(found.content[0]?.text).toContain('line 40000 of a long log');
  });

  it('gets a part of the text of data, which stays whole for the client’s program', async () => {
    const over = await client(await open());
    const answer = await callOver(over, 'data');
    const id = idIn(answer.content[0]?.text ?? '');
    expect(answer.structuredContent).toEqual({ rows: ROWS });
    // Stored outputs have a line for each value, so that they can be searched.
    const found = await callOver(over, 'output_search', { id, text: '"row 1234 ' });
    expect(found.content[0]?.text).toContain('row 1234 😀');
  });

  it('cannot read what another caller left', async () => {
    const board = await open();
    const mine = await client(board, 'ada');
    const id = idIn((await callOver(mine, 'text')).content[0]?.text ?? '');
    expect((await callOver(mine, 'output_read', { id })).isError).toBeUndefined();
    const other = await callOver(await client(board, 'bob'), 'output_read', { id });
    expect(other.isError).toBe(true);
    expect(other.content[0]?.text).toContain('There is no stored output');
  });

  it('is told to ask for less where it cannot read the rest', async () => {
    const board = await open('policy: { deny: [output_read, output_search], approval: { global: none } }');
    const over = await client(board);
    const text = (await callOver(over, 'text')).content[0]?.text ?? '';
    expect(text.length).toBeLessThanOrEqual(25_000);
    expect(text).toMatch(/\n\[[\d,]+ of [\d,]+ characters left out: ask for less\]\n/);
  });

  it('gets pages that are short enough to be read', async () => {
    const over = await client(await open());
    const id = idIn((await callOver(over, 'text')).content[0]?.text ?? '');
    const { content } = await callOver(over, 'output_read', { id, lines: 2_000 });
    const page = JSON.parse(content[0]?.text ?? '');
    expect(content[0]?.text.length).toBeLessThanOrEqual(25_000);
    expect(page.lines[0]).toBe(LINES[0]);
    expect(page.next).toBe(page.lines.length);
  });

  it('gets as much as the board says', async () => {
    const over = await client(await open('max_model_output: 2000'));
    idIn((await callOver(over, 'text')).content[0]?.text ?? '', 2_000);
  });
});

describe('code', () => {
  it('keeps all of a result, also when its text is cut', async () => {
    const board = await open();
    expect((await board.call('text')).text).toBe(LONG);
    const registry = new ToolRegistry({ maxOutput: 1_000 });
    registry.register(defineTool({ name: 'rows', description: 'Rows', schema: {}, execute: () => ROWS }));
    const result = await registry.call('rows');
    expect(result.text.length).toBeLessThan(1_200);
    expect(result.data).toBe(ROWS);
  });

  it('gives providers a part of it', async () => {
    const board = await open();
    const calls = [{ id: 'c1', name: 'text', input: {} }];
    const results = await board.registry.callAll(calls);
    const texts = [
      toOpenAIToolMessages(calls, results)[0]?.content,
      toAnthropicToolMessage(calls, results).content[0]?.content,
      Object.values(toGeminiToolMessage(calls, results).parts[0]?.functionResponse.response ?? {})[0],
      results.map((result) => toMcpCallResult(result).content[0])[0],
    ];
    for (const text of texts) {
      const id = idIn(typeof text === 'string' ? text : String(Object(text)['text']));
      expect((await board.call('output_read', { id, lines: 1 })).data).toMatchObject({ lines: [LINES[0]] });
    }
  });

  it('says how much is missing where nothing is kept', async () => {
    const registry = new ToolRegistry({ maxModelOutput: 1_000 });
    registry.register(defineTool({ name: 'long', description: 'Long', schema: {}, execute: () => '😀'.repeat(2_000) }));
    const results = await registry.callAll([{ id: 'c1', name: 'long', input: {} }]);
    const [message] = toOpenAIToolMessages([{ id: 'c1', name: 'long', input: {} }], results);
    expect(message?.content.length).toBeLessThanOrEqual(1_000);
    expect(message?.content.isWellFormed()).toBe(true);
    expect(message?.content).toMatch(/\n\[3,1\d\d of 4,000 characters left out: ask for less\]\n/);
  });
});

describe('frameworks', () => {
  it('give the AI SDK’s model a part, and its code all data', async () => {
    const board = await open();
    const tools = toAiSdkTools(board.registry);
    const run = async (name: string): Promise<unknown> =>
      tools[name]?.execute?.({}, { toolCallId: 'c', messages: [], context: undefined } as never);
    const output = await run('data');
    expect(output).toEqual({ rows: ROWS });
    const told = async (): Promise<unknown> => tools['data']?.toModelOutput?.({ toolCallId: 'c', input: {}, output });
    const { type, value } = (await told()) as { readonly type: string; readonly value: string };
    expect(type).toBe('text');
    const id = idIn(value);
    expect(await told()).toEqual({ type, value });
    expect((await board.call('output_search', { id, text: '"row 7 ' })).ok).toBe(true);
    idIn(String(await run('text')));
  });

  it('give LangChain’s model a part, and its artifact all', async () => {
    const board = await open();
    const tool = board.registry.toLangChainTools().find(({ name }) => name === 'text');
    const message = await tool?.invoke({ type: 'tool_call', id: 'c', name: 'text', args: {} });
    idIn(String(message.content));
    expect(message.artifact.text).toBe(LONG);
  });
});

describe('an agent', () => {
  it('gets a part, and the tools that read the rest when there is one', async () => {
    const board = await open();
    const seen: string[][] = [];
    const model = scriptedModel([
      { calls: [{ name: 'text' }] },
      ({ tools, results }) => {
        seen.push([...tools]);
        const input = { id: idIn(results[0]?.text ?? ''), text: 'line 3000:' };
        return { calls: [{ name: 'output_search', input }] };
      },
      ({ results }) => results[0]?.text ?? '',
    ]);
    const agent = defineAgent({ name: 'reader', model, tools: ['text'] });
    const result = await runAgent(agent, 'go', { board });
    expect(result.text).toContain(LINES[3_000]);
    expect(seen).toEqual([['text', 'output_read', 'output_search']]);
    expect(result.steps[0]?.calls[0]?.result.text).toBe(LONG);
  });
});
