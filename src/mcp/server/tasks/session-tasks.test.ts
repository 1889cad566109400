// Tasks as 2025-11-25 has them: the client asks for one with its call.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import type { BoardStore } from '../../../platform/store/board-store.ts';
import { openBoardStore } from '../../../platform/store/open-board-store.ts';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { ANONYMOUS, LOCAL_USER } from '../caller.ts';
import { McpServer } from '../mcp-server.ts';
import { peerOf } from '../peer.ts';
import { resultOf, TestClient } from '../test-client.test-helper.ts';

const none = { type: 'object', properties: {} } as const;
const TASKS = { tasks: { list: {}, cancel: {} }, elicitation: {} };

async function open(store?: BoardStore, capabilities: Record<string, unknown> = TASKS) {
  const { promise: work, resolve: finish } = Promise.withResolvers<string>();
  const registry = new ToolRegistry().registerMany([
    defineTool({
      name: 'long',
      description: 'Takes as long as the test wants',
      schema: none,
      execute: async (_input, context) => {
        context.progress(1, 2, 'half way');
        const said = await work;
        context.progress(2, 2, 'there');
        return said;
      },
    }),
    defineTool({
      name: 'asks',
      description: 'Asks on the way',
      schema: none,
      execute: async (_input, context) => {
        const question = { method: 'elicitation/create', params: { message: 'Sure?' } } as const;
        return (await peerOf(context)?.ask({ sure: question }))?.['sure'];
      },
    }),
    defineTool({
      name: 'fails',
      description: 'Fails',
      schema: none,
      execute: () => {
        throw new Error('No luck.');
      },
    }),
  ]);
  const server = new McpServer({ registry, store }, { tasks: { only: ['asks'] } });
  onTestFinished(() => server.close());
  const client = new TestClient(server);
  const introduction = await client.initialize(capabilities);
  return { server, client, introduction, finish };
}

