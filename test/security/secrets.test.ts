// A board whose tools, servers and files tell its secrets in every way they can be written. Every byte that leaves is looked at:
// results, kept outputs, progress, log lines, questions, what a model is sent, spans, files, what programs and people are shown.
import { spawn } from 'node:child_process';
import { globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defineAgent, openSession, runAgent, streamAgent } from '../../src/agent.ts';
import { toAiSdkTools } from '../../src/ai-sdk.ts';
import { type Board, openBoard, toAnthropicTools, toMcpTools } from '../../src/index.ts';
import { startInspector } from '../../src/inspector.ts';
import { McpServer, serveHttp } from '../../src/mcp.ts';
import { scriptedModel } from '../../src/testing.ts';
import { CLI } from '../cli-program.test-helper.ts';
import { ENV, findLeaks, NUMBER, placeLeakBoard, SECRET, WAYS } from './leak-board.test-helper.ts';

const seen: string[] = [];
let api: Server;
let folder: string;
let board: Board;
/** Questions that people were asked. */
const questions: unknown[] = [];

/** Fails with the names of the ways in which a secret can be read in what left. */
function expectClean(value: unknown, where: string): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  seen.push(where);
  expect({ where, leaks: findLeaks(text) }).toEqual({ where, leaks: [] });
}

const runEnv = { ...process.env, ...ENV };

