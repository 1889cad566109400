import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../../../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../../../board/registry/tool-registry.ts';
import { McpServer } from '../../mcp-server.ts';
import { type HttpServer, serveHttp } from '../serve-http.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A board whose tool reports as far as a test lets it. */
async function start() {
  const registry = new ToolRegistry({ maxModelOutput: 200_000 });
  let report: (done: number) => void = () => {};
  let finish: (text: string) => void = () => {};
  registry.register(
    defineTool({
      name: 'work',
      description: 'Works',
      schema: { type: 'object', properties: {} },
      timeout: 600_000,
      execute: (_input, context) => {
        report = (done) => context.log.info(String(done));
        report(1);
        return new Promise<string>((resolve) => (finish = resolve));
      },
    }),
  );
  const http = await serveHttp(new McpServer({ registry }), { port: 0, token: false, grace: 50 });
  open.push(http);
  return { url: http.url, registry, report: (done: number) => report(done), finish: (text: string) => finish(text) };
}

async function openSession(url: string, protocolVersion = '2025-11-25'): Promise<Record<string, string>> {
  const response = await post(url, { id: 0, method: 'initialize', params: { protocolVersion, capabilities: {} } });
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

function post(url: string, message: object, headers: object = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return fetch(url, { method: 'POST', headers: all, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}

interface Heard {
  readonly id: string;
  readonly message: Record<string, unknown> | undefined;
}

/** Reads events until `count` were there, or the stream is over; hangs up then. */
async function hear(response: Response, count = Infinity): Promise<Heard[]> {
  const heard: Heard[] = [];
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts.filter((one) => !one.startsWith(':'))) {
      const data = /^data:(.*)$/m.exec(part)?.[1]?.trim() ?? '';
      heard.push({ id: /^id: (.*)$/m.exec(part)?.[1] ?? '', message: data === '' ? undefined : JSON.parse(data) });
    }
    if (heard.length >= count) break;
  }
  return heard;
}

const CALL = { id: 7, method: 'tools/call', params: { name: 'work' } };
/** The numbers that were reported, and the answer. */
const steps = (heard: readonly Heard[]): string[] =>
  heard.map(({ message }) => /"(\d+|Done\.)"/.exec(JSON.stringify(message))?.[1] ?? '?');

describe('a call whose connection broke', () => {
  it('is gone on with after the last event that was heard', async () => {
    const { url, report, finish } = await start();
    const session = await openSession(url);
    const [first] = await hear(await post(url, CALL, session), 1);
    report(2);
    report(3);
    const resume = (id: string) => fetch(url, { headers: { ...session, 'last-event-id': id } });
    const rest = await hear(await resume(first?.id ?? ''), 2);
    expect(steps(rest)).toEqual(['2', '3']);
    // The client does not listen at its end either.
    finish('Done.');
    const end = await hear(await resume(rest[0]?.id ?? ''));
    expect(steps(end)).toEqual(['3', 'Done.']);
    expect(new Set([first, ...rest, ...end].map((event) => event?.id)).size).toBe(4);
    // A connection may break after the server has sent everything: it stays for a while.
    expect(await hear(await resume(end[0]?.id ?? ''))).toEqual(end.slice(1));
  });

  it('cannot be resumed by another caller', async () => {
    const { url, report } = await start();
    const [mine, theirs] = [await openSession(url), await openSession(url)];
    const [first] = await hear(await post(url, CALL, mine), 1);
    report(2);
    for (const id of [first?.id ?? '', 'x', '1-', '99-1', '-1', '9'.repeat(500)]) {
      const answer = await fetch(url, { headers: { ...theirs, 'last-event-id': id } });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(await answer.json())).toContain('Send the request again.');
    }
  });

  it('keeps the newest events, and its answer, when there are many', async () => {
    const { url, report, finish } = await start();
    const session = await openSession(url);
    const [first] = await hear(await post(url, CALL, session), 1);
    for (let done = 2; done <= 2_000; done++) report(done);
    finish('Done.');
    const rest = await hear(await fetch(url, { headers: { ...session, 'last-event-id': first?.id ?? '' } }));
    expect(rest).toHaveLength(256);
    expect(steps(rest).slice(-2)).toEqual(['2000', 'Done.']);
  });
});

describe('a session', () => {
  it('keeps no more than some of its streams', async () => {
    const { url, finish } = await start();
    const session = await openSession(url);
    const ids: string[] = [];
    for (let count = 0; count < 40; count++) {
      const answer = await post(url, { ...CALL, id: count }, session);
      finish('x'.repeat(100_000));
      ids.push((await hear(answer))[0]?.id ?? '');
    }
    const statuses = [];
    for (const id of ids) statuses.push((await fetch(url, { headers: { ...session, 'last-event-id': id } })).status);
    expect(statuses.slice(0, 25)).toEqual(Array.from({ length: 25 }, () => 400));
    expect(statuses.slice(-8)).toEqual(Array.from({ length: 8 }, () => 200));
  });
});

describe('the stream of what belongs to no request', () => {
  it('brings what was missed, from the first moment on', async () => {
    const { url, registry } = await start();
    const session = await openSession(url);
    const listen = (headers: object = {}) => fetch(url, { headers: { ...session, ...headers } });
    const [prime] = await hear(await listen(), 1);
    expect(prime).toEqual({ id: '0-0', message: undefined });
    registry.remove('work');
    const changed = await hear(await listen({ 'last-event-id': prime?.id }), 1);
    expect(changed[0]?.message).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  it('begins with no empty event for clients that would take it for a message', async () => {
    const { url, registry } = await start();
    const session = await openSession(url, '2025-06-18');
    const stream = await fetch(url, { headers: session });
    registry.remove('work');
    expect((await hear(stream, 1))[0]).toMatchObject({ id: '0-1', message: { jsonrpc: '2.0' } });
  });
});
