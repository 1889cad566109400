// Long calls of clients that other people wrote, against `pegboard serve`: each gets what it can take.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixture } from '../upstream-boards.test-helper.ts';
import { ALONE, CLI } from '../cli-program.test-helper.ts';
import { AUTHORIZATION, placeBoard, startHttp, TOKEN } from './serve-process.test-helper.ts';

const info = { name: 'test', version: '1.0.0' };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const BOARD = `
serve: { tasks: { after: 1ms } }
mcpServers: { other: ${JSON.stringify({ ...fixture('task-server.ts'), prefix: '' })} }
policy: { approval: { global: destructive } }
tools:
  - name: wait
    type: run
    description: Waits for a file
    schema: { properties: { folder: { type: string } } }
    commands: [{ cmd: sh, args: [-c, 'until [ -e "$0/go" ]; do sleep 0.05; done; echo done', '{{folder}}'] }]
  - { name: wipe, type: cli, description: Wipe it all, command: echo wiped, risk: destructive }
`;

type Way = 'stdio' | 'http';

/** A board in a process of its own: how a client reaches it, and the folder it waits in. */
async function serve(way: Way): Promise<{ readonly folder: string; readonly command: string[]; readonly url: string }> {
  const { file, folder, remove } = placeBoard(BOARD);
  onTestFinished(remove);
  if (way === 'stdio') return { folder, command: [CLI, 'serve', file], url: '' };
  const { child, url } = await startHttp([file, '--token', TOKEN]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { folder, command: [], url };
}

/** All that a stream brings. */
async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const requestInit = { requestInit: { headers: AUTHORIZATION } };

async function openV1(way: Way): Promise<{ readonly client: ClientV1; readonly folder: string }> {
  const { folder, command, url } = await serve(way);
  const client = new ClientV1(info, { capabilities: { tasks: {}, elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { approve: true } }));
  const stdio = { command: process.execPath, args: command, env: ALONE };
  await client.connect(way === 'stdio' ? new StdioV1(stdio) : new HttpV1(new URL(url), requestInit));
  onTestFinished(() => client.close());
  await client.listTools();
  return { client, folder };
}

describe.for(['stdio', 'http'] as const)('the v1 SDK over %s', (way) => {
  it('gets a task, and the result of it', async () => {
    const { client, folder } = await openV1(way);
    const stream = client.experimental.tasks.callToolStream({ name: 'wait', arguments: { folder } });
    const seen: string[] = [];
    for await (const message of stream) {
      seen.push(message.type);
      if (message.type === 'taskStatus') writeFileSync(join(folder, 'go'), '');
      if (message.type === 'result') expect(message.result).toMatchObject({ content: [{ text: 'done\n' }] });
      expect(message).not.toHaveProperty('error');
    }
    expect(seen).toEqual(['taskCreated', ...seen.slice(1, -1).map(() => 'taskStatus'), 'result']);
    const { tasks } = await client.experimental.tasks.listTasks();
    expect(tasks).toMatchObject([{ status: 'completed' }]);
  });

  it('is asked by its task', async () => {
    const { client } = await openV1(way);
    const stream = client.experimental.tasks.callToolStream({ name: 'wipe', arguments: {} });
    const messages = await collect(stream);
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: { content: [{ text: 'wiped\n' }] } });
  });

  it('cancels its task', async () => {
    const { client, folder } = await openV1(way);
    const { experimental } = client;
    for await (const message of experimental.tasks.callToolStream({ name: 'wait', arguments: { folder } })) {
      if (message.type === 'taskCreated') await experimental.tasks.cancelTask(message.task.taskId);
      if (message.type === 'error') expect(message.error.message).toContain('was cancelled');
      expect(message.type).not.toBe('result');
    }
  });

  it('hears the progress of a task that another server runs, with a task of its own and without', async () => {
    const { client } = await openV1(way);
    for (const task of [undefined, {}]) {
      const heard: unknown[] = [];
      const options = { onprogress: (progress: unknown) => heard.push(progress), ...(task && { task }) };
      const params = { name: 'numbers', arguments: {} };
      const result =
        task === undefined
          ? await client.request({ method: 'tools/call', params }, CallToolResultSchema, options)
          : (await collect(client.experimental.tasks.callToolStream(params, CallToolResultSchema, options))).at(-1);
      expect(JSON.stringify(result)).toContain('done');
      expect(heard.at(-1)).toMatchObject({ progress: 2, total: 2, message: 'step 2' });
    }
  });
});

describe.for(['stdio', 'http'] as const)('the v2 SDK over %s, which declares tasks and throws at one', (way) => {
  it('gets an ordinary result', async () => {
    const { folder, command, url } = await serve(way);
    const client = new ClientV2(info, { capabilities: TASKS, versionNegotiation: { mode: 'auto' } });
    const stdio = { command: process.execPath, args: command, env: ALONE };
    await client.connect(way === 'stdio' ? new StdioV2(stdio) : new HttpV2(new URL(url), requestInit));
    onTestFinished(() => client.close());
    const call = client.callTool({ name: 'wait', arguments: { folder } });
    // A second call, answered while the first one runs on: the time after which it could be a task is over.
    await client.callTool({ name: 'repeat', arguments: { name: 'Ada' } });
    writeFileSync(join(folder, 'go'), '');
    expect(await call).toMatchObject({ content: [{ text: 'done\n' }] });
  });
});
