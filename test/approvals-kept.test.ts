// Questions that wait: how many at once, what the record has of their answers, and many at the same time on PostgreSQL.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Board, type CallOptions, defineTool, openBoard, type OpenBoardOptions } from '../src/index.ts';
import { serveHttp } from '../src/mcp.ts';
import { startPostgres } from '../src/platform/postgres/test-server.test-helper.ts';
import { needs } from './needs.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-kept-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
});

const send = defineTool({
  name: 'send',
  description: 'Send a text',
  risk: 'write',
  schema: { type: 'object' },
  execute: () => 'sent',
});

async function open(approval: string, options: OpenBoardOptions = {}): Promise<Board> {
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, `policy: { approval: { ${approval} } }\n`);
  const board = await openBoard(file, { cwd: folder, tools: [send], ...options });
  onTestFinished(() => board.close());
  return board;
}

const later = (key: string, caller = ''): CallOptions => ({ approval: { key, defer: true }, context: { caller } });

it('refuses a question of a caller, or of any, when too many wait, and takes up those that are there', async () => {
  const board = await open('max_waiting: { per_caller: 2, per_board: 3 }');
  const ask = async (key: string, caller: string): Promise<string> =>
    (await board.call('send', {}, later(key, caller))).error?.reason ?? '';
  expect([await ask('a', 'ada'), await ask('b', 'ada'), await ask('c', 'ada')]).toEqual([
    'waits for an answer',
    'waits for an answer',
    'too many wait',
  ]);
  expect([await ask('d', 'bob'), await ask('e', 'eve')]).toEqual(['waits for an answer', 'too many wait']);
  const { error } = await board.call('send', {}, later('c', 'ada'));
  expect(error).toMatchObject({ code: 'approval_required', toolName: 'send' });
  expect(error?.message).toBe(
    'A person must approve this call of "send", and 2 calls of the same caller are waiting already (policy.approval.max_waiting). It has not run. Repeat it when some of those are answered.',
  );
  // One that waits is found again, and an answer makes room.
  expect(await ask('a', 'ada')).toBe('waits for an answer');
  const [first] = await board.approvals.list({ caller: 'ada' });
  await board.approvals.answer(first?.id ?? '', { allow: false });
  expect(await ask('c', 'ada')).toBe('waits for an answer');
});

it('has the answer to a question in the record, although no call came back for it', async () => {
  const board = await open('global: write');
  const { error } = await board.call('send', {}, later('a'));
  // Writes what it has recorded.
  await board.close();
  const other = await open('global: write');
  const { recordId } = await other.approvals.answer(error?.approvalId ?? '', {
    allow: false,
    by: 'ada',
    reason: 'No.',
  });
  expect(await other.calls.get(recordId ?? '')).toMatchObject({
    tool: 'send',
    outcome: 'approval_required',
    approvals: [{ type: 'waiting' }, { type: 'answered', facts: { allow: false, by: 'ada', reason: 'No.' } }],
  });
});

it('tells one answer once, where the call goes on with it', async () => {
  const board = await open('headless: wait');
  const call = board.call('send', {});
  const { id } = await expect
    .poll(async () => (await board.approvals.list())[0])
    .toBeDefined()
    .then(async () => (await board.approvals.list())[0] ?? { id: '' });
  const { recordId } = await board.approvals.answer(id, { allow: true, by: 'ada' });
  expect((await call).ok).toBe(true);
  const { approvals } = (await board.calls.get(recordId ?? '')) ?? {};
  expect(approvals?.map(({ type }) => type)).toEqual(['waiting', 'answered']);
});

it('counts questions that wait in the metrics, before any call and without making a store', async () => {
  const board = await open('global: write');
  const token = 'metrics-0123456789';
  const server = await serveHttp(board, { port: 0, token });
  onTestFinished(() => server.close());
  const waiting = async (): Promise<string | undefined> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(new URL('/metrics', server.url), { headers });
    return /^pegboard_approvals_waiting (\d+)$/m.exec(await response.text())?.[1];
  };
  expect(await waiting()).toBe('0');
  expect(existsSync(dataOf(folder))).toBe(false);
  const { error } = await board.call('send', {}, later('a'));
  await board.call('send', {}, later('b'));
  expect(await waiting()).toBe('2');
  // A yes that no call has used yet waits for no person.
  await board.approvals.answer(error?.approvalId ?? '', { allow: true });
  expect(await waiting()).toBe('1');
});

it('asks and answers thirty questions at once on PostgreSQL', needs('postgresql'), async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const options = { store: server.url, env: { PEGBOARD_KEY: 'ab'.repeat(32) } };
  const [here, there] = [await open('global: write', options), await open('global: write', options)];
  const keys = Array.from({ length: 30 }, (_, at) => `k${at}`);
  const boardOf = (at: number): Board => (at % 2 === 0 ? here : there);
  const asked = await Promise.all(keys.map((key, at) => boardOf(at).call('send', {}, later(key))));
  expect(new Set(asked.map(({ error }) => error?.approvalId)).size).toBe(30);
  expect(asked.filter(({ error }) => error?.approvalId === undefined)).toEqual([]);
  await Promise.all(
    asked.map(({ error }, at) => boardOf(at + 1).approvals.answer(error?.approvalId ?? '', { allow: true })),
  );
  const ran = await Promise.all(keys.map((key, at) => boardOf(at).call('send', {}, later(key))));
  expect(ran.filter(({ ok }) => !ok).map(({ text }) => text)).toEqual([]);
  await here.close();
  await there.close();
});
