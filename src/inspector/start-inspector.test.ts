import { request as httpRequest } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ToolContext } from '../tool/tool-context.ts';
import { openBoard } from '../board/open-board.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { ApprovalInbox } from '../guard/approval/approval-inbox.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import type {
  ApprovalList,
  BoardOverview,
  CallAnswer,
  CallRecord,
  InspectorEvent,
  ToolDetail,
  ToolPage,
} from './api-types.ts';
import { type Inspector, type InspectorOptions, startInspector } from './start-inspector.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-inspector-'));
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BOARD = `
name: shop
description: What the shop can do
variables: { KEY: none }
tools:
  - name: stock
    type: cli
    description: Tell how much of an item there is
    command: [echo, "3 of"]
    risk: read
    category: goods
    args: [{ name: item, positional: true, required: true }]
  - name: order
    type: cli
    description: Order an item from the supplier, key \${SHOP_KEY}
    command: [echo, ordered, "\${SHOP_KEY}"]
    risk: write
    args: [{ name: item, positional: true, required: true }]
  - name: close_shop
    type: cli
    description: Close the shop for good
    command: [echo, closed]
    risk: destructive
    confirm_message: Close it for good?
policy:
  deny: [close_shop]
  approval: { global: write }
`;

interface Started {
  readonly inspector: Inspector;
  readonly inbox: ApprovalInbox;
  readonly board: Awaited<ReturnType<typeof openBoard>>;
}

async function start(options: InspectorOptions = {}): Promise<Started> {
  writeFileSync(join(folder, 'pegboard.yaml'), BOARD);
  const inbox = new ApprovalInbox();
  const env = { PATH: process.env['PATH'], SHOP_KEY: 'key-that-stays-hidden' };
  const board = await openBoard('pegboard.yaml', { cwd: folder, env, approve: inbox.ask });
  closing.push(() => board.close());
  const inspector = await startInspector(board, { inbox, ...options });
  closing.push(() => inspector.close());
  return { inspector, inbox, board };
}

/** Returns the status and body that the page would get. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each test knows what the answer is
async function ask<T>(
  { port, token }: Inspector,
  path: string,
  { body, headers = {}, signal }: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<{ status: number; body: T }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    signal: signal ?? null,
    ...(body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

/** `fetch` cannot send another Host. */
function askAs(
  port: number,
  path: string,
  headers: Record<string, string> | string[],
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject).end();
  });
}

const nextAsked = (inbox: ApprovalInbox): Promise<string> =>
  new Promise((resolve) => {
    const stop = inbox.on('asked', ({ id }) => {
      stop();
      resolve(id);
    });
  });

