// Spans of calls: from the client's trace through the board to other servers and APIs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { defineAgent, runAgent } from '../src/agent.ts';
import { openBoard } from '../src/index.ts';
import { McpServer } from '../src/mcp.ts';
import { TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { scriptedModel } from '../src/testing.ts';
import { CLI } from './cli-program.test-helper.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-traces-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}

async function listen(answer: (request: IncomingMessage, body: string) => string): Promise<number> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => response.end(answer(request, body)));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A collector, and the spans that it was sent. */
async function startCollector(): Promise<{ readonly port: number; readonly spans: SentSpan[] }> {
  const spans: SentSpan[] = [];
  const port = await listen((_, body) => {
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    return '{}';
  });
  return { port, spans };
}

it("goes on with the client's trace, and hands it to servers and to the hosts that are named", async () => {
  const { port, spans } = await startCollector();
  const seen: (string | undefined)[] = [];
  const note = (request: IncomingMessage): string => {
    seen.push(String(request.headers['traceparent']), request.headers['tracestate'] as string | undefined);
    return 'seen';
  };
  const [told, untold] = [await listen(note), await listen(note)];
  const telemetry = `telemetry: { otlp: 'http://127.0.0.1:${port}', pass_on: ['127.0.0.1'] }`;
  const inner = join(folder, 'inner.yaml');
  writeFileSync(
    inner,
    `${telemetry}\nrecord: off\ntools: [{ name: hello, type: cli, description: H, command: echo hello, risk: read }]`,
  );
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `${telemetry}
mcpServers: { inner: { command: '${process.execPath}', args: ['${CLI}', serve, '${inner}'] } }
http: { allow_hosts: ['127.0.0.1', localhost] }
tools:
  - { name: told, type: http, description: T, requests: [{ url: 'http://127.0.0.1:${told}/' }], risk: read }
  - { name: untold, type: http, description: U, requests: [{ url: 'http://localhost:${untold}/' }], risk: read }`,
  );
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  onTestFinished(() => board.close());
  await board.ready();
  const client = new TestClient(new McpServer(board));
  await client.initialize();
  const _meta = { traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`, tracestate: 'vendor=secret' };
  for (const name of ['inner__hello', 'told', 'untold'])
    expect(await client.result('tools/call', { name, arguments: {}, _meta })).not.toMatchObject({ isError: true });
  const [call] = await board.calls.list({ tool: 'inner__hello' });
  expect(call).toMatchObject({
    client: { name: 'test', version: '1' },
    requests: [{ to: 'server inner', outcome: 'ok' }],
  });
  await board.close();
  await expect
    .poll(() => spans.map(({ name }) => name).toSorted())
    .toEqual([
      'GET',
      'GET',
      'tools/call hello',
      'tools/call hello',
      'tools/call inner__hello',
      'tools/call told',
      'tools/call untold',
    ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const served = spans.find(({ name }) => name === 'tools/call inner__hello');
  expect(served).toMatchObject({ kind: 2, parentSpanId: CLIENT_SPAN });
  const asked = spans.find(({ parentSpanId }) => parentSpanId === served?.spanId);
  expect(asked).toMatchObject({ name: 'tools/call hello', kind: 3 });
  expect(spans.find(({ parentSpanId }) => parentSpanId === asked?.spanId)).toMatchObject({ kind: 2 });
  expect(served?.attributes).toContainEqual({ key: 'mcp.method.name', value: { stringValue: 'tools/call' } });
  const sent = spans.find(({ parentSpanId, name }) => {
    return name === 'GET' && parentSpanId === spans.find((span) => span.name === 'tools/call told')?.spanId;
  });
  // A host that is not named learns nothing, and none learns what else the client said.
  expect(seen).toEqual([`00-${TRACE}-${sent?.spanId}-01`, undefined, 'undefined', undefined]);
});

it('writes spans with what the process has registered, one for each call of an agent', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  onTestFinished(() => trace.disable());
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, 'tools: [{ name: hello, type: cli, description: H, command: echo hello, risk: read }]');
  const board = await openBoard(file, { cwd: folder });
  onTestFinished(() => board.close());
  await board.call('hello');
  await board.call('nothing');
  const model = scriptedModel([{ calls: [{ name: 'hello' }] }, 'Done.'], { modelId: 'm' });
  await runAgent(defineAgent({ name: 'a', model, tools: ['hello'] }), 'go', { board });
  expect(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['execute_tool hello', undefined],
    ['execute_tool (unknown)', 'not_found'],
    ['chat m', undefined],
    ['execute_tool hello', undefined],
    ['chat m', undefined],
    ['invoke_agent a', undefined],
  ]);
});

it('fails no call when the collector is away or refuses', async () => {
  const port = await listen(() => '');
  const file = join(folder, 'pegboard.yaml');
  const tools = 'tools: [{ name: hello, type: cli, description: H, command: echo hello, risk: read }]';
  writeFileSync(file, `telemetry: { otlp: 'http://127.0.0.1:1' }\n${tools}`);
  const board = await openBoard(file, { cwd: folder });
  onTestFinished(() => board.close());
  expect(await board.call('hello')).toMatchObject({ ok: true });
  writeFileSync(file, `telemetry: { otlp: 'http://127.0.0.1:${port}/other' }\n${tools}`);
  expect(await board.reload()).toEqual({ ok: true });
  expect(await board.call('hello')).toMatchObject({ ok: true });
});
