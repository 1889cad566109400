import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import type { BoardStore } from '../../../platform/store/board-store.ts';
import { toStoredName } from '../../../platform/store/sealed-space.ts';
import { openBoardStore } from '../../../platform/store/open-board-store.ts';
import { TASKS_EXTENSION } from '../../protocol/mcp-names.ts';
import { LOCAL_USER } from '../caller.ts';
import { serveHttp } from '../http/serve-http.ts';
import { McpServer } from '../mcp-server.ts';
import { peerOf } from '../peer.ts';
import { resultOf, TestClient } from '../test-client.test-helper.ts';

const none = { type: 'object', properties: {} } as const;
const ABLE = { extensions: { [TASKS_EXTENSION]: {} }, elicitation: {} };
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean();
});

function openStore(): BoardStore {
  return openStores()[0];
}

/** Two handles on one store, as two processes have them. */
function openStores(): readonly [BoardStore, BoardStore] {
  const folder = mkdtempSync(join(tmpdir(), 'tasks-'));
  const stores = [openBoardStore({ folder }), openBoardStore({ folder })] as const;
  cleanUp.push(
    () => rmSync(folder, { recursive: true }),
    () => Promise.all(stores.map((store) => store.close())),
  );
  return stores;
}

function createBoard(store?: BoardStore) {
  const { promise: work, resolve: finish } = Promise.withResolvers<string>();
  const registry = new ToolRegistry().registerMany([
    defineTool({
      name: 'long',
      description: 'Takes as long as the test wants',
      schema: none,
      execute: (_input, context) => {
        context.progress(1, 2, 'half way');
        const stopped = new Promise<string>((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(new Error('Stopped.')));
        });
        return Promise.race([work, stopped]);
      },
    }),
    defineTool({
      name: 'asks',
      description: 'Asks on the way',
      schema: none,
      execute: async (_input, context) => {
        await work;
        const question = { method: 'elicitation/create', params: { message: 'Sure?' } } as const;
        return (await peerOf(context)?.ask({ sure: question }))?.['sure'];
      },
    }),
  ]);
  const tasks = { always: ['long', 'asks'] };
  const server = new McpServer({ registry, store }, { tasks });
  return { server, client: new TestClient(server), finish };
}

/** Asks for a task until it is in this state. */
async function untilStatus(client: TestClient, taskId: unknown, status: string): Promise<Record<string, unknown>> {
  const get = async () => resultOf(await client.modern('tasks/get', { taskId }, ABLE));
  await expect.poll(async () => (await get())['status']).toBe(status);
  return get();
}