describe('access', () => {
  it('requires the exact token of the link', async () => {
    const { inspector } = await start();
    expect(inspector.url).toBe(`http://127.0.0.1:${inspector.port}/#token=${inspector.token}`);
    for (const authorization of ['', 'Bearer x', `Bearer ${inspector.token}x`, `Basic ${inspector.token}`]) {
      const { status, body } = await ask(inspector, '/api/board', { headers: { authorization } });
      expect([status, body]).toEqual([
        401,
        {
          error: {
            code: 'permission_denied',
            message: 'This needs the token of the printed link. Open that link; it is new at every start.',
          },
        },
      ]);
    }
    expect((await ask(inspector, '/api/board')).status).toBe(200);
    const { inspector: other } = await start();
    expect((await ask({ ...other, token: inspector.token }, '/api/board')).status).toBe(401);
  });

  it('refuses names that were pointed here, and pages of other sites', async () => {
    const { inspector } = await start();
    const { port, token } = inspector;
    const authorization = `Bearer ${token}`;
    const get = (host: string, origin?: string) =>
      askAs(port, '/api/board', { host, authorization, ...(origin === undefined ? {} : { origin }) });
    expect(await get('evil.example')).toMatchObject({
      status: 403,
      text: expect.stringContaining('The Host \\"evil.example\\" is not this machine.'),
    });
    expect((await get(`127.0.0.1:${port}@evil.example`)).status).toBe(403);
    const doubled = ['host', `127.0.0.1:${port}`, 'host', 'evil.example', 'authorization', authorization];
    expect(await askAs(port, '/api/board', doubled)).toMatchObject({
      status: 403,
      text: expect.stringContaining('The header \\"host\\" was sent more than once. Send it once.'),
    });
    expect((await get(`localhost:${port}`)).status).toBe(200);
    // Another page of this machine is not this page.
    for (const origin of [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
    ]) {
      expect([origin, (await get(`127.0.0.1:${port}`, origin)).status]).toEqual([origin, 403]);
    }
    expect((await get(`127.0.0.1:${port}`, `http://127.0.0.1:${port}`)).status).toBe(200);
    // The page itself too, but only under its own name.
    expect((await askAs(port, '/', { host: 'evil.example' })).status).toBe(403);
  });

  it('accepts JSON bodies up to a size', async () => {
    const { inspector } = await start({ maxBody: 200 });
    const path = '/api/tools/stock/call';
    const call = (body: unknown, headers = {}) =>
      ask<{ error: { message: string } }>(inspector, path, { body, headers });
    expect(await call({ args: { item: 'x'.repeat(300) } })).toMatchObject({
      status: 413,
      body: { error: { message: 'The body is larger than the limit of 200 bytes.' } },
    });
    expect((await call({}, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await call('{"args":')).toMatchObject({ status: 400 });
    expect(await call('[]')).toMatchObject({
      status: 400,
      body: { error: { message: 'The body must be a JSON object.' } },
    });
  });

  it('accepts bodies with as many values as a call may have, and reads no more of others', async () => {
    const { inspector } = await start();
    const args = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, 1]));
    expect(await ask(inspector, '/api/tools/stock/call', { body: { args } })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/^The message holds too many values: .* may hold 10,000/) } },
    });
  });

  it('keeps streams open for a hundred pages, and for another when one closes', async () => {
    const { inspector } = await start();
    const open = async (): Promise<{ status: number; stop: AbortController }> => {
      const stop = new AbortController();
      const headers = { authorization: `Bearer ${inspector.token}` };
      const { signal } = stop;
      const { status } = await fetch(`http://127.0.0.1:${inspector.port}/api/events`, { headers, signal });
      return { status, stop };
    };
    const pages = await Promise.all(Array.from({ length: 100 }, open));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await open()).status).toBe(503);
    pages[0]?.stop.abort();
    await expect.poll(async () => (await open()).status).toBe(200);
    for (const { stop } of pages) stop.abort();
  });

  it('forbids the browser everything from elsewhere', async () => {
    const page = join(folder, 'page');
    mkdirSync(join(page, 'assets'), { recursive: true });
    writeFileSync(join(page, 'index.html'), '<!doctype html>');
    writeFileSync(join(page, 'assets/a.js'), '1');
    writeFileSync(join(folder, 'secret.js'), 'secret');
    const { inspector } = await start({ page });
    const { headers, status } = await fetch(`http://127.0.0.1:${inspector.port}/`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect((await fetch(`http://127.0.0.1:${inspector.port}/assets/a.js`)).status).toBe(200);
    expect((await askAs(inspector.port, '/assets/../../secret.js', {})).status).toBe(404);
    expect((await askAs(inspector.port, '/..%2fsecret.js', {})).status).toBe(404);
  });
});

