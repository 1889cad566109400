// Apps of MCP servers (MCP Apps) through a board, in a real browser: in the inspector's frame and in a host made with ext-apps.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type FrameLocator, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defineAgent, runAgent } from '../src/agent.ts';
import { toAiSdkTools } from '../src/ai-sdk.ts';
import { runCode } from '../src/code.ts';
import {
  type Board,
  defineTool,
  generatePrompt,
  toAnthropicTools,
  type Tool,
  ToolIndex,
  toOpenAITools,
  ToolRegistry,
} from '../src/index.ts';
import { startInspector } from '../src/inspector.ts';
import { toLangChainTools } from '../src/langchain.ts';
import { McpServer, serveHttp } from '../src/mcp.ts';
import { resultOf, TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { scriptedModel } from '../src/testing.ts';
import { findBrowser } from '../scripts/test-set-up/parts.ts';
import { needs } from './needs.test-helper.ts';
import { boardFolder, fixture, openFolder } from './upstream-boards.test-helper.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-apps-'));
const PAGE = 'ui://weather/forecast.html';

/** A board with the weather server and a tool and a note that no app of it may reach. */
async function openWeather(policy?: object, kind = 'kind'): Promise<Board> {
  const config = {
    name: 'desk',
    mcpServers: { weather: fixture('app-server.ts', kind) },
    tools: [{ name: 'vault', type: 'cli', description: 'Open the vault', command: 'echo gold' }],
    resources: [{ uri: 'note://secret', text: 'gold' }],
    ...(policy === undefined ? {} : { policy }),
  };
  return openFolder(boardFolder(config));
}