beforeAll(async () => {
  // It answers with all that it was sent, as careless services do.
  api = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url: request.url, headers: request.headers, key: ENV.LEAK_TOKEN }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  // Address of a listening TCP server.
  folder = placeLeakBoard(`http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  Object.assign(process.env, ENV);
  board = await openBoard(join(folder, 'pegboard.yaml'), {
    cwd: folder,
    env: runEnv,
    data: join(folder, '../data'),
    approve: (request) => {
      questions.push({ ...request, context: undefined, signal: undefined });
      return true;
    },
    elicit: (request) => {
      questions.push(request);
      return { action: 'accept', content: { name: 'Ada' } };
    },
  });
});

afterAll(async () => {
  await board?.close();
  api?.close();
  for (const name of Object.keys(ENV)) Reflect.deleteProperty(process.env, name);
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

it('the judge knows every way', () => {
  for (const [way, write] of Object.entries(WAYS)) expect(findLeaks(`<${write(SECRET)}>`)).toContain(way);
  expect(findLeaks(`${NUMBER} fake`)).toEqual(['number', 'short']);
  expect(findLeaks('nothing, fakery')).toEqual([]);
});

describe('through the board', () => {
  it('says what cannot be told from other words, by the name of the variable', () => {
    expectClean(board.diagnostics, 'diagnostics');
    expect(board.diagnostics.map(({ severity, message }) => `${severity} ${message}`)).toContain(
      'warning SHORT_KEY is a secret by its name, and its value has fewer than 8 characters: it is redacted from results only as a whole word, and that word is redacted even where it means something else. Use a value of 8 characters or more, or another name for the variable if it is no secret.',
    );
  });

  it.each([
    ['prints', {}],
    ['fails', {}],
    ['asked', {}],
    ['asks', {}],
    ['values', {}],
    ['breaks', {}],
    ['breaks', { kind: 'typed' }],
    ['leaky__tell', {}],
    ['leaky__tell', { what: 'crash' }],
    [SECRET, {}],
    ['call_tool', { name: 'values', arguments: {} }],
  ])('%s %j answers, reports and logs without them', async (name, args) => {
    const told: unknown[] = [];
    const stops = (['call:progress', 'call:log', 'call:finished'] as const).map((event) =>
      board.executor.on(event, (payload) => told.push(payload)),
    );
    const result = await board.call(name, args, { onProgress: (progress) => told.push(progress) });
    for (const stop of stops) stop();
    const { error } = result;
    expectClean([result, result.text, result.data, result.content, result.meta], `result of ${name}`);
    expectClean([error?.message, error?.reason, error?.issues, error?.stack, String(error?.cause)], `error of ${name}`);
    expectClean(told, `events of ${name}`);
    expect(told.length).toBeGreaterThan(0);
    if (error === undefined) expect(JSON.stringify(result)).toContain('[redacted]');
  });

  it('asks people without them', () => {
    expect(questions.length).toBeGreaterThan(1);
    expectClean(questions, 'questions');
    expect(JSON.stringify(questions)).toContain('Really, with [redacted]?');
    expect(JSON.stringify(questions)).toContain('Is [redacted] right?');
  });

  it('keeps an output without them, and every page and search of it', async () => {
    const { text } = await board.call('floods');
    expectClean(text, 'cut output');
    const id = /id "?([\w-]{20,})/.exec(text)?.[1] ?? '';
    expect(id).not.toBe('');
    for (let offset = 0; offset < 2000; offset += 333) {
      expectClean(await board.call('output_read', { id, offset, lines: 333 }), 'page of an output');
    }
    expectClean(await board.call('output_search', { id, pattern: '<' }), 'search in an output');
    const files = globSync('../data/outputs/**', { cwd: folder }).filter((file) =>
      statSync(join(folder, file)).isFile(),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expectClean(readFileSync(join(folder, file), 'latin1'), 'kept output');
  });

  it('finds knowledge without them', async () => {
    const content = `The harbour key is ${SECRET} or ${Buffer.from(SECRET).toString('base64')}`;
    const stored = await board.call('notes-store', { content });
    expect(stored.ok).toBe(true);
    expectClean(stored, 'stored knowledge');
    const found = await board.call('notes-search', { query: 'harbour key' });
    expect(found.text).toContain('The harbour key is [redacted] or [redacted]');
    expectClean(found, 'found knowledge');
  });

  it('describes tools without them, to every framework', async () => {
    const tools = board.registry.getAll();
    expectClean(board.registry.definitions(), 'OpenAI');
    expectClean([toAnthropicTools(tools).tools, toMcpTools(tools).tools], 'Anthropic and MCP');
    expectClean(board.registry.generatePrompt({ includeExamples: true }), 'prompt');
    expectClean(board.registry.list(), 'list');
    expectClean(
      tools.map(({ metadata, inputSchema }) => [metadata, inputSchema]),
      'metadata',
    );
    const sdk = Object.entries(toAiSdkTools(board.registry)).map(([name, { description }]) => [name, description]);
    expectClean(sdk, 'AI SDK');
    expectClean(
      board.registry.toLangChainTools().map((tool) => Object.values(tool).filter((part) => typeof part === 'string')),
      'LangChain',
    );
    expectClean(await board.call('search_tools', { query: 'print' }), 'search_tools');
    expectClean(await board.dryRun('asks', {}), 'dry run of a request');
    expectClean(await board.dryRun('prints', {}), 'dry run of a command');
    expectClean(board.servers, 'servers');
    expectClean(board.files, 'files');
  });
});

describe('through an agent', () => {
  const provider = (): { exporter: InMemorySpanExporter; tracer: ReturnType<BasicTracerProvider['getTracer']> } => {
    const exporter = new InMemorySpanExporter();
    const spans = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    return { exporter, tracer: spans.getTracer('test') };
  };

  it('sends a model, its spans and its session nothing of them', async () => {
    const { exporter, tracer } = provider();
    const session = openSession(board.store, 'leaky');
    const model = scriptedModel([
      { calls: [{ name: 'prints' }, { name: 'values' }, { name: 'breaks' }, { name: 'leaky_tell' }] },
      'noted',
      new Error(`401 for the key ${SECRET}`),
    ]);
    const agent = defineAgent({ name: 'helper', model, system: `You know ${SECRET}.`, modelRetries: 0 });
    const options = { board, session, tracer, traceContent: true };
    const result = await runAgent(agent, `My key is ${encodeURIComponent(SECRET)}`, options);
    expect(result.ok).toBe(true);
    const failed = await runAgent(agent, 'Again', options);
    expect(failed).toMatchObject({ ok: false, outcome: 'model_failed' });
    expectClean([failed.ok ? '' : failed.reason, failed.messages], 'failure of a model');
    expectClean(model.requests, 'requests');
    expectClean([result.text, result.messages], 'run');
    const spans = exporter
      .getFinishedSpans()
      .map(({ name, attributes, status, events }) => [name, attributes, status, events]);
    expect(spans.length).toBeGreaterThan(5);
    expectClean(spans, 'spans');
    expectClean((await session.read()).messages, 'session');
  });

  it('streams an answer without them, though they come in pieces', async () => {
    for (const write of Object.values(WAYS)) {
      const model = scriptedModel([{ reasoning: `Hm, ${write(SECRET)}!`, text: `It is ${write(SECRET)}, I think.` }]);
      const stream = streamAgent(defineAgent({ name: 'helper', model }), 'What is it?', { board });
      const pieces: Record<string, string> = { text: '', reasoning: '' };
      for await (const event of stream) {
        if (event.type === 'text' || event.type === 'reasoning') pieces[event.type] += event.text;
      }
      expectClean(pieces, 'streamed answer');
      expect(pieces['text']).toMatch(/^It is .*\[redacted\].*, I think\.$/s);
      expectClean((await stream.result).messages, 'history of a streamed answer');
    }
  });
});

/** Runs the command line and gives every byte it wrote. */
async function cli(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env: runEnv });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('latin1')));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString('latin1')));
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
  return Buffer.from(printed, 'latin1').toString();
}

describe('through the command line', () => {
  it.each([
    [['list', '--json']],
    [['show', 'prints']],
    [['show', 'leaky__tell', '--json']],
    [['call', 'prints']],
    [['call', 'fails']],
    [['call', 'values', '--json']],
    [['call', 'leaky__tell', '--json']],
    [['call', 'asks', '--dry-run']],
    [['search', 'print']],
    [['export', '--format', 'openai']],
    [['prompt']],
    [['validate']],
    [['doctor']],
    [['lock']],
    [['learned']],
  ])('pegboard %j', async (args) => {
    const printed = await cli(...args);
    expect(printed).not.toBe('');
    expectClean(printed, `pegboard ${args.join(' ')}`);
  });

  it('writes no file with them', () => {
    const files = globSync(['../data/**', '.pegboard/**', '*.lock', '**/*.json'], { cwd: folder });
    const written = files.filter((file) => statSync(join(folder, file)).isFile());
    expect(written.some((file) => file.includes('lock'))).toBe(true);
    // The store of knowledge holds what was stored there, on purpose.
    const looked = written.filter((file) => !/knowledge|rag/.test(file));
    for (const file of looked) expectClean(readFileSync(join(folder, file), 'latin1'), file);
  });
});

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}

/** Sends every request of a client that wants to know everything; `call` sends one and returns the answer. */
async function exploreAll(call: (method: string, params?: object) => Promise<Message>): Promise<void> {
  await call('logging/setLevel', { level: 'debug' });
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) await call(method);
  await call('resources/read', { uri: 'pegboard://tools/leaky__tell' });
  for (const name of ['prints', 'fails', 'asked', 'asks', 'values', 'breaks', 'leaky__tell', SECRET]) {
    await call('tools/call', { name, arguments: {}, _meta: { progressToken: name } });
  }
  const cut = await call('tools/call', { name: 'floods', arguments: {} });
  const id = /id "?([\w-]{20,})/.exec(JSON.stringify(cut.result).replaceAll('\\', ''))?.[1] ?? '';
  expect(id).not.toBe('');
  await call('resources/read', { uri: `pegboard://outputs/${id}` });
  await call('tools/call', { name: 'output_search', arguments: { id, pattern: '<', limit: 500 } });
}

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'test', version: '1' },
};