describe('the board', () => {
  it('shows its contents and cost, without secrets', async () => {
    const { inspector } = await start();
    const { body } = await ask<BoardOverview>(inspector, '/api/board');
    expect(body).toMatchObject({
      name: 'shop',
      toolCount: 2,
      sources: [{ name: 'shop', description: 'What the shop can do', toolCount: 2 }],
      groups: { category: [['goods', 1]] },
      hasApprovals: true,
    });
    expect(body.tokens.all).toBeGreaterThan(50);
    const { body: list } = await ask<ToolPage>(inspector, '/api/tools');
    expect(list.tools.map(({ name, risk, description }) => [name, risk, description])).toEqual([
      ['stock', 'read', 'Tell how much of an item there is'],
      ['order', 'write', 'Order an item from the supplier, key [redacted]'],
    ]);
  });

  it('finds tools by what they do, and by filters', async () => {
    const { inspector } = await start();
    const names = async (query: string) =>
      (await ask<ToolPage>(inspector, `/api/tools?${query}`)).body.tools.map(({ name }) => name);
    expect((await names('query=is+there+enough+of+it+in+stock'))[0]).toBe('stock');
    expect(await names('risk=write')).toEqual(['order']);
    expect(await names('category=goods&limit=5')).toEqual(['stock']);
    expect(await ask(inspector, '/api/tools?risk=wild')).toMatchObject({
      status: 400,
      body: { error: { message: 'risk must be one of: read, write, destructive; got "wild".' } },
    });
  });

  it('shows one tool, and similar names for an unknown one', async () => {
    const { inspector } = await start();
    expect((await ask<ToolDetail>(inspector, '/api/tools/stock')).body).toMatchObject({
      signature: 'stock(item (string))',
      risk: 'read',
      source: 'shop',
      kind: 'cli',
      inputSchema: { properties: { item: { type: 'string' } } },
    });
    expect(await ask(inspector, '/api/tools/stok')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: 'There is no tool "stok". Did you mean: stock?' } },
    });
    expect((await ask(inspector, '/api/nothing')).status).toBe(404);
    expect(await ask(inspector, '/api/board', { body: {} })).toMatchObject({ status: 405 });
  });

  it('inspects a registry without files', async () => {
    const registry = new ToolRegistry().register(
      defineTool({ name: 'add', description: 'Add.', schema: { type: 'object' }, execute: () => 3 }),
    );
    const inspector = await startInspector(registry);
    closing.push(() => inspector.close());
    expect((await ask<ToolPage>(inspector, '/api/tools')).body.tools).toMatchObject([{ name: 'add', source: 'code' }]);
    expect((await ask<CallAnswer>(inspector, '/api/tools/add/call', { body: {} })).body).toMatchObject({ text: '3' });
    expect(await ask(inspector, '/api/approvals/x', { body: { decision: 'allow' } })).toMatchObject({
      status: 404,
      body: { error: { message: 'Approvals are not answered here.' } },
    });
  });

  it('makes hidden characters of a description visible to people', async () => {
    const inbox = new ApprovalInbox();
    const registry = new ToolRegistry().register(
      defineTool({ name: 'x', description: 'Fine \u202Eelif eht', schema: { type: 'object' }, execute: () => 3 }),
    );
    const inspector = await startInspector(registry, { inbox });
    closing.push(() => inspector.close());
    const shown = String.raw`Fine \u202eelif eht`;
    expect((await ask<ToolPage>(inspector, '/api/tools')).body.tools).toMatchObject([{ description: shown }]);
    void inbox.ask({
      tool: 'x',
      description: 'Fine \u202Eelif eht',
      message: 'Call x?',
      risk: 'write',
      args: {},
      input: {},
      declared: [],
      callId: 'c1',
      context: new ToolContext(),
      signal: new AbortController().signal,
    });
    const { body } = await ask<ApprovalList>(inspector, '/api/approvals');
    expect(body.pending).toMatchObject([{ description: shown }]);
  });

  it('reports what uses its port', async () => {
    const { inspector } = await start();
    await expect(start({ port: inspector.port })).rejects.toThrow(
      `The inspector cannot listen on 127.0.0.1:${inspector.port}: the port is in use. Choose another port, or 0 for any free port.`,
    );
  });
});