describe('apps', needs('browser'), () => {
  let browser: Browser;
  beforeAll(async () => {
    // In a process of its own: what is built for production leaves its mark on the process.
    const code = `import { buildPage } from './scripts/build-page.ts'; await buildPage(${JSON.stringify(folder)});`;
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, stdio: 'pipe' });
    browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function newPage(): Promise<Page> {
    const context = await browser.newContext();
    // A busy machine takes its time; the test's own limit ends what never comes.
    context.setDefaultTimeout(60_000);
    onTestFinished(() => context.close());
    return context.newPage();
  }

  /** Calls the tool with the app on the inspector's page, and gives the frame. */
  async function inspectForecast(board: Board): Promise<{ page: Page; app: FrameLocator; origin: string }> {
    const inspector = await startInspector(board, { page: folder });
    onTestFinished(() => inspector.close());
    const page = await newPage();
    await page.goto(inspector.url);
    await page.getByText('Live', { exact: true }).waitFor();
    const { origin } = new URL(inspector.url);
    await page.goto(`${origin}/#/tools/weather__forecast`);
    await page.getByRole('textbox').last().fill('Bern');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    return { page, app: page.frameLocator('iframe.app'), origin };
  }

  it("shows an app in the inspector and calls its server's tools as the app", async () => {
    const board = await openWeather();
    const { app } = await inspectForecast(board);
    await app.getByText('Sunny in Bern').waitFor();
    await app.getByRole('button', { name: 'Again' }).click();
    await app.getByText('Rain, asked 1 times').waitFor();
    const [call] = await board.calls.list({ tool: 'weather__refresh' });
    expect(call).toMatchObject({ outcome: 'ok', by: `app ${PAGE} in inspector` });
  });

  it('holds a hostile app in its frame: no key, no storage, no tool but its own', async () => {
    const board = await openWeather(undefined, 'hostile');
    const { page, app, origin } = await inspectForecast(board);
    await app.getByText('done: true').waitFor();
    const log = (await app.locator('#log').textContent()) ?? '';
    expect(log.trim().split('\n')).toEqual([
      'parent document: SecurityError',
      'parent storage: SecurityError',
      'own storage: SecurityError',
      'cookies: SecurityError',
      'address of the parent: SecurityError',
      'top: SecurityError',
      'popup: null',
      'origin: null',
      'fetch /api/board: TypeError',
      'fetch /api/tools/vault/call: TypeError',
      'fetch /: TypeError',
      'own tool: "Rain, asked 1 times"',
      'tool of the board: refused -32000',
      'tool for models: refused -32000',
      'finder: refused -32000',
      'other resource: refused -32000',
      'note of the board: refused -32000',
      'prototype: refused -32601',
      'link: refused -32601',
      'heard: []',
      'done: true',
    ]);
    expect(await board.calls.list({ tool: 'vault' })).toEqual([]);
    // The page shows the hosts that it was refused, and continues.
    const told = await page.getByRole('region', { name: 'App' }).innerText();
    expect(told).toContain('The app requested http://127.0.0.1:*, which is not allowed.');
    expect(told).toContain("The app requested https://a.example 'self', which is not allowed.");
    // Its document was sent once, and the policy kept it from leaving for another site.
    const src = await page.locator('iframe.app').getAttribute('src');
    expect((await fetch(`${origin}${src}`)).status).toBe(404);
    const refusal = page.waitForEvent('console', (message) => message.text().includes('https://evil.example'));
    await app.getByRole('button', { name: 'Leave' }).click();
    expect((await refusal).text()).toContain("frame-src 'self'");
    expect(page.url()).toBe(`${origin}/#/tools/weather__forecast`);
  });

  it('sends nothing by WebRTC, of which a content security policy says nothing', async () => {
    const socket = createSocket('udp4');
    onTestFinished(() => void socket.close());
    let packets = 0;
    socket.on('message', () => packets++);
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const board = await openWeather(undefined, `udp=${socket.address().port}`);
    const { app } = await inspectForecast(board);
    await app.getByText('complete').waitFor();
    expect(packets).toBe(0);
  });

  it('works in a host made with ext-apps, behind the board and under its policy', async () => {
    const board = await openWeather({ approval: { global: 'none' }, apps: { deny: ['weather__refresh'] } });
    const free = await openWeather();
    const hosts = await Promise.all([board, free].map((one) => startHost(one)));
    const shown: string[] = [];
    for (const address of hosts) {
      const page = await newPage();
      await page.goto(address);
      const app = page.frameLocator('iframe');
      await app.getByText('Sunny in Bern').waitFor();
      await app.getByRole('button', { name: 'Again' }).click();
      await app.locator('#shown:not(:text("Sunny"))').waitFor();
      shown.push((await app.locator('#shown').textContent()) ?? '');
    }
    expect(shown[0]).toContain('the rule apps.deny[0] ("weather__refresh") forbids it to apps');
    expect(shown[1]).toBe('Rain, asked 1 times');
    const [call] = await free.calls.list({ tool: 'weather__refresh' });
    expect(call).toMatchObject({ outcome: 'ok', by: `app ${PAGE} in MCP client` });
  });
});

describe('a tool that is for apps alone', () => {
  const schema = { type: 'object', properties: {} } as const;
  const make = (name: string, ui: object): Tool =>
    defineTool({ name, description: name, schema, _meta: { ui }, execute: () => name });
  const registry = new ToolRegistry().registerMany([
    make('show', { resourceUri: PAGE }),
    make('press', { visibility: ['app'] }),
  ]);
  const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

  it('is kept from models: exports, prompts, searches, agents, programs', async () => {
    const names = [
      toOpenAITools(registry).tools.map(({ function: { name } }) => name),
      toAnthropicTools(registry).tools.map(({ name }) => name),
      Object.keys(toAiSdkTools(registry)),
      toLangChainTools(registry).map(({ name }) => name),
      ToolIndex.from(registry)
        .search({})
        .map(({ name }) => name),
    ];
    expect(names).toEqual(names.map(() => ['show']));
    expect(generatePrompt(registry)).not.toContain('press');
    const model = scriptedModel([{ calls: [{ name: 'press', input: {} }] }, 'Done.']);
    const { messages } = await runAgent(defineAgent({ name: 'a', model, tools: 'all' }), 'x', { board: registry });
    expect(JSON.stringify(messages)).toContain(String.raw`There is no tool \"press\".`);
    const program = await runCode({ registry }, 'return await tools.press({})');
    expect(JSON.stringify(program)).toContain('press');
    expect(program).toMatchObject({ ok: false });
  });

  it.for(['classic', 'discovery'] as const)(
    'is listed for clients that show apps, and for no others (%s)',
    async (mode) => {
      const server = new McpServer(registry, { mode });
      onTestFinished(() => server.close());
      const client = new TestClient(server);
      const listed = async (capabilities: object): Promise<unknown[]> => {
        const { tools } = resultOf(await client.modern('tools/list', {}, { ...capabilities }));
        return (tools as { name: string }[]).map(({ name }) => name);
      };
      expect(await listed({})).not.toContain('press');
      expect(await listed(APPS)).toContain('press');
      const call = async (name: string, args: object, capabilities: object): Promise<unknown> =>
        resultOf(await client.modern('tools/call', { name, arguments: args }, { ...capabilities }));
      expect(await call('press', {}, {})).toMatchObject({ isError: true });
      expect(await call('press', {}, APPS)).toMatchObject({ content: [{ text: 'press' }] });
      // A model of that client has call_tool, which reaches no such tool.
      if (mode === 'discovery')
        expect(await call('call_tool', { name: 'press' }, APPS)).toMatchObject({ isError: true });
    },
  );
});

