// A running server and files that change: new tokens, rights and settings apply at once, also to open clients.
import { once } from 'node:events';
import { connect } from 'node:net';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { createToken, hashToken } from '../../src/mcp/server/auth/token-authenticator.ts';
import {
  type Answer,
  answerOf,
  bearer,
  messagesOf,
  modern,
  openSession,
  post,
  textOf,
} from './http-client.test-helper.ts';
import { placeBoard, startHttp, waitForText } from './serve-process.test-helper.ts';

const ADA = createToken();
const BOB = createToken();
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

// Changes are taken over while tools run that may write.
const TOOLS = `
policy: { approval: { global: none }, files: { board: write } }
tools:
  - { name: look, type: cli, description: Look around, command: echo seen, risk: read }
  - { name: wipe, type: cli, description: Wipe it all, command: echo wiped, risk: destructive }
  - { name: count, type: cli, description: Count far, command: seq 1 200000, risk: write }
  - name: wait
    type: run
    description: Waits for a file
    schema: { properties: { folder: { type: string } } }
    commands: [{ cmd: sh, args: [-c, 'touch "$0/started"; until [ -e "$0/go" ]; do sleep 0.05; done; echo done', '{{folder}}'] }]
`;

interface Served {
  readonly url: string;
  readonly folder: string;
  readonly child: ChildProcess;
  /** Writes the file, and waits until the server has read it; gives what the server said. */
  change(serve: object): Promise<string>;
}

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

const tokens = (...allowed: (readonly unknown[] | undefined)[]): object => ({
  tokens: allowed.flatMap((allow, index) => {
    const [name, hash] = index === 0 ? ['ada', hashToken(ADA)] : ['bob', hashToken(BOB)];
    return allow === undefined ? [] : [{ name, hash, allow }];
  }),
});

async function serve(section: object): Promise<Served> {
  const write = (next: object): string => `serve: ${JSON.stringify(next)}\n${TOOLS}`;
  const { file, folder, remove } = placeBoard(write(section));
  const { child, url } = await startHttp([file, '--watch']);
  cleanUp.push(() => {
    child.kill('SIGKILL');
    remove();
  });
  return {
    url,
    folder,
    child,
    change(next) {
      const said = waitForText(child.stderr, /reloaded/);
      writeFileSync(file, write(next));
      return said;
    },
  };
}

const EVERYTHING = ['*'];
const call = (name: string, args: object = {}): object => ({
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args },
});
const namesOf = (answer: Answer | undefined): string[] => {
  const listed: unknown = answer?.result?.['tools'];
  return Array.isArray(listed) ? listed.map(({ name }) => String(name)) : [];
};

it('says with which token clients come in when that changes', async () => {
  const { folder, child, change } = await serve(tokens(EVERYTHING));
  const command = `pegboard serve --show-token ${join(folder, 'pegboard.yaml')}`;
  const own = waitForText(child.stderr, /now serving with/);
  await change({});
  expect(await own).toContain(`pegboard: now serving with the token that "${command}" shows\n`);
  const named = waitForText(child.stderr, /now serving with/);
  await change(tokens(EVERYTHING));
  expect(await named).toContain('pegboard: now serving with a token\n');
});