function openStore(folder = mkdtempSync(join(tmpdir(), 'session-tasks-'))): BoardStore {
  const store = openBoardStore({ folder });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

async function begin(client: TestClient, name: string, more: Record<string, unknown> = {}): Promise<string> {
  const { task } = await client.result('tools/call', { name, task: {}, ...more });
  return String(Object(task).taskId);
}

describe('a client of 2025-11-25', () => {
  it('is told that calls can be tasks, and of which tools', async () => {
    const { client, introduction } = await open();
    expect(introduction['capabilities']).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
    const { tools } = await client.result('tools/list');
    expect(tools).toMatchObject([
      { name: 'long', execution: { taskSupport: 'optional' } },
      { name: 'asks', execution: { taskSupport: 'required' } },
      { name: 'fails', execution: { taskSupport: 'optional' } },
    ]);
  });

  it('that does not know tasks is listed tools without them, and older ones are told nothing', async () => {
    const { server, client } = await open(undefined, {});
    const { tools } = await client.result('tools/list');
    expect(JSON.stringify(tools)).not.toContain('taskSupport');
    const older = new TestClient(server);
    const clientInfo = { name: 'old', version: '1' };
    const said = await older.result('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    expect(said['capabilities']).not.toHaveProperty('tasks');
    expect(await older.request('tasks/get', { taskId: 'x' })).toMatchObject({ error: { code: -32601 } });
  });

  it('gets a task for a call that asks for one, hears how it is, and fetches the result', async () => {
    const { client, finish } = await open();
    const created = await client.result('tools/call', {
      name: 'long',
      task: { ttl: 60_000 },
      _meta: { progressToken: 7 },
    });
    const { task } = created as { task: Record<string, unknown> };
    expect(task).toMatchObject({ status: 'working', ttl: 60_000, pollInterval: expect.any(Number) });
    const { taskId } = task;
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ taskId, statusMessage: '1/2 half way' });
    const result = client.result('tasks/result', { taskId });
    finish('Done.');
    expect(await result).toEqual({
      content: [{ type: 'text', text: 'Done.' }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'completed' });
    expect(client.received).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, progress: 1, message: 'half way' } },
      { method: 'notifications/progress', params: { progressToken: 7, progress: 2, message: 'there' } },
      { method: 'notifications/tasks/status', params: { taskId, status: 'completed' } },
    ]);
  });

  it('gets an ordinary result for a call that asks for no task', async () => {
    const { client, finish } = await open();
    finish('Done.');
    expect(await client.result('tools/call', { name: 'long' })).toMatchObject({ content: [{ text: 'Done.' }] });
  });

  it('is asked over the request that waits for the result', async () => {
    const { client } = await open();
    const taskId = await begin(client, 'asks');
    await expect.poll(async () => (await client.result('tasks/get', { taskId }))['status']).toBe('input_required');
    client.onMessage = ({ id, method, params }) => {
      if (method !== 'elicitation/create') return;
      expect(params).toMatchObject({
        message: 'Sure?',
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      });
      void client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { yes: true } } });
    };
    expect(await client.result('tasks/result', { taskId })).toMatchObject({
      content: [{ text: expect.stringContaining('"yes":true') }],
    });
  });

  it('is told that a tool has failed, and fetches what it said', async () => {
    const { client } = await open();
    const taskId = await begin(client, 'fails');
    expect(await client.result('tasks/result', { taskId })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('No luck.') }],
    });
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'failed' });
  });

  it('cancels a task once', async () => {
    const { client } = await open();
    const taskId = await begin(client, 'long');
    const result = client.request('tasks/result', { taskId });
    expect(await client.result('tasks/cancel', { taskId })).toMatchObject({ taskId, status: 'cancelled' });
    expect(await result).toMatchObject({ error: { message: `The task "${taskId}" was cancelled.` } });
    expect(await client.request('tasks/cancel', { taskId })).toMatchObject({ error: { code: -32602 } });
  });

  it('fetches, answers and cancels a task that another process works on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'session-tasks-'));
    const [one, other] = [await open(openStore(folder)), await open(openStore(folder))];
    const taskId = await begin(one.client, 'long');
    const result = other.client.result('tasks/result', { taskId });
    one.finish('Done.');
    expect(await result).toMatchObject({ content: [{ text: 'Done.' }] });
    const second = await begin(one.client, 'asks');
    expect(await other.client.result('tasks/cancel', { taskId: second })).toMatchObject({ status: 'cancelled' });
    expect(await one.client.result('tasks/get', { taskId: second })).toMatchObject({ status: 'cancelled' });
  });

  it('lists its own tasks and no others, after a restart too', async () => {
    const store = openStore();
    const { client, server, finish } = await open(store);
    const first = await begin(client, 'long');
    finish('Done.');
    await client.result('tasks/result', { taskId: first });
    const second = await begin(client, 'asks');
    const other = new TestClient(server, { id: 'other', access: LOCAL_USER.access });
    await other.initialize(TASKS);
    expect(await other.result('tasks/list')).toEqual({ tasks: [] });
    expect(await other.request('tasks/result', { taskId: first })).toMatchObject({ error: { code: -32602 } });
    await server.close();
    const later = await open(store);
    const { tasks } = await later.client.result('tasks/list');
    const statuses = (tasks as { taskId: string; status: string }[]).map(({ taskId, status }) => [taskId, status]);
    expect(new Map(statuses as [string, string][])).toEqual(
      new Map([
        [first, 'completed'],
        [second, 'failed'],
      ]),
    );
    expect(await later.client.result('tasks/result', { taskId: first })).toMatchObject({
      content: [{ text: 'Done.' }],
    });
  });

  it('whom no token names lists nothing', async () => {
    const { server } = await open();
    const stranger = new TestClient(server, ANONYMOUS);
    expect((await stranger.initialize(TASKS))['capabilities']).toMatchObject({
      tasks: { cancel: {}, requests: { tools: { call: {} } } },
    });
    expect(await stranger.request('tasks/list')).toMatchObject({ error: { code: -32601 } });
    const taskId = await begin(stranger, 'fails');
    expect(resultOf(await stranger.request('tasks/result', { taskId }))).toMatchObject({ isError: true });
  });
});
