import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openBoard } from '../../board/open-board.ts';
import type { Board } from '../../board/board.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { approveByClient } from './approve-by-client.ts';
import { LOCAL_USER } from './caller.ts';
import { McpServer } from './mcp-server.ts';
import { resultOf, TestClient } from './test-client.test-helper.ts';

const open: { board: Board; folder: string }[] = [];
afterEach(async () => {
  for (const { board, folder } of open.splice(0)) {
    await board.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function start(
  approval = '{ global: write }',
  folder: string = mkdtempSync(join(tmpdir(), 'approve-')),
): Promise<McpServer> {
  const tool =
    '{ name: push, type: cli, description: Push, command: echo pushed, args: [{ name: to, positional: true }] }';
  writeFileSync(join(folder, 'pegboard.yaml'), `tools: [${tool}]\npolicy: { approval: ${approval} }\n`);
  const board = await openBoard(join(folder, 'pegboard.yaml'), { approve: approveByClient, env: process.env });
  open.push({ board, folder });
  return new McpServer(board);
}

/** The one question of an answer that asks. */
function keyOf({ inputRequests }: Record<string, unknown>): string {
  const keys = Object.keys(inputRequests ?? {});
  expect(keys).toHaveLength(1);
  return keys[0] ?? '';
}

const CALL = { name: 'push', arguments: { to: 'main' } };
const YES = { action: 'accept', content: { approve: true } };
const ASKS = { elicitation: {} };

describe('a call that a person must approve', () => {
  it('is put to the person behind a client with a handshake', async () => {
    const client = new TestClient(await start());
    await client.initialize({ elicitation: {} });
    let told = 0;
    let asked = 0;
    open[0]?.board.on('approval-waits', () => void told++);
    for (const [answer, text] of [
      [YES, 'pushed main'],
      [{ action: 'accept', content: { approve: false } }, 'said no'],
      [{ action: 'decline' }, 'said no'],
    ] as const) {
      client.onMessage = ({ id, method, params }) => {
        expect([method, params]).toMatchObject(['elicitation/create', { message: expect.stringContaining('push') }]);
        // Others who may answer are told while the person makes up their mind.
        const count = ++asked;
        void vi.waitFor(() => expect(told).toBe(count)).then(() => client.send({ jsonrpc: '2.0', id, result: answer }));
      };
      expect(await client.result('tools/call', CALL)).toMatchObject({
        content: [{ text: expect.stringContaining(text) }],
      });
    }
    expect(told).toBe(3);
  });

  it('is shown whole, however long it is, with hidden characters spelt out', async () => {
    const client = new TestClient(await start());
    const to = `${'main '.repeat(1_000)}--force\u202e\u001b[2J`;
    const asked = resultOf(await client.modern('tools/call', { name: 'push', arguments: { to } }, ASKS));
    expect(asked).toMatchObject({
      inputRequests: {
        [keyOf(asked)]: {
          params: {
            message: `Allow push (write) with these arguments?\n  to: "${'main '.repeat(1_000)}--force\\u202e\\u001b[2J"`,
          },
        },
      },
    });
  });

  it('is refused where the client cannot ask', async () => {
    const client = new TestClient(await start());
    const waiting: string[] = [];
    open[0]?.board.on('approval-waits', ({ tool }) => waiting.push(tool));
    await client.initialize();
    expect(await client.result('tools/call', CALL)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/no one can be asked here.*headless: wait/) }],
    });
    expect(resultOf(await client.modern('tools/call', CALL))).toMatchObject({ isError: true });
    // Nothing waits, so no one is told that it does.
    expect(waiting).toEqual([]);
    const headless = new TestClient(await start('{ global: write, headless: approve }'));
    expect(resultOf(await headless.modern('tools/call', CALL))).toMatchObject({ content: [{ text: 'pushed main\n' }] });
  });

  it('runs once for one yes of a stateless client', async () => {
    const server = await start();
    const client = new TestClient(server);
    const asked = resultOf(await client.modern('tools/call', CALL, ASKS));
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { [keyOf(asked)]: { method: 'elicitation/create' } },
      requestState: expect.any(String),
    });
    const { requestState } = asked;
    const answer = { inputResponses: { [keyOf(asked)]: YES }, requestState };
    // A yes to nothing, to another call, or of another caller is worth nothing.
    const unasked = await client.modern('tools/call', { ...CALL, inputResponses: { [keyOf(asked)]: YES } }, ASKS);
    expect(resultOf(unasked)).toMatchObject({ resultType: 'input_required' });
    const elsewhere = { ...CALL, arguments: { to: 'prod' }, ...answer };
    expect(await client.modern('tools/call', elsewhere, ASKS)).toMatchObject({ error: { code: -32602 } });
    const other = new TestClient(server, { id: 'other', access: LOCAL_USER.access });
    expect(await other.modern('tools/call', { ...CALL, ...answer }, ASKS)).toMatchObject({ error: { code: -32602 } });
    expect(resultOf(await client.modern('tools/call', { ...CALL, ...answer }, ASKS))).toMatchObject({
      content: [{ text: 'pushed main\n' }],
    });
    expect(await client.modern('tools/call', { ...CALL, ...answer }, ASKS)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('was used before') },
    });
  });

  it('runs once for one yes that is sent twice at the same time', async () => {
    const client = new TestClient(await start());
    const asked = resultOf(await client.modern('tools/call', CALL, ASKS));
    const answer = { ...CALL, inputResponses: { [keyOf(asked)]: YES }, requestState: asked['requestState'] };
    const answers = await Promise.all([1, 2, 3].map(() => client.modern('tools/call', answer, ASKS)));
    expect(answers.filter((each) => JSON.stringify(each).includes('pushed main'))).toHaveLength(1);
    // The others are told so, by the protocol or by a result, whichever noticed it first.
    const told = /was used before|was approved and started before/;
    expect(answers.filter((each) => told.test(JSON.stringify(each)))).toHaveLength(2);
  });

  it('is asked by one replica and answered at another, once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'approve-'));
    const [one, two] = [await start(undefined, folder), await start(undefined, folder)].map(
      (server) => new TestClient(server),
    ) as [TestClient, TestClient];
    const asked = resultOf(await one.modern('tools/call', CALL, ASKS));
    const answer = { ...CALL, inputResponses: { [keyOf(asked)]: YES }, requestState: asked['requestState'] };
    const answers = await Promise.all([two, one, two].map((client) => client.modern('tools/call', answer, ASKS)));
    expect(answers.filter((each) => JSON.stringify(each).includes('pushed main'))).toHaveLength(1);
    expect(await one.modern('tools/call', answer, ASKS)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('was used before') },
    });
    const { approvals } = open[0]?.board ?? {};
    expect(await approvals?.list({ status: 'spent' })).toMatchObject([{ by: 'MCP client' }]);
  });

  it('runs on the answer that another process of the board gave before the client did', async () => {
    const client = new TestClient(await start());
    const { approvals } = open[0]?.board ?? {};
    const asked = resultOf(await client.modern('tools/call', CALL, ASKS));
    const [waiting] = (await approvals?.list()) ?? [];
    await approvals?.answer(waiting?.id ?? '', { allow: false, reason: 'Not today.' });
    const answer = { ...CALL, inputResponses: { [keyOf(asked)]: YES }, requestState: asked['requestState'] };
    expect(resultOf(await client.modern('tools/call', answer, ASKS))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Not today.') }],
    });
  });

  it('does not run on the yes to another call of the same request', async () => {
    const questions = ['Delete a?', 'Delete b?', 'Delete b?'];
    const registry = new ToolRegistry().register(
      defineTool({
        name: 'clean',
        description: 'Asks three times',
        schema: { type: 'object', properties: {} },
        execute: async (_input, context) => {
          for (const message of questions)
            if ((await approveByClient({ message, risk: 'write', context })) !== true) return 'no';
          return 'all deleted';
        },
      }),
    );
    const client = new TestClient(new McpServer({ registry }));
    const call = { name: 'clean', arguments: {} };
    let answer = resultOf(await client.modern('tools/call', call, ASKS));
    for (const message of questions) {
      const key = keyOf(answer);
      expect(answer['inputRequests']).toMatchObject({ [key]: { params: { message } } });
      const { requestState } = answer;
      const given = { ...call, inputResponses: { [key]: YES }, requestState };
      answer = resultOf(await client.modern('tools/call', given, ASKS));
    }
    expect(answer).toMatchObject({ content: [{ text: 'all deleted' }] });
  });
});
