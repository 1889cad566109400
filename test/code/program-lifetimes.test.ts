// The end or resumption of programs: with their board, with their client, by the first answer, as a task, in another process.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { createApprover } from '../../src/features/serving/commands/serve/create-approver.ts';
import { listPrograms, resumeCode, runCode } from '../../src/code.ts';
import { type Board, defineTool, openBoard, type OpenBoardOptions } from '../../src/index.ts';
import { McpServer } from '../../src/mcp/server/mcp-server.ts';
import { TestClient } from '../../src/mcp/server/test-client.test-helper.ts';
import { startServe } from '../mcp/serve-process.test-helper.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-lifetimes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A tool that runs until its call is ended, and what is known of it. */
function makeHold(): { readonly tool: ReturnType<typeof defineTool>; begun(): number; ended(): number } {
  let [begun, ended] = [0, 0];
  const tool = defineTool({
    name: 'hold',
    description: 'Runs until it is ended.',
    risk: 'write',
    schema: { type: 'object' },
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        begun++;
        signal.addEventListener('abort', () => {
          ended++;
          reject(new Error('ended'));
        });
      }),
  });
  return { tool, begun: () => begun, ended: () => ended };
}

async function open(options: OpenBoardOptions): Promise<Board> {
  const board = await openBoard({ policy: { approval: { global: 'none', tools: { send: true } } }, ...options });
  onTestFinished(() => board.close());
  return board;
}

function makeSend(done: string[]): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'send',
    description: 'Sends.',
    risk: 'write',
    schema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    execute({ to }) {
      done.push(to);
      return to;
    },
  });
}

const run = (code: string): Record<string, unknown> => ({ name: 'run_code', arguments: { code } });
const textOf = (result: Record<string, unknown>): string => JSON.stringify(result['content']);

it('a program ends with its board: in a call, and while it computes', async () => {
  const hold = makeHold();
  const data = makeFolder();
  const board = await open({ data, tools: [hold.tool] });
  const calling = runCode(board, 'await tools.hold({})', { id: 'held' });
  const computing = runCode(board, 'for (;;);', { limits: { compute: 600_000, time: 600_000 } });
  await expect.poll(hold.begun).toBe(1);
  await board.close();
  expect(hold.ended()).toBe(1);
  for (const result of await Promise.all([calling, computing]))
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  // Finished calls are not repeated and not lost.
  const again = await open({ data, tools: [hold.tool] });
  expect(await listPrograms(again)).toMatchObject([{ id: 'held', status: 'interrupted' }]);
  expect(await resumeCode(again, 'held')).toMatchObject({ ok: false, error: { code: 'outcome_unknown' } });
  expect(hold.begun()).toBe(1);
});

it('a program ends with the request or the session of its client', async () => {
  const hold = makeHold();
  const board = await open({ data: makeFolder(), tools: [hold.tool] });
  const server = new McpServer(board, { mode: 'code' });
  const client = new TestClient(server);
  await client.initialize();
  void client.request('tools/call', run('await tools.hold({})'), 'held');
  await expect.poll(hold.begun).toBe(1);
  await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'held' } });
  await expect.poll(hold.ended).toBe(1);
  void client.request('tools/call', run('await tools.hold({})'));
  await expect.poll(hold.begun).toBe(2);
  client.connection.close();
  await expect.poll(hold.ended).toBe(2);
});

it('goes on with the first answer of several who can give one', async () => {
  const data = makeFolder();
  const done: string[] = [];
  const approve = createApprover({ wanted: () => ['client'], inbox: undefined, terminal: undefined });
  const asking = await open({ data, tools: [makeSend(done)], approve });
  const other = await open({ data, tools: [makeSend(done)] });
  const client = new TestClient(new McpServer(asking, { mode: 'code' }));
  await client.initialize({ elicitation: {} });
  const asked: unknown[] = [];
  // This person looks at the question and never answers.
  client.onMessage = ({ id }) => void asked.push(id);
  const running = client.result('tools/call', run(`return Promise.all(['a', 'b'].map((to) => tools.send({ to })))`));
  await expect.poll(() => asked.length).toBe(1);
  const questions = await other.approvals.list();
  expect(questions).toHaveLength(2);
  for (const { id } of questions) {
    const answers = await Promise.allSettled([
      other.approvals.answer(id, { allow: true }),
      asking.approvals.answer(id, { allow: true }),
    ]);
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
  }
  expect(textOf(await running)).toContain(String.raw`[\"a\",\"b\"]`);
  expect(done.toSorted()).toEqual(['a', 'b']);
});

it('is a task for a client that knows tasks, and asks through it', async () => {
  const done: string[] = [];
  const approve = createApprover({ wanted: () => ['client'], inbox: undefined, terminal: undefined });
  const board = await open({ data: makeFolder(), tools: [makeSend(done)], approve });
  const client = new TestClient(new McpServer(board, { mode: 'code' }));
  await client.initialize({ tasks: { list: {}, cancel: {} }, elicitation: {} });
  client.onMessage = ({ id, method }) => {
    if (method !== 'elicitation/create') return;
    void client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { approve: true } } });
  };
  const { task } = await client.result('tools/call', { ...run(`return tools.send({ to: 'a' })`), task: {} });
  const { taskId } = task as { readonly taskId: string };
  await expect.poll(async () => (await client.result('tasks/get', { taskId }))['status']).toBe('input_required');
  expect(done).toEqual([]);
  expect(textOf(await client.result('tasks/result', { taskId }))).toContain('"a"');
  expect(done).toEqual(['a']);
});

it('goes on over MCP in another process, by the id that the first one told', async () => {
  const folder = makeFolder();
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(
    file,
    `policy: { approval: { global: none, tools: { send: true }, headless: wait } }
tools:
  - { name: send, type: cli, description: Send, command: echo, risk: write, args: [{ name: to, positional: true, required: true }] }
`,
  );
  const board = await openBoard(file, { cwd: folder });
  onTestFinished(() => board.close());
  const { id, waiting } = await runCode(board, `return (await tools.send({ to: 'a' })).trim() + '!'`, { pause: true });
  await board.approvals.answer(waiting?.[0]?.approvalId ?? '', { allow: true });
  await board.close();
  const child = startServe([file, '--mode', 'code'], { cwd: folder });
  onTestFinished(() => void child.kill());
  const answers = createInterface({ input: child.stdout ?? process.stdin });
  const ask = async (message: object): Promise<string> => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const [line] = (await once(answers, 'line')) as [string];
    return line;
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  const resume = { id: 2, method: 'tools/call', params: { name: 'run_code', arguments: { resume: id } } };
  expect(await ask(resume)).toContain('"text":"a!"');
  // Asked once more, it gives what it gave.
  expect(await ask({ ...resume, id: 3 })).toContain('"text":"a!"');
});