describe('a token whose rights shrank', () => {
  it('is narrowed in its open session: lists, calls, searches, resources, completion, metrics', async () => {
    const { url, change } = await serve({ ...tokens(EVERYTHING), mode: 'classic' });
    const session = await openSession(url, bearer(ADA));
    expect(namesOf(await answerOf(post(url, { id: 1, method: 'tools/list' }, session)))).toContain('wipe');
    expect(textOf(await answerOf(post(url, call('wipe'), session)))).toBe('wiped\n');
    const stream = messagesOf(await fetch(url, { headers: { ...session, accept: 'text/event-stream' } }));
    const heard = stream.next();
    await change({ ...tokens([{ risk: 'read' }]), mode: 'classic' });
    expect((await heard).value).toMatchObject({ method: 'notifications/tools/list_changed' });

    expect(namesOf(await answerOf(post(url, { id: 1, method: 'tools/list' }, session)))).not.toContain('wipe');
    const refused = await answerOf(post(url, call('wipe'), session));
    const unknown = await answerOf(post(url, call('wipf'), session));
    expect(JSON.stringify(refused).replaceAll('wipe', 'wipf')).toBe(JSON.stringify(unknown));
    const read = { id: 2, method: 'resources/read', params: { uri: 'pegboard://tools/wipe' } };
    expect((await answerOf(post(url, read, session)))?.error).toMatchObject({
      message: 'There is no resource "pegboard://tools/wipe".',
    });
    const ref = { type: 'ref/resource', uri: 'pegboard://tools/{name}' };
    const complete = { id: 3, method: 'completion/complete', params: { ref, argument: { name: 'name', value: 'wi' } } };
    expect((await answerOf(post(url, complete, session)))?.result).toMatchObject({ completion: { values: [] } });
    expect(await (await fetch(new URL('/metrics', url), { headers: bearer(ADA) })).text()).not.toContain('wipe');
  });

  it('finds nothing beyond them with the tools that find others', async () => {
    const { url, change } = await serve({ ...tokens(EVERYTHING), mode: 'discovery' });
    const session = await openSession(url, bearer(ADA));
    const search = call('search_tools', { query: 'wipe it all' });
    expect(textOf(await answerOf(post(url, search, session)))).toContain('wipe');
    await change({ ...tokens(['look']), mode: 'discovery' });
    expect(textOf(await answerOf(post(url, search, session)))).not.toMatch(/wipe\(/);
    const refused = textOf(await answerOf(post(url, call('call_tool', { name: 'wipe' }), session)));
    const unknown = textOf(await answerOf(post(url, call('call_tool', { name: 'wipf' }), session)));
    expect(refused.replaceAll('wipe', 'wipf')).toBe(unknown);
  });

  it('ends its calls as they started, and comes back for none of their events', async () => {
    const { url, folder, change } = await serve(tokens(EVERYTHING));
    const session = await openSession(url, bearer(ADA));
    const running = post(url, call('wait', { folder }), session);
    await expect.poll(() => existsSync(join(folder, 'started')), { timeout: 30_000 }).toBe(true);
    await change(tokens(['look']));
    writeFileSync(join(folder, 'go'), '');
    expect(textOf(await answerOf(running))).toBe('done\n');
    expect(textOf(await answerOf(post(url, call('wait', { folder }), session)))).toContain('There is no tool "wait"');
  });

  it('reads no output that it made with the rights it had', async () => {
    const { url, change } = await serve(tokens(EVERYTHING));
    const session = await openSession(url, bearer(ADA));
    const cut = textOf(await answerOf(post(url, call('count'), session)));
    const [, id = ''] = /id "([\w-]+)"/.exec(cut) ?? [];
    const readTool = call('output_read', { id, offset: 10_000, lines: 1 });
    const readResource = { id: 2, method: 'resources/read', params: { uri: `pegboard://outputs/${id}` } };
    expect(textOf(await answerOf(post(url, readTool, session)))).toContain('10001');
    expect(JSON.stringify(await answerOf(post(url, readResource, session)))).toContain('10001');
    await change(tokens(['look', 'output_read']));
    expect(textOf(await answerOf(post(url, readTool, session)))).toContain('There is no stored output');
    expect((await answerOf(post(url, readResource, session)))?.error?.message).toBe(
      `There is no resource "pegboard://outputs/${id}".`,
    );
  });

  it('cannot look at tasks of tools that it may not use any more', async () => {
    const section = { tasks: { always: ['wait'] } };
    const { url, folder, change } = await serve({ ...tokens(EVERYTHING), ...section });
    const asked = { method: 'tools/call', params: { name: 'wait', arguments: { folder } }, capabilities: TASKS };
    const begun = await answerOf(modern(url, asked, bearer(ADA)));
    const taskId = String(begun?.result?.['taskId']);
    const look = () =>
      answerOf(modern(url, { method: 'tasks/get', params: { taskId }, capabilities: TASKS }, bearer(ADA)));
    expect((await look())?.result).toMatchObject({ status: 'working' });
    await change({ ...tokens(['look']), ...section });
    expect((await look())?.error?.message).toBe(`There is no task "${taskId}" (any more). Call the tool again.`);
    await change({ ...tokens(EVERYTHING), ...section });
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(async () => (await look())?.result?.['status'], { timeout: 30_000 }).toBe('completed');
  });
});

describe('a token that was deleted', () => {
  it('loses its session and its streams, while its call in flight ends as it started', async () => {
    const { url, folder, change } = await serve(tokens(EVERYTHING, EVERYTHING));
    const session = await openSession(url, bearer(ADA));
    const other = await openSession(url, bearer(BOB));
    const running = post(url, call('wait', { folder }), session);
    const stream = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } });
    const listen = { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } };
    const listening = await modern(url, listen, bearer(ADA));
    await expect.poll(() => existsSync(join(folder, 'started')), { timeout: 30_000 }).toBe(true);
    await change(tokens(undefined, EVERYTHING));
    // Both end by themselves.
    await stream.text();
    expect(await listening.text()).toContain('"resultType":"complete"');
    for (const message of [call('look'), { id: 1, method: 'tools/list' }]) {
      const refused = await post(url, message, session);
      expect([refused.status, await refused.text()]).toEqual([
        401,
        expect.stringContaining('The token is not one of this server.'),
      ]);
    }
    expect((await modern(url, { method: 'tools/list' }, bearer(ADA))).status).toBe(401);
    expect((await fetch(url, { headers: { ...session, 'last-event-id': '1-0' } })).status).toBe(401);
    writeFileSync(join(folder, 'go'), '');
    expect(textOf(await answerOf(running))).toBe('done\n');
    expect(textOf(await answerOf(post(url, call('look'), other)))).toBe('seen\n');
  });

  it('is not let in by a request whose body comes after it', async () => {
    const { url, change } = await serve(tokens(EVERYTHING, EVERYTHING));
    const session = await openSession(url, bearer(ADA));
    const body = JSON.stringify({ jsonrpc: '2.0', ...call('wipe') });
    const headers = {
      ...session,
      expect: '100-continue',
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let heard = '';
    socket.on('data', (chunk) => (heard += String(chunk)));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${lines.join('')}\r\n`);
    // The server has let the request in once it asks for the body.
    while (!heard.includes('100 Continue')) await once(socket, 'data');
    await change(tokens(undefined, EVERYTHING));
    socket.write(body);
    await once(socket, 'close');
    expect(heard).toMatch(/\r\nHTTP\/1\.1 401 /);
    expect(heard).toContain('The token is not good any more.');
  });
});

describe('what else the files say', () => {
  it('holds from the reload on: mode, limits, approvals, tokens that were added', async () => {
    const { url, change } = await serve({ ...tokens(EVERYTHING), mode: 'classic' });
    const session = await openSession(url, bearer(ADA));
    const list = () => answerOf(post(url, { id: 1, method: 'tools/list' }, session));
    expect(namesOf(await list())).toContain('look');
    expect((await modern(url, { method: 'tools/list' }, bearer(BOB))).status).toBe(401);
    await change({ ...tokens(EVERYTHING, EVERYTHING), mode: 'discovery' });
    expect(namesOf(await list())).toContain('search_tools');
    expect(namesOf(await list())).not.toContain('look');
    expect((await modern(url, { method: 'tools/list' }, bearer(BOB))).status).toBe(200);
    await change({ ...tokens(EVERYTHING), limits: { max_body: 1024 } });
    const large = await post(url, call('look', { text: 'x'.repeat(2000) }), session);
    expect(large.status).toBe(413);
    await change({ ...tokens(EVERYTHING), limits: { rate: 0.001, burst: 1 } });
    const statuses = [await post(url, call('look'), session), await post(url, call('look'), session)];
    expect(statuses.map(({ status }) => status)).toContain(429);
  });

  it('is told loudly where a running server cannot follow', async () => {
    const { change } = await serve({ ...tokens(EVERYTHING) });
    const said = await change({
      ...tokens(EVERYTHING),
      host: '127.0.0.2',
      path: '/board',
      limits: { max_header: 9999 },
    });
    for (const key of ['serve.host', 'serve.path', 'serve.limits.max_header']) {
      expect(said).toContain(`pegboard: warning: ${key} has changed. Restart the server to apply it.`);
    }
  });

  it('stays as it was where it makes no sense, and that is told', async () => {
    const { url, change } = await serve(tokens(EVERYTHING));
    const oauth = { issuer: 'https://login.example.com', audience: 'x' };
    expect(await change({ ...tokens(EVERYTHING), oauth })).toContain(
      'error: the serve section was not applied; tokens, rights and limits stay as before: serve.oauth cannot be used with tokens.',
    );
    expect((await modern(url, { method: 'tools/list' }, bearer(ADA))).status).toBe(200);
  });

  it('never opens the server: without the tokens of the files the board has its own', async () => {
    const { url, change } = await serve(tokens(EVERYTHING));
    await change({});
    expect((await modern(url, { method: 'tools/list' })).status).toBe(401);
    expect((await modern(url, { method: 'tools/list' }, bearer(ADA))).status).toBe(401);
  });
});