describe('a task', () => {
  it('is what a long call becomes for clients that can wait, and holds the result', async () => {
    const { client, finish } = createBoard(openStore());
    const task = resultOf(await client.modern('tools/call', { name: 'long' }, ABLE));
    expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000 });
    const { taskId } = task;
    finish('Done.');
    expect(await untilStatus(client, taskId, 'completed')).toMatchObject({
      resultType: 'complete',
      result: { content: [{ type: 'text', text: 'Done.' }] },
    });
  });

  it('is what other long calls become only for clients that are known to fetch tasks', async () => {
    const named = (name: string) => ({ _meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } } });
    const { promise: work, resolve: finish } = Promise.withResolvers<string>();
    const registry = new ToolRegistry();
    registry.register(defineTool({ name: 'slow', description: 'Slow', schema: none, execute: () => work }));
    registry.register(defineTool({ name: 'job', description: 'A job', schema: none, execute: () => work }));
    const server = new McpServer({ registry }, { tasks: { after: 1, always: ['job'], clients: ['able'] } });
    cleanUp.push(() => server.close());
    const client = new TestClient(server);
    const call = (name: string, tool = 'slow') =>
      client.modern('tools/call', { name: tool, ...named(name) }, ABLE).then(resultOf);
    const ordinary = call('stranger');
    expect(await call('able')).toMatchObject({ resultType: 'task' });
    const { taskId } = await call('learner', 'job');
    await client.modern('tasks/get', { taskId, ...named('learner') }, ABLE);
    expect(await call('learner')).toMatchObject({ resultType: 'task' });
    finish('Done.');
    expect(await ordinary).toMatchObject({ resultType: 'complete', content: [{ text: 'Done.' }] });
  });

  it('is cancelled with its call', async () => {
    const { client } = createBoard();
    const { taskId } = resultOf(await client.modern('tools/call', { name: 'long' }, ABLE));
    expect(resultOf(await client.modern('tasks/cancel', { taskId }, ABLE))).toMatchObject({ resultType: 'complete' });
    await untilStatus(client, taskId, 'cancelled');
    expect(resultOf(await client.modern('tasks/cancel', { taskId }, ABLE))).toMatchObject({ resultType: 'complete' });
  });

  it('waits for what the client is asked', async () => {
    const { client, finish } = createBoard();
    const { taskId } = resultOf(await client.modern('tools/call', { name: 'asks' }, ABLE));
    finish('');
    const { inputRequests } = await untilStatus(client, taskId, 'input_required');
    expect(inputRequests).toEqual({ '1-sure': { method: 'elicitation/create', params: { message: 'Sure?' } } });
    const wrong = { 'not-asked': { action: 'accept' } };
    await client.modern('tasks/update', { taskId, inputResponses: wrong }, ABLE);
    await untilStatus(client, taskId, 'input_required');
    const right = { '1-sure': { action: 'accept', content: { yes: true } } };
    await client.modern('tasks/update', { taskId, inputResponses: right }, ABLE);
    expect(await untilStatus(client, taskId, 'completed')).toMatchObject({
      result: { content: [{ text: expect.stringContaining('"yes":true') }] },
    });
  });

  it('tells those who follow it', async () => {
    const { client, finish } = createBoard();
    const { taskId } = resultOf(await client.modern('tools/call', { name: 'long' }, ABLE));
    void client.modern('subscriptions/listen', { notifications: { taskIds: [taskId, 'unknown'] } }, ABLE);
    finish('Done.');
    await untilStatus(client, taskId, 'completed');
    expect(client.received).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: { taskIds: [taskId] } } },
      { method: 'notifications/tasks', params: { taskId, status: 'completed' } },
    ]);
  });

  it('belongs to who made the call', async () => {
    const { server, client } = createBoard(openStore());
    const { taskId } = resultOf(await client.modern('tools/call', { name: 'long' }, ABLE));
    const other = new TestClient(server, { id: 'other', access: LOCAL_USER.access });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await other.modern(method, { taskId, inputResponses: {} }, ABLE)).toMatchObject({
        error: { code: -32602 },
      });
      expect(await client.modern(method, { taskId })).toMatchObject({ error: { code: -32021 } });
    }
    await server.close();
  });

  it('survives the server: done ones keep their result, the others have failed and say why', async () => {
    const store = openStore();
    const first = createBoard(store);
    const { taskId: done } = resultOf(await first.client.modern('tools/call', { name: 'long' }, ABLE));
    first.finish('Done.');
    await untilStatus(first.client, done, 'completed');
    const stopped = createBoard(store);
    const { taskId: open } = resultOf(await stopped.client.modern('tools/call', { name: 'long' }, ABLE));
    await stopped.server.close();
    const { client } = createBoard(store);
    expect(await untilStatus(client, done, 'completed')).toMatchObject({ result: { content: [{ text: 'Done.' }] } });
    expect(await untilStatus(client, open, 'failed')).toMatchObject({
      error: { message: expect.stringContaining('Call the tool again') },
    });
  });

  it('has the grace time to finish when the server stops', async () => {
    const store = openStore();
    const { server, client, finish } = createBoard(store);
    const http = await serveHttp(server, { port: 0, token: false, grace: 600_000 });
    const { taskId } = resultOf(await client.modern('tools/call', { name: 'long' }, ABLE));
    const closed = http.close();
    finish('Done.');
    await closed;
    const later = createBoard(store);
    expect(await untilStatus(later.client, taskId, 'completed')).toMatchObject({
      result: { content: [{ text: 'Done.' }] },
    });
  });

  it('has failed when its process was killed', async () => {
    const store = openStore();
    const { client } = createBoard(store);
    const { taskId } = resultOf(await client.modern('tools/call', { name: 'long' }, ABLE));
    const space = store.space('mcp-tasks');
    // A task that no process holds.
    const stored = String(await space.get(toStoredName(String(taskId))));
    const renamed = stored
      .replaceAll(String(taskId), 'dead')
      .replaceAll(toStoredName(String(taskId)), toStoredName('dead'));
    await space.set(toStoredName('dead'), renamed);
    const later = createBoard(store);
    expect(await untilStatus(later.client, 'dead', 'failed')).toMatchObject({
      error: {
        code: -32603,
        message:
          'The server stopped while "long" ran, so its result is lost: it may have happened, or not. Find out before you call the tool again.',
      },
    });
  });

  it('is cancelled, answered, fetched and followed from any process', async () => {
    const [here, there] = openStores();
    const [one, other] = [createBoard(here), createBoard(there)];
    const begin = async (name: string): Promise<unknown> =>
      resultOf(await one.client.modern('tools/call', { name }, ABLE))['taskId'];
    const stopped = await begin('long');
    await untilStatus(other.client, stopped, 'working');
    await other.client.modern('tasks/cancel', { taskId: stopped }, ABLE);
    await untilStatus(one.client, stopped, 'cancelled');
    const asking = await begin('asks');
    void other.client.modern('subscriptions/listen', { notifications: { taskIds: [asking] } }, ABLE);
    one.finish('');
    await untilStatus(other.client, asking, 'input_required');
    const inputResponses = { '1-sure': { action: 'accept', content: { yes: true } } };
    await other.client.modern('tasks/update', { taskId: asking, inputResponses }, ABLE);
    expect(await untilStatus(other.client, asking, 'completed')).toMatchObject({
      result: { content: [{ text: expect.stringContaining('"yes":true') }] },
    });
    // Changes that come together are told once.
    await expect.poll(() => other.client.received.at(-1)?.['params']).toMatchObject({ status: 'completed' });
    await Promise.all([one.server.close(), other.server.close()]);
  });
});
