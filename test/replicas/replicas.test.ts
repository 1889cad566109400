// Replicas on one PostgreSQL, as on several machines: each has a data folder of its own, one has a clock that is wrong.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POSTGRES_BIN, startPostgres, type TestServer } from '../../src/platform/postgres/test-server.test-helper.ts';
import { openBoardStore } from '../../src/platform/store/open-board-store.ts';
import { type Answer, messagesOf, modern, openSession, post } from '../mcp/http-client.test-helper.ts';
import { AUTHORIZATION, placeReplicaBoard, startReplica, type TestReplica } from './replicas.test-helper.ts';
import { CLI } from '../cli-program.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

const KEY = 'ab'.repeat(32);
/** Two hours ahead. */
const SHIFTED = 'data:text/javascript,const now=Date.now;Date.now=()=>now()+7200000;';

const call = (name: string, args: object = {}) => ({ id: 7, method: 'tools/call', params: { name, arguments: args } });

async function answerOf(response: Response): Promise<Answer> {
  for await (const message of messagesOf(response)) if ('result' in message || 'error' in message) return message;
  throw new Error(`There is no answer: ${response.status}`);
}

/** The stream that an event is of. */
const streamOf = (eventId: string): string => eventId.slice(0, eventId.lastIndexOf('-'));

/** The first event of a stream, with its id; hangs up then. */
async function firstEvent(response: Response): Promise<string> {
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n\n')) break;
  }
  return text;
}