describe('calls', () => {
  it('go through the pipeline and the policy, like all calls', async () => {
    const { inspector } = await start();
    const call = async (name: string, args?: unknown) =>
      (await ask<CallAnswer>(inspector, `/api/tools/${name}/call`, { body: { args } })).body;
    expect(await call('stock', { item: 'flour' })).toMatchObject({ ok: true, text: '3 of flour\n' });
    expect(await call('stock', {})).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', issues: [{ path: 'item', message: 'is required' }] },
    });
    expect(await ask(inspector, '/api/tools/close_shop/call', { body: {} })).toMatchObject({ status: 404 });
  });

  it('are listed with their callers, without secrets in arguments and results', async () => {
    const { inspector, inbox, board } = await start();
    const asked = nextAsked(inbox);
    const ordering = board.call('order', { item: 'key-that-stays-hidden' });
    inbox.answer(await asked, { allow: true });
    await ordering;
    await ask(inspector, '/api/tools/stock/call', { body: { args: { item: 'salt' } } });
    const { body } = await ask<{ calls: CallRecord[] }>(inspector, '/api/calls');
    expect(body.calls).toMatchObject([
      { tool: 'stock', caller: 'inspector', outcome: { ok: true, text: '3 of salt\n', length: 10 } },
      {
        tool: 'order',
        caller: 'code',
        args: '{\n  "item": "[redacted]"\n}',
        outcome: { ok: true, text: 'ordered [redacted] [redacted]\n' },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('that-stays-hidden');
  });

  it('hide passwords that a schema marks', async () => {
    const $defs = { login: { $anchor: 'login', properties: { pin: { type: 'string', writeOnly: true } } } };
    const schema = {
      type: 'object',
      properties: {
        user: { $ref: '#/$defs/login' },
        others: { type: 'array', items: { anyOf: [{ type: 'null' }, { $ref: '#login' }] } },
        keys: { additionalProperties: { type: 'string', format: 'password' } },
        note: { type: 'string' },
      },
      $defs,
    };
    const execute = (): string => 'done';
    const registry = new ToolRegistry().register(
      defineTool({ name: 'log_in', description: 'Logs in', schema, execute }),
    );
    const inspector = await startInspector(registry);
    closing.push(() => inspector.close());
    const args = { user: { pin: 'one' }, others: [null, { pin: 'two' }], keys: { a: 'three' }, note: 'seen' };
    expect((await registry.call('log_in', args)).ok).toBe(true);
    const { body } = await ask<{ calls: CallRecord[] }>(inspector, '/api/calls');
    expect(JSON.parse(body.calls[0]?.args ?? '')).toEqual({
      user: { pin: '[hidden]' },
      others: [null, { pin: '[hidden]' }],
      keys: { a: '[hidden]' },
      note: 'seen',
    });
  });

  it('are reported as they happen', async () => {
    const { inspector, inbox, board } = await start();
    const stop = new AbortController();
    const response = await fetch(`http://127.0.0.1:${inspector.port}/api/events`, {
      headers: { authorization: `Bearer ${inspector.token}` },
      signal: stop.signal,
    });
    const seen: InspectorEvent[] = [];
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const until = async (isEnough: (event: InspectorEvent) => boolean): Promise<void> => {
      while (!seen.some(isEnough)) {
        const text = (await reader?.read())?.value ?? '';
        for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) seen.push(JSON.parse(data) as InspectorEvent);
      }
    };
    const ordering = board.call('order', { item: 'salt' }, { callId: 'c9' });
    await until((event) => event.type === 'approvals' && event.approvals.pending.length === 1);
    // Descriptions may contain secrets too.
    expect(JSON.stringify(seen)).toContain('Order an item from the supplier, key [redacted]');
    await until((event) => event.type === 'calls' && event.calls.some(({ outcome }) => outcome === undefined));
    inbox.answer(inbox.pending()[0]?.id ?? '', { allow: false, reason: 'Too dear.' });
    await ordering;
    await until((event) => event.type === 'approvals' && event.approvals.settled[0]?.outcome === 'denied');
    await until(
      (event) =>
        event.type === 'calls' && event.calls.some(({ callId, outcome }) => callId === 'c9' && outcome?.ok === false),
    );
    await board.reload();
    board.registry.remove('stock');
    await until(({ type }) => type === 'board');
    stop.abort();
  });

  it('are cancelled when the page disconnects', async () => {
    const registry = new ToolRegistry();
    const started = Promise.withResolvers<AbortSignal>();
    registry.register(
      defineTool({
        name: 'wait',
        description: 'Wait.',
        schema: { type: 'object' },
        execute: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('gone')));
            started.resolve(signal);
          }),
      }),
    );
    const inspector = await startInspector(registry);
    closing.push(() => inspector.close());
    const leave = new AbortController();
    const call = ask(inspector, '/api/tools/wait/call', { body: {}, signal: leave.signal });
    const signal = await started.promise;
    const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
    leave.abort();
    await expect(call).rejects.toThrow();
    await ended;
    expect((await ask<{ calls: CallRecord[] }>(inspector, '/api/calls')).body.calls).toMatchObject([
      { outcome: { error: { code: 'cancelled' } } },
    ]);
  });
});

