// The inspector's page in a real browser: approvals of an agent, calls by form, nothing but text from tools.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runCode } from '../src/code.ts';
import { defineAgent, runAgent } from '../src/agent.ts';
import { defineTool, openBoard, ToolRegistry, ToolResult } from '../src/index.ts';
import { ApprovalInbox, firstAnswer, type Inspector, startInspector } from '../src/inspector.ts';
import { scriptedModel } from '../src/testing.ts';
import { findBrowser } from '../scripts/test-set-up/parts.ts';
import { fixtureFile } from './cli-program.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-page-'));

const HOSTILE = '<img src=x onerror="document.title=1"> <script>document.title=2</script>';

describe('the page', needs('browser'), () => {
  let browser: Browser;
  let page: Page;
  let inspector: Inspector;
  let inbox: ApprovalInbox;
  let ran: string[];
  const faults: string[] = [];

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
  afterEach(async () => {
    await page.context().close();
    await inspector.close();
    // Faults that the browser reported in any of the stories.
    const seen = faults.splice(0);
    if (seen.length > 0) throw new Error(`The browser complained:\n${seen.join('\n')}`);
  });

  const registry = new ToolRegistry().registerMany([
    defineTool({
      name: 'drop',
      description: 'Drop a table.',
      risk: 'destructive',
      schema: z.object({ table: z.string() }),
      execute: ({ table }) => {
        ran.push(table);
        return `Dropped ${table}.`;
      },
    }),
    defineTool({
      name: 'greet',
      description: 'Greet people.',
      risk: 'read',
      category: 'words',
      schema: z.object({
        names: z.array(z.string()).min(1).describe('Who to greet'),
        times: z.int().max(3).default(1),
        style: z.enum(['kind', 'short']).optional(),
      }),
      execute: ({ names, times, style }) => ({ said: `Hello ${names.join(' and ')}`, times, style: style ?? 'none' }),
    }),
    defineTool({
      name: 'hostile',
      description: HOSTILE,
      risk: 'read',
      schema: z.object({}),
      execute: () => HOSTILE,
    }),
  ]);

  async function open(path = '', board: Parameters<typeof startInspector>[0] = registry): Promise<void> {
    ran = [];
    inbox = new ApprovalInbox();
    inspector = await startInspector(board, { inbox, page: folder });
    const context = await browser.newContext();
    // A busy machine takes its time; the test's own limit ends what never comes.
    context.setDefaultTimeout(180_000);
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(inspector.url);
    await page.getByText('Live', { exact: true }).waitFor();
    if (path !== '') await page.goto(`${new URL(inspector.url).origin}/${path}`);
  }

  const agentDrops = (tables: readonly string[]) => {
    const model = scriptedModel([{ calls: tables.map((table) => ({ name: 'drop', input: { table } })) }, 'All done.']);
    const helper = defineAgent({ name: 'helper', model, approval: 'write' });
    return { model, run: runAgent(helper, 'Tidy up', { board: registry, approve: inbox.ask }) };
  };

  it('shows a call that waits, and lets it go on with a click', async () => {
    await open();
    const { run } = agentDrops(['orders']);
    // Wherever the person is, the badge and the title tell.
    await page.getByRole('status', { name: '1 waiting' }).waitFor();
    expect(await page.title()).toBe('(1) tools · inspector');
    await page.getByRole('link', { name: 'Approvals' }).click();
    const card = page.getByRole('article', { name: 'drop' });
    const words = await card.innerText();
    for (const part of ['destructive', 'agent helper', 'Drop a table.', 'table: "orders"'])
      expect(words).toContain(part);
    expect(ran).toEqual([]);
    await card.getByRole('button', { name: 'Allow once' }).click();
    expect(await run).toMatchObject({ ok: true, text: 'All done.' });
    expect(ran).toEqual(['orders']);
    await page.getByText('No call waits for approval').waitFor();
    await page.getByText('Allowed').waitFor();
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.getByText('agent helper').click();
    await page.getByText('Dropped orders.').waitFor();
  });

  it('shows a program with its calls as a tree', async () => {
    await open('#/calls');
    const code = `const said = await Promise.all(['Ada', 'Bob'].map((name) => tools.greet({ names: [name] }))); return said.length`;
    expect(await runCode(registry, code)).toMatchObject({ ok: true, value: 2 });
    const program = page.getByRole('listitem').filter({ has: page.getByText('run_code', { exact: true }) });
    const calls = program.getByRole('listitem');
    await expect.poll(() => calls.count()).toBe(2);
    const [first = '', second = ''] = await calls.allInnerTexts();
    expect(first).toMatch(/^greet[^]*Ada/);
    expect(second).toMatch(/^greet[^]*Bob/);
    // A filter lists what fits by itself.
    await page.getByRole('searchbox').fill('greet');
    await expect.poll(() => program.count()).toBe(0);
    expect(await page.getByRole('listitem').count()).toBe(2);
  });

  it('tells the model why the person said no', async () => {
    await open('#/approvals');
    const { model, run } = agentDrops(['orders', 'customers']);
    const first = page.getByRole('article').filter({ hasText: '"customers"' });
    await first.getByLabel('Reason for denying').fill('We still need the customers.');
    await first.getByLabel('Reason for denying').press('Enter');
    await first.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Allow once' }).click();
    await run;
    expect(ran).toEqual(['orders']);
    expect(model.requests[1]?.results.map(({ text }) => text)).toEqual([
      'Dropped orders.',
      'The user was asked about this call of "drop" and did not allow it: "We still need the customers." Do not repeat it as it is: follow the reason given, or ask the user what to do instead.',
    ]);
    await page.getByText('Denied').click();
    await page.getByText('“We still need the customers.”').waitFor();
  });

  it('drops a question that was answered elsewhere first', async () => {
    await open('#/approvals');
    const terminal = new ApprovalInbox();
    const model = scriptedModel([{ calls: [{ name: 'drop', input: { table: 'a' } }] }, 'Done.']);
    const approve = firstAnswer([terminal.ask, inbox.ask]);
    const run = runAgent(defineAgent({ name: 'h', model, approval: 'write' }), 'Go', { board: registry, approve });
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    terminal.answer(terminal.pending()[0]?.id ?? '', { allow: true });
    await run;
    await page.getByText('Not answered here').waitFor();
    expect(ran).toEqual(['a']);
  });

  it('answers calls of another process: with other arguments, or for good after showing the line', async () => {
    const home = mkdtempSync(join(folder, 'board-'));
    const file = join(home, 'pegboard.yaml');
    writeFileSync(file, 'name: desk\npolicy:\n  approval: {} # ask\n');
    const drop = registry.get('drop');
    const options = { cwd: home, tools: drop === undefined ? [] : [drop] };
    const [board, other] = await Promise.all([openBoard(file, options), openBoard(file, options)]);
    try {
      const call = (table: string) => other.call('drop', { table }, { approval: { key: table, defer: true } });
      await open('#/approvals', board);
      await call('users');
      const card = page.getByRole('article');
      await card.getByRole('button', { name: 'Edit arguments…' }).click();
      await card.getByRole('textbox', { name: 'Arguments of drop to run with, as JSON' }).fill('{"table":"logs"}');
      await card.getByRole('button', { name: 'Allow with these' }).click();
      await page.getByText('Allowed', { exact: true }).waitFor();
      expect((await call('users')).text).toContain('Dropped logs.');
      await call('tmp');
      await card.getByRole('button', { name: 'Always these arguments…' }).click();
      await card.getByText(/^- \{tool: drop, args: \{table: tmp\}, risk: destructive, definition: sha256-/).waitFor();
      expect(readFileSync(file, 'utf8')).not.toContain('tmp');
      await card.getByRole('button', { name: 'Add the line and allow' }).click();
      await card.waitFor({ state: 'detached' });
      expect(readFileSync(file, 'utf8')).toContain('  approval: {} # ask\n  approved:\n');
      expect((await call('tmp')).text).toBe('Dropped tmp.');
    } finally {
      await board.close();
      await other.close();
    }
  });

  it('finds a tool and calls it by its form, with nothing but a keyboard', async () => {
    await open();
    await page.keyboard.press('/');
    await page.keyboard.type('say hello to people');
    await page.getByRole('link', { name: /^greet/ }).waitFor();
    await page.getByRole('link', { name: /^drop/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add to names' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Entry names.0').fill('Ada');
    await page.getByLabel('times').fill('4');
    await page.getByLabel('style').selectOption('short');
    await page.keyboard.press('Control+Enter');
    // The board's complaint stands at the field.
    await page.locator('.field', { hasText: 'times' }).getByRole('alert').waitFor();
    await page.getByLabel('times').fill('2');
    await page.keyboard.press('Control+Enter');
    const result = page.getByRole('region', { name: 'Result' }).first();
    await result.getByText('"said": "Hello Ada"').waitFor();
    expect(await result.innerText()).toContain('"style": "short"');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    expect(JSON.parse(await page.getByLabel('Arguments as JSON').inputValue())).toEqual({
      names: ['Ada'],
      times: 2,
      style: 'short',
    });
  });

  it('shows what tools say as text, markup included', async () => {
    await open('#/tools/hostile');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' }).first();
    await result.getByText(HOSTILE).waitFor();
    expect(await page.getByText(HOSTILE).count()).toBeGreaterThan(1);
    expect(await page.title()).toBe('tools · inspector');
  });

  it('hears of tools that come and go, and keeps its key over a reload but not in the address', async () => {
    await open();
    expect(page.url()).toBe(`http://127.0.0.1:${inspector.port}/#/tools`);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    const extra = { name: 'newcomer', description: 'Just here.', schema: z.object({}), execute: () => 1 };
    registry.register(defineTool(extra));
    await page.getByText('Just here.').waitFor();
    registry.remove('newcomer');
    await page.getByText('Just here.').waitFor({ state: 'detached' });
    const stranger = await browser.newPage();
    await stranger.goto(`http://127.0.0.1:${inspector.port}/`);
    await stranger.getByText('This page needs its link').waitFor();
    await stranger.close();
  });

  it('shows every tool of a large board, a part at a time', async () => {
    const many = new ToolRegistry().registerMany(
      Array.from({ length: 650 }, (_, index) =>
        defineTool({ name: `tool_${index}`, description: 'Counts.', schema: z.object({}), execute: () => 1 }),
      ),
    );
    await open('', many);
    for (const shown of [200, 400, 600]) {
      await page.getByRole('button', { name: `Show more: ${shown} of 650 tools` }).click();
    }
    await page.getByRole('link', { name: /^tool_649/ }).waitFor();
    expect(await page.getByRole('link', { name: /^tool_/ }).count()).toBe(650);
    expect(await page.getByRole('button', { name: /^Show more/ }).count()).toBe(0);
    // A change of the board reads again what was shown, all of it.
    many.remove('tool_0');
    await page.getByText('tool_0', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: /^tool_/ }).count()).toBe(649);
  });

  it('shows pictures in their size, sounds, files, texts and links of a result', async () => {
    const dot =
      'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';
    const board = new ToolRegistry().register(
      defineTool({
        name: 'gather',
        description: 'Gather all kinds of content.',
        schema: z.object({}),
        execute: () =>
          ToolResult.text('Here it is.').with({
            content: [
              { type: 'text', text: 'Here it is.' },
              { type: 'image', mimeType: 'image/png', data: dot },
              {
                type: 'audio',
                mimeType: 'audio/wav',
                data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
              },
              { type: 'resource_link', uri: 'file:///notes/a.md', name: 'Notes', description: 'All of them' },
              { type: 'resource', resource: { uri: 'note://1', text: 'Buy flour.', mimeType: 'text/plain' } },
              {
                type: 'resource',
                resource: { uri: 'file:///x/report.pdf', blob: 'JVBERg==', mimeType: 'application/pdf' },
              },
            ],
          }),
      }),
    );
    await open('#/tools/gather', board);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' }).first();
    await result.getByText('Here it is.').waitFor();
    expect(await result.getByRole('img').boundingBox()).toMatchObject({ width: 10, height: 10 });
    expect(await result.locator('audio').getAttribute('src')).toMatch(/^data:audio\/wav;base64,UklG/);
    const words = await result.innerText();
    for (const part of ['Notes file:///notes/a.md', 'All of them', 'Buy flour.', 'application/pdf, 4 bytes'])
      expect(words).toContain(part);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      result.getByRole('link', { name: 'Save file:///x/report.pdf' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('report.pdf');
  });

  it('opens a tool in a tab of its own', async () => {
    await open();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: /^greet/ }).click({ modifiers: ['Control'] });
    const tab = await opened;
    await tab.getByRole('heading', { name: 'greet' }).waitFor();
    expect(tab.url()).toBe(`http://127.0.0.1:${inspector.port}/#/tools/greet`);
  });

  it('keeps what it has shown when the board goes away, and tells when another one took its place', async () => {
    await open('#/calls');
    await registry.call('greet', { names: ['Ada'] });
    await page.getByText('greet', { exact: true }).waitFor();
    const { port } = inspector;
    await inspector.close();
    await page.getByText('this page shows its last state').waitFor();
    expect(await page.getByText('greet', { exact: true }).count()).toBe(1);
    expect(await page.getByText('No calls yet').count()).toBe(0);
    inspector = await startInspector(registry, { port, page: folder });
    await page.getByText('The board was restarted').waitFor();
    expect(await page.getByText('greet', { exact: true }).count()).toBe(1);
    // The browser tells of every request that failed meanwhile.
    expect(faults.splice(0).filter((fault) => !/ERR_CONNECTION_REFUSED|401/.test(fault))).toEqual([]);
  });

  it('tells that a changed config cannot be loaded, until it can', async () => {
    const place = mkdtempSync(join(tmpdir(), 'pegboard-reload-'));
    const file = join(place, 'pegboard.yaml');
    const good = 'tools:\n  - { name: one, type: cli, description: One, command: [echo, "1"], risk: read }\n';
    writeFileSync(file, good);
    const board = await openBoard(file, { data: join(place, 'data') });
    try {
      await open('', board);
      writeFileSync(file, `${good}  - { name: two, typ: cli }\n`);
      expect((await board.reload()).ok).toBe(false);
      await page.getByText('The board is unchanged.').waitFor();
      await page.getByText('Is "typ" a misspelling of "type"?').waitFor();
      writeFileSync(file, good);
      expect((await board.reload()).ok).toBe(true);
      await page.getByText('The board is unchanged.').waitFor({ state: 'detached' });
    } finally {
      await board.close();
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('puts what a server asks to the person who made the call', async () => {
    const place = mkdtempSync(join(tmpdir(), 'pegboard-asks-'));
    const server = fixtureFile('modern-server');
    const mcpServers = { modern: { command: process.execPath, args: [server] } };
    writeFileSync(join(place, 'pegboard.yaml'), JSON.stringify({ name: 'asks', mcpServers }));
    const board = await openBoard(join(place, 'pegboard.yaml'), { data: join(place, 'data'), eager: true });
    try {
      await open('#/tools/modern__paint', board);
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      const card = page.getByRole('article', { name: 'The server “modern” asks, in a call of modern__paint' });
      await card.getByLabel('colour').fill('teal');
      await card.getByRole('button', { name: 'Send to the server' }).click();
      await page.getByText('painted teal').waitFor();
      await card.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      // This server asks again after a no; a call that is cancelled takes its question along.
      const first = await card.getAttribute('aria-labelledby');
      await card.getByRole('button', { name: 'Decline' }).click();
      await page.locator(`article:not([aria-labelledby="${first}"])`).waitFor();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await card.waitFor({ state: 'detached' });
    } finally {
      await board.close();
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('hides passwords while they are typed, and in the list of calls', async () => {
    const board = new ToolRegistry().register(
      defineTool({
        name: 'sign_in',
        description: 'Sign in.',
        schema: {
          type: 'object',
          properties: { user: { type: 'string' }, pin: { type: 'string', format: 'password' } },
          required: ['user', 'pin'],
        },
        execute: ({ user }: { user: string }) => `Signed in ${user}.`,
      }),
    );
    await open('#/tools/sign_in', board);
    expect(await page.getByLabel('pin').getAttribute('type')).toBe('password');
    await page.getByLabel('user').fill('ada');
    await page.getByLabel('pin').fill('open-sesame');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('Signed in ada.').waitFor();
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.getByText('sign_in', { exact: true }).click();
    await page.getByText('"pin": "[hidden]"').last().waitFor();
    expect(await page.getByText('open-sesame').count()).toBe(0);
  });
});