describe('over MCP', () => {
  it('stdio', async () => {
    const child = spawn(process.execPath, [CLI, 'serve'], { cwd: folder, env: runEnv });
    let printed = '';
    let rest = '';
    let asked = 0;
    const waiting = new Map<unknown, (message: Message) => void>();
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    child.stderr.on('data', (chunk) => (printed += String(chunk)));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message: Message = JSON.parse(line);
        if (message.method === 'elicitation/create') {
          asked++;
          send({ id: message.id, result: { action: 'accept', content: { approve: true, name: 'Ada' } } });
        } else if (message.method === undefined) waiting.get(message.id)?.(message);
      }
    });
    let count = 0;
    const call = (method: string, params: object = {}): Promise<Message> =>
      new Promise((resolve) => {
        waiting.set(++count, resolve);
        send({ id: count, method, params });
      });
    await call('initialize', HELLO);
    send({ method: 'notifications/initialized' });
    await exploreAll(call);
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
    expect(asked).toBeGreaterThan(1);
    expect(printed).toContain('notifications/progress');
    expect(printed).toContain('notifications/message');
    expectClean(printed, 'stdio');
  });

  it('HTTP', async () => {
    const server = new McpServer(board, { name: 'leaky', instructions: `Use ${SECRET}` });
    const http = await serveHttp(server, { port: 0, token: false });
    let printed = '';
    let session: string | undefined;
    let count = 0;
    const call = async (method: string, params: object = {}): Promise<Message> => {
      const response = await fetch(http.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++count, method, params }),
      });
      session ??= response.headers.get('mcp-session-id') ?? undefined;
      const body = await response.text();
      printed += JSON.stringify([...response.headers]) + body;
      const messages = body.startsWith('{')
        ? [body]
        : [...body.matchAll(/^data: (.+)$/gm)].map(([, data]) => data ?? '{}');
      const parsed: Message[] = messages.map((message) => JSON.parse(message));
      return parsed.find(({ id }) => id === count) ?? {};
    };
    await call('initialize', { ...HELLO, capabilities: {} });
    await exploreAll(call);
    await http.close();
    await server.close();
    expectClean(printed, 'HTTP');
  });
});