describe('approvals', () => {
  it('wait with everything needed to answer, complete arguments without secrets', async () => {
    const { inspector, inbox, board } = await start();
    const asked = nextAsked(inbox);
    const item = `${'long '.repeat(100)}key-that-stays-hidden\u202E end`;
    const ordering = board.call('order', { item }, { callId: 'c1' });
    const id = await asked;
    const { body } = await ask<ApprovalList>(inspector, '/api/approvals');
    expect(body.pending).toMatchObject([
      { id, tool: 'order', risk: 'write', caller: 'code', callId: 'c1', since: expect.any(Number) },
    ]);
    expect(body.pending[0]?.args).toBe(`item: "${'long '.repeat(100)}[redacted]\\u202e end"`);
    expect(await ask(inspector, `/api/approvals/${id}`, { body: { decision: 'allow' } })).toEqual({
      status: 200,
      body: { id, outcome: 'allowed' },
    });
    expect((await ordering).ok).toBe(true);
  });

  it('pass the reason of a denial to the caller', async () => {
    const { inspector, inbox, board } = await start();
    const asked = nextAsked(inbox);
    const ordering = board.call('order', { item: 'salt' });
    await ask(inspector, `/api/approvals/${await asked}`, { body: { decision: 'deny', reason: 'We have enough.' } });
    expect((await ordering).text).toBe(
      'The user was asked about this call of "order" and did not allow it: "We have enough." Do not repeat it as it is: follow the reason given, or ask the user what to do instead.',
    );
  });

  it('are answered once, and only with valid answers', async () => {
    const { inspector, inbox, board } = await start();
    const asked = nextAsked(inbox);
    const ordering = board.call('order', { item: 'salt' });
    const id = await asked;
    const answer = (body: unknown, to = id) =>
      ask<{ error: { message: string } }>(inspector, `/api/approvals/${to}`, { body });
    expect(await answer({ decision: 'maybe' })).toMatchObject({
      status: 400,
      body: { error: { message: 'decision must be one of: allow, deny; got "maybe".' } },
    });
    expect((await answer({ decision: 'deny', reason: 7 })).status).toBe(400);
    expect((await answer({ decision: 'deny' })).status).toBe(200);
    expect(await answer({ decision: 'allow' })).toMatchObject({
      status: 409,
      body: {
        error: {
          message: expect.stringMatching(
            /^The approval "\w+" \(a call of "order"\) was answered already: inspector denied it at \S+\. The first answer counts\.$/,
          ),
        },
      },
    });
    expect(await answer({ decision: 'allow' }, 'nothing')).toMatchObject({ status: 404 });
    expect((await ordering).error?.code).toBe('permission_denied');
  });

  it('that cannot be shown end neither the process nor the event stream', async () => {
    const { inspector, inbox, board } = await start();
    const response = await fetch(`http://127.0.0.1:${inspector.port}/api/events`, {
      headers: { authorization: `Bearer ${inspector.token}` },
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const common = { tool: 'own', description: 'D', risk: 'write', message: 'M', callId: 'c', declared: [] } as const;
    const { signal } = new AbortController();
    // Values that JSON cannot represent may come from a user's own code.
    void inbox.ask({ ...common, input: { big: 1n }, context: new ToolContext(), signal } as never);
    // The second call is reported after the list of approvals was due.
    for (const callId of ['c1', 'c2']) {
      await board.call('stock', { item: 'salt' }, { callId });
      let text = '';
      while (!text.includes(`"callId":"${callId}"`)) text += (await reader?.read())?.value ?? '';
    }
    expect((await ask(inspector, '/api/approvals')).status).toBe(500);
    await reader?.cancel();
  });

  it('are closed when the call is cancelled', async () => {
    const { inspector, inbox, board } = await start();
    const [asked, stop] = [nextAsked(inbox), new AbortController()];
    const ordering = board.call('order', { item: 'salt' }, { signal: stop.signal });
    const id = await asked;
    stop.abort();
    expect((await ordering).error?.code).toBe('cancelled');
    expect((await ask<ApprovalList>(inspector, '/api/approvals')).body).toMatchObject({
      pending: [],
      settled: expect.arrayContaining([expect.objectContaining({ id, outcome: 'ended' })]),
    });
    expect((await ask(inspector, `/api/approvals/${id}`, { body: { decision: 'allow' } })).status).toBe(409);
  });

  it('of another process are listed as they arrive, and can be allowed permanently or with other arguments', async () => {
    const { inspector } = await start();
    const other = await openBoard('pegboard.yaml', { cwd: folder, env: { SHOP_KEY: 'key-that-stays-hidden' } });
    closing.push(() => other.close());
    const stop = new AbortController();
    const stream = await fetch(`http://127.0.0.1:${inspector.port}/api/events`, {
      headers: { authorization: `Bearer ${inspector.token}` },
      signal: stop.signal,
    });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const approval = { key: 'k', defer: true };
    const { error } = await other.call('order', { item: 'salt' }, { approval });
    const id = error?.approvalId ?? '';
    let told = '';
    while (!told.includes(id)) told += (await reader?.read())?.value ?? '';
    stop.abort();
    const { body } = await ask<ApprovalList>(inspector, '/api/approvals');
    expect(body.pending).toMatchObject([{ id, isKept: true, input: expect.stringContaining('"salt"') }]);
    expect(await ask(inspector, `/api/approvals/${id}/line?scope=tool`)).toEqual({
      status: 200,
      body: {
        files: ['pegboard.yaml'],
        text: expect.stringMatching(/^- \{tool: order, risk: write, definition: sha256-[\w-]+\}$/),
      },
    });
    expect((await ask(inspector, `/api/approvals/${id}/line?scope=all`)).status).toBe(400);
    expect(
      (await ask(inspector, `/api/approvals/${id}`, { body: { decision: 'allow', args: { item: 7 } } })).status,
    ).toBe(400);
    const edited = { decision: 'allow', args: { item: 'pepper' } };
    expect((await ask(inspector, `/api/approvals/${id}`, { body: edited })).status).toBe(200);
    expect((await other.call('order', { item: 'salt' }, { approval })).meta.approval).toMatchObject({
      by: 'inspector',
      edited: true,
    });
  });

  it('are refused when the inspector closes', async () => {
    const { inspector, inbox, board } = await start();
    const asked = nextAsked(inbox);
    const ordering = board.call('order', { item: 'salt' });
    await asked;
    await inspector.close();
    expect((await ordering).error).toMatchObject({
      code: 'permission_denied',
      reason: 'No one answered before the approvals were closed.',
    });
    await expect(fetch(inspector.url)).rejects.toThrow();
  });
});