describe('replicas on PostgreSQL', needs('postgresql'), () => {
  const root = mkdtempSync(join(tmpdir(), 'pegboard-replicas-'));
  const file = placeReplicaBoard(root);
  const go = (id: string): void => writeFileSync(join(root, `go-${id}`), '');
  let server: TestServer;
  let replicas: TestReplica[];
  const envOf = (name: string, more: object = {}) => ({
    PEGBOARD_STORE: server.url,
    PEGBOARD_KEY: KEY,
    PEGBOARD_DATA: join(root, name),
    ...more,
  });
  const start = (name: string, nodeArgs: readonly string[] = []) => startReplica(file, { env: envOf(name), nodeArgs });
  beforeAll(async () => {
    server = await startPostgres();
    replicas = await Promise.all([start('one'), start('two'), start('three', ['--import', SHIFTED])]);
  });
  afterAll(async () => {
    await Promise.all((replicas ?? []).map((replica) => replica.kill()));
    await server?.close();
    rmSync(root, { recursive: true, force: true });
  });
  const psql = (statement: string) => promisify(execFile)(`${POSTGRES_BIN}/psql`, [server.url, '-qc', statement]);
  const at = (index: number): TestReplica => {
    const replica = replicas[index];
    if (replica === undefined) throw new Error('There is no such replica.');
    return replica;
  };

  it('share sessions, questions and outputs, whichever clock they go by', async () => {
    const session = await openSession(at(0).url, AUTHORIZATION, { elicitation: {} });
    const written = await answerOf(await post(at(2).url, call('write', { id: 'x1' }), session));
    expect(JSON.stringify(written.result)).toContain('x1');
    // A session of the replica with the wrong clock is as good as others.
    const other = await openSession(at(2).url, AUTHORIZATION);
    expect((await post(at(0).url, call('write', { id: 'x2' }), other)).status).toBe(200);
    const messages = messagesOf(await post(at(1).url, call('ask'), session));
    const { value: question } = await messages.next();
    expect(question).toMatchObject({ method: 'elicitation/create' });
    await post(at(2).url, { id: question?.['id'], result: { action: 'accept', content: { name: 'Ada' } } }, session);
    expect(JSON.stringify((await messages.next()).value)).toContain('Ada');
    const much = await answerOf(await post(at(0).url, call('much', { id: 'y' }), session));
    const id = /id[ :"\\]+([\w-]{24})/.exec(JSON.stringify(much.result))?.[1] ?? '';
    const page = await answerOf(await post(at(1).url, call('output_read', { id, offset: -2 }), session));
    expect(JSON.stringify(page.result)).toContain('y line');
    // The same by stateless requests, of the same caller.
    const params = { name: 'output_read', arguments: { id, lines: 1 } };
    const stateless = await answerOf(await modern(at(2).url, { method: 'tools/call', params }, AUTHORIZATION));
    expect(JSON.stringify(stateless.result)).toContain('y line');
  });

  it('are listed with the files they serve', async () => {
    const options = { env: { PATH: process.env['PATH'], HOME: root, ...envOf('status') } };
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'store', 'status', file, '--json'], options);
    const { replicas: listed } = JSON.parse(stdout);
    const pids = new Set(listed.map(({ pid }: { pid: number }) => pid));
    expect(pids).toEqual(new Set(replicas.map(({ child }) => child.pid)));
    expect(new Set(listed.map(({ digest }: { digest: string }) => digest)).size).toBe(1);
  });

  it('go on with sessions of one that was killed, and say that its calls are lost', async () => {
    const session = await openSession(at(0).url, AUTHORIZATION);
    const event = await firstEvent(await post(at(0).url, call('work', { id: 'never' }), session));
    const lastEventId = /^id: (.*)$/m.exec(event)?.[1] ?? '';
    // Written a moment after it was sent.
    const store = openBoardStore({ folder: root, url: server.url });
    await expect
      .poll(async () =>
        (await store.space('mcp-streams').entries()).some(({ key }) => key.endsWith(streamOf(lastEventId))),
      )
      .toBe(true);
    await store.close();
    await at(0).kill();
    const resumed = await fetch(at(1).url, { headers: { ...session, 'last-event-id': lastEventId } });
    const { error } = await answerOf(resumed);
    expect(error?.message).toBe(
      'The replica that ran this call is gone, and its answer with it. The call may have had effects; look before you call again.',
    );
    const written = await answerOf(await post(at(2).url, call('write', { id: 'x3' }), session));
    expect(JSON.stringify(written.result)).toContain('x3');
    replicas[0] = await start('one');
    expect((await post(at(0).url, call('write', { id: 'x4' }), session)).status).toBe(200);
  });

  it('call their own tools while the database is away, and recover', async () => {
    const known = await openSession(at(1).url, AUTHORIZATION);
    const unknown = await openSession(at(2).url, AUTHORIZATION);
    await psql('checkpoint');
    await server.kill();
    const write = async (url: string, headers: object): Promise<number> =>
      (await post(url, call('write', { id: 'away' }), headers)).status;
    expect(await write(at(1).url, known)).toBe(200);
    const params = { name: 'write', arguments: { id: 'away' } };
    expect((await modern(at(1).url, { method: 'tools/call', params }, AUTHORIZATION)).status).toBe(200);
    const missing = await post(at(1).url, call('write', { id: 'away' }), unknown);
    expect(missing.status).toBe(503);
    expect(JSON.stringify(await missing.json())).toContain('The session cannot be looked up: The PostgreSQL server');
    // A handshake works, and its session is known to others once the database is back.
    const opened = await openSession(at(1).url, AUTHORIZATION);
    await server.start();
    await expect.poll(() => write(at(1).url, unknown)).toBe(200);
    await expect
      .poll(async () => {
        await write(at(1).url, opened);
        return write(at(2).url, opened);
      })
      .toBe(200);
  });

  it('finish their calls when they are stopped, and are not ready meanwhile', async () => {
    const session = await openSession(at(1).url, AUTHORIZATION);
    const stopping = at(1);
    const messages = messagesOf(await post(stopping.url, call('work', { id: 'last' }), session));
    await messages.next();
    const ready = await fetch(new URL('/ready', stopping.url));
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\n']);
    const ended = stopping.stop();
    go('last');
    expect(JSON.stringify((await messages.next()).value)).toContain('done last');
    expect(await ended).toBe(0);
    // Its slots are free: the others need not wait for them.
    expect((await post(at(2).url, call('write', { id: 'x5' }), session)).status).toBe(200);
    replicas[1] = await start('two');
  });

  it('refuse to start with another key, or on tables of a newer program', async () => {
    const serve = async (env: Record<string, string>): Promise<string> => {
      const options = { env: { PATH: process.env['PATH'], HOME: root, ...env } };
      const failure = await promisify(execFile)(
        process.execPath,
        [CLI, 'serve', '--http', '--port', '0', file],
        options,
      )
        // The type that `execFile` rejects with when the program fails.
        .catch((error: { readonly code: number; readonly stderr: string }) => error);
      return 'code' in failure ? `${failure.code} ${failure.stderr}` : 'It ended well.';
    };
    const otherKey = await serve(envOf('other', { PEGBOARD_KEY: 'cd'.repeat(32) }));
    expect(otherKey).toMatch(/^1 [^]*is sealed with another key\. Set PEGBOARD_KEY to the key of the other processes/);
    const newer = `${server.url}?schema=newer`;
    await psql(
      'create schema newer; create table newer.store_versions (version bigint primary key, readable_from bigint not null); insert into newer.store_versions values (99, 99)',
    );
    expect(await serve(envOf('other', { PEGBOARD_STORE: newer }))).toMatch(
      /^1 [^]*was written by a newer Pegboard \(tables of version 99, this one knows \d+\)\. Update Pegboard/,
    );
  });
});