it('shows nothing of them in the inspector', async () => {
  const inspector = await startInspector(board);
  const { origin } = new URL(inspector.url);
  const headers = { authorization: `Bearer ${inspector.token}`, 'content-type': 'application/json' };
  const stop = new AbortController();
  const live = await fetch(`${origin}/api/events`, { headers, signal: stop.signal });
  const events = live.body?.pipeThrough(new TextDecoderStream()).getReader();
  let printed = '';
  const send = async (path: string, body: string): Promise<string> =>
    (await fetch(`${origin}/api/${path}`, { method: 'POST', headers, body })).text();
  for (const name of ['values', 'breaks', 'prints']) printed += await send(`tools/${name}/call`, '{"args":{}}');
  const asking = send('tools/leaky__tell/call', '{"args":{}}');
  const question = await vi.waitUntil(
    async () => {
      const told = await (await fetch(`${origin}/api/questions`, { headers })).text();
      printed += told;
      return (JSON.parse(told) as { questions: { id: string }[] }).questions[0];
    },
    { timeout: 120_000 },
  );
  await send(`questions/${question.id}`, '{"action":"decline"}');
  printed += await asking;
  for (const path of ['board', 'tools', 'tools/leaky__tell', 'tools/prints', 'calls', 'approvals', 'questions']) {
    printed += await (await fetch(`${origin}/api/${path}`, { headers })).text();
  }
  while (!printed.includes('event:')) printed += (await events?.read())?.value ?? '';
  stop.abort();
  await inspector.close();
  expect(printed).toContain('[redacted]');
  expectClean(printed, 'inspector');
});
