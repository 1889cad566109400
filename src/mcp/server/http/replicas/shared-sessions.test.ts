import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../../../board/registry/tool-registry.ts';
import type { BoardStore } from '../../../../platform/store/board-store.ts';
import { openBoardStore } from '../../../../platform/store/open-board-store.ts';
import { defineTool } from '../../../../tool/define/define-tool.ts';
import { peerOf } from '../../peer.ts';
import { McpServer } from '../../mcp-server.ts';
import type { HttpOptions } from '../http-options.ts';
import { type HttpServer, serveHttp } from '../serve-http.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-replicas-'));
});
const open: { http: HttpServer; store: BoardStore }[] = [];
afterEach(async () => {
  for (const { http, store } of open.splice(0)) {
    await http.close();
    await store.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

const NOTHING = { type: 'object', properties: {} } as const;

/** A process that serves the board: another store object on the same file, as another process would have. */
async function start(options: HttpOptions = { token: false }) {
  const registry = new ToolRegistry();
  let report: (text: string) => void = () => {};
  let finish: (text: string) => void = () => {};
  const aborted = vi.fn<() => void>();
  registry.registerMany([
    defineTool({ name: 'hello', description: 'Greets', schema: NOTHING, execute: () => 'Hello.' }),
    defineTool({
      name: 'work',
      description: 'Works',
      schema: NOTHING,
      execute: (_input, context) => {
        report = (text) => context.log.info(text);
        context.signal.addEventListener('abort', () => aborted());
        report('begun');
        return new Promise<string>((resolve) => (finish = resolve));
      },
    }),
    defineTool({
      name: 'ask',
      description: 'Asks',
      schema: NOTHING,
      execute: async (_input, context) => {
        const request = {
          method: 'elicitation/create',
          params: { message: 'Name?', requestedSchema: NOTHING },
        } as const;
        return JSON.stringify(await peerOf(context)?.ask({ name: request }));
      },
    }),
  ]);
  const store = openBoardStore({ folder });
  const server = new McpServer({ registry, store });
  const http = await serveHttp(server, { port: 0, grace: 50, ...options });
  open.push({ http, store });
  const { url } = http;
  return {
    url,
    http,
    server,
    store,
    aborted,
    report: (text: string) => report(text),
    finish: (text: string) => finish(text),
  };
}

function post(url: string, message: object, headers: object = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return fetch(url, { method: 'POST', headers: all, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}

async function openSession(url: string, headers: object = {}): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } };
  const response = await post(url, { id: 0, method: 'initialize', params }, headers);
  await response.text();
  return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

interface Heard {
  readonly id: string;
  readonly message: Record<string, unknown> | undefined;
}

/** Gives events one by one as they come. */
async function* hear(response: Response): AsyncGenerator<Heard, void> {
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts.filter((one) => !one.startsWith(':'))) {
      const data = /^data:(.*)$/m.exec(part)?.[1]?.trim() ?? '';
      yield { id: /^id: (.*)$/m.exec(part)?.[1] ?? '', message: data === '' ? undefined : JSON.parse(data) };
    }
  }
}

const call = (name: string, id = 7) => ({ id, method: 'tools/call', params: { name } });
const next = async (events: AsyncGenerator<Heard, void>): Promise<Heard | undefined> =>
  (await events.next()).value ?? undefined;

describe('a session that another process opened', () => {
  it('is served here, and ends everywhere', async () => {
    const [one, other] = [await start(), await start()];
    const session = await openSession(one.url);
    const answer = await (await post(other.url, call('hello'), session)).json();
    expect(answer).toMatchObject({ id: 7, result: { content: [{ text: 'Hello.' }] } });
    expect((await fetch(other.url, { method: 'DELETE', headers: session })).status).toBe(204);
    await expect.poll(async () => (await post(one.url, call('hello'), session)).status).toBe(404);
    expect((await post(other.url, call('hello'), session)).status).toBe(404);
    expect((await post(other.url, call('hello'), { 'mcp-session-id': 'x'.repeat(500) })).status).toBe(404);
  });

  it('outlives the process that opened it', async () => {
    const one = await start();
    const session = await openSession(one.url);
    await one.http.close();
    const other = await start();
    expect(await (await post(other.url, call('hello'), session)).json()).toMatchObject({ id: 7 });
  });

  it('is not there for another caller', async () => {
    const token = (name: string) => ({ token: name.repeat(16) });
    const [one, other] = [await start(token('a')), await start(token('b'))];
    const session = await openSession(one.url, { authorization: `Bearer ${'a'.repeat(16)}` });
    const theirs = { ...session, authorization: `Bearer ${'b'.repeat(16)}` };
    expect((await post(other.url, call('hello'), theirs)).status).toBe(404);
    const anonymous = await start();
    expect((await post(anonymous.url, call('hello'), session)).status).toBe(404);
  });

  it('shows in the store neither its id nor what it says', async () => {
    const one = await start();
    const session = await openSession(one.url);
    const events = hear(await post(one.url, call('work'), session));
    await next(events);
    one.report('wonderful');
    one.finish('Done.');
    for await (const _ of events);
    await expect.poll(async () => (await one.store.status()).spaces['mcp-streams']).toBe(1);
    const kept = JSON.stringify([
      await one.store.space('mcp-sessions').entries(),
      await one.store.space('mcp-streams').entries(),
    ]);
    expect(kept).not.toContain(session['mcp-session-id']);
    expect(kept).not.toContain('wonderful');
  });

  it('keeps what a request changed for all processes', async () => {
    const [one, other] = [await start(), await start()];
    const session = await openSession(one.url);
    await post(other.url, call('hello'), session);
    const subscribe = (url: string, uri: string) =>
      post(url, { id: 8, method: 'resources/subscribe', params: { uri } }, session);
    await Promise.all([subscribe(one.url, 'a://1'), subscribe(other.url, 'a://2')]);
    const listening = hear(await fetch(other.url, { headers: session }));
    await next(listening);
    const told = next(listening);
    // Told again until the process has heard of it.
    const timer = setInterval(() => other.server.resourceUpdated('a://1'), 20);
    expect((await told)?.message).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'a://1' },
    });
    clearInterval(timer);
    await listening.return();
  });
});