it('passes the page, the title, the icon and the _meta that a board file writes', async () => {
  const ui = { csp: { connectDomains: ['https://api.example.com'] } };
  const icon = 'https://example.com/a.png';
  const place = boardFolder({
    name: 'desk',
    tools: [
      {
        name: 'show',
        type: 'cli',
        title: 'Show it',
        icon,
        description: 'Show',
        command: 'echo',
        _meta: { ui: { resourceUri: 'ui://desk/page' }, 'example.com/rank': 3 },
      },
    ],
    resources: [{ uri: 'ui://desk/page', file: 'page.html', _meta: { ui } }],
  });
  writeFileSync(join(place, 'page.html'), '<p>Hello</p>');
  const server = new McpServer(await openFolder(place), { mode: 'classic' });
  onTestFinished(() => server.close());
  const client = new TestClient(server);
  const { tools } = resultOf(await client.modern('tools/list'));
  expect(tools).toContainEqual(
    expect.objectContaining({
      title: 'Show it',
      icons: [{ src: icon }],
      _meta: { ui: { resourceUri: 'ui://desk/page' }, 'example.com/rank': 3 },
    }),
  );
  const mimeType = 'text/html;profile=mcp-app';
  const { resources } = resultOf(await client.modern('resources/list'));
  expect(resources).toContainEqual({ uri: 'ui://desk/page', name: 'ui://desk/page', mimeType, _meta: { ui } });
  const { contents } = resultOf(await client.modern('resources/read', { uri: 'ui://desk/page' }));
  expect(contents).toEqual([{ uri: 'ui://desk/page', mimeType, text: '<p>Hello</p>', _meta: { ui } }]);
  expect(resultOf(await client.modern('server/discover'))['capabilities']).toMatchObject({
    extensions: { 'io.modelcontextprotocol/ui': {} },
  });
});

/** A page of another program that shows the app: the official client and AppBridge of ext-apps, over HTTP to the board. */
async function startHost(board: Board): Promise<string> {
  const served = await serveHttp(new McpServer(board), { port: 0, token: false });
  const entry = join(folder, `host-${served.port}.js`);
  writeFileSync(entry, hostCode(served.url));
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    cwd: root,
    resolve: { modules: [join(root, 'node_modules')] },
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const [{ code }] = output;
  const http = createServer(({ url }, response) => {
    const isScript = url === '/host.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? code : '<!doctype html><body><script type="module" src="/host.js"></script>');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    http.close();
    http.closeAllConnections();
    await served.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}

function hostCode(url: string): string {
  return `
import { AppBridge, getToolUiResourceUri, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions } });
await client.connect(new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)})));
const { tools } = await client.listTools();
const tool = tools.find(({ name }) => name === 'weather__forecast');
const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
const frame = Object.assign(document.createElement('iframe'), { sandbox: 'allow-scripts' });
document.body.append(frame);
const bridge = new AppBridge(client, { name: 'host', version: '1' }, { serverTools: {} });
const args = { city: 'Bern' };
bridge.oninitialized = async () => {
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(await client.callTool({ name: tool.name, arguments: args }));
};
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
frame.srcdoc = contents[0].text;
`;
}