describe('a call of a shared session', () => {
  it('is gone on with at another process, from the last event that was heard to its end', async () => {
    const [one, other] = [await start(), await start()];
    const session = await openSession(one.url);
    const first = await next(hear(await post(one.url, call('work'), session)));
    one.report('second');
    const resumed = hear(await fetch(other.url, { headers: { ...session, 'last-event-id': first?.id ?? '' } }));
    const second = await next(resumed);
    expect(JSON.stringify(second)).toContain('second');
    one.report('third');
    expect(JSON.stringify(await next(resumed))).toContain('third');
    one.finish('Done.');
    const last = await next(resumed);
    expect(last?.message).toMatchObject({ id: 7, result: { content: [{ text: 'Done.' }] } });
    expect(await next(resumed)).toBeUndefined();
    // A connection may break after everything was sent.
    const again = hear(await fetch(other.url, { headers: { ...session, 'last-event-id': second?.id ?? '' } }));
    expect(JSON.stringify(await next(again))).toContain('third');
    expect((await next(again))?.message).toEqual(last?.message);
    const unknown = await fetch(other.url, { headers: { ...session, 'last-event-id': `${'0'.repeat(12)}.9-1` } });
    expect(unknown.status).toBe(400);
    // The outcome of a call of a dead process is not known: the client is not told to repeat it.
    expect(JSON.stringify(await unknown.json())).toContain('The call may have had effects');
  });

  it('gets the answer to its question that was sent to another process', async () => {
    const [one, other] = [await start(), await start()];
    const session = await openSession(one.url);
    const events = hear(await post(one.url, call('ask'), session));
    const question = await next(events);
    const result = { action: 'accept', content: { name: 'Ada' } };
    const forged = await openSession(other.url);
    // The same id in another session is no answer to it.
    await post(other.url, { id: question?.message?.['id'], result: { action: 'decline' } }, forged);
    expect((await post(other.url, { id: question?.message?.['id'], result }, session)).status).toBe(202);
    expect(JSON.stringify((await next(events))?.message)).toContain('Ada');
  });

  it('is cancelled through another process', async () => {
    const [one, other] = [await start(), await start()];
    const session = await openSession(one.url);
    const events = hear(await post(one.url, call('work'), session));
    await next(events);
    await post(other.url, { method: 'notifications/cancelled', params: { requestId: 99 } }, session);
    await post(other.url, { method: 'notifications/cancelled', params: { requestId: 7 } }, session);
    await vi.waitFor(() => expect(one.aborted).toHaveBeenCalledTimes(1));
    expect(await next(events)).toBeUndefined();
  });

  it('ends for its client with the reason when its process stops, also at another process', async () => {
    const [one, other] = [await start(), await start()];
    const session = await openSession(one.url);
    const first = await next(hear(await post(one.url, call('work'), session)));
    const resumed = hear(await fetch(other.url, { headers: { ...session, 'last-event-id': first?.id ?? '' } }));
    await one.http.close();
    expect((await next(resumed))?.message).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('stopped') },
    });
  });
});

describe('the stream of what belongs to no request', () => {
  it('moves to the process at which its client comes back, with what was missed', async () => {
    const [one, other] = [await start(), await start()];
    const session = await openSession(one.url);
    const listening = hear(await fetch(one.url, { headers: session }));
    const prime = await next(listening);
    one.server.listChanged('prompts');
    const changed = await next(listening);
    expect(changed?.message).toMatchObject({ method: 'notifications/prompts/list_changed' });
    await listening.return();
    await expect.poll(async () => (await one.store.status()).spaces['mcp-streams']).toBe(1);
    const moved = hear(await fetch(other.url, { headers: { ...session, 'last-event-id': prime?.id ?? '' } }));
    expect(await next(moved)).toEqual(changed);
    expect((await next(moved))?.message).toBeUndefined();
    other.server.listChanged('resources');
    expect((await next(moved))?.message).toMatchObject({ method: 'notifications/resources/list_changed' });
    await moved.return();
  });
});
