// Someone with write access to the database, or who knows a call, gets no approval that no person gave.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { type Board, defineTool, openBoard } from '../../index.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-attacked-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let ran = 0;
beforeEach(() => void (ran = 0));

const send = defineTool({
  name: 'send',
  description: 'Send a text',
  risk: 'write',
  schema: z.object({ to: z.string() }),
  execute: () => `sent ${++ran}`,
});
const later = { approval: { key: 'step 1', defer: true } };

async function open(name: string): Promise<Board> {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pegboard.yaml'), 'name: desk\npolicy: { approval: { headless: wait } }\n');
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, tools: [send] });
  onTestFinished(() => board.close());
  return board;
}

it('gives a question an id that nobody can compute without the key of the board', async () => {
  const [one, same, other] = [await open('ids'), await open('ids'), await open('other-ids')];
  const ask = async (board: Board): Promise<string | undefined> =>
    (await board.call('send', { to: 'ada' }, later)).error?.approvalId;
  const id = await ask(one);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(await ask(same)).toBe(id);
  expect(await ask(other)).not.toBe(id);
});

it('runs once on an approval, even if its row is restored', async () => {
  const [board, other] = [await open('back'), await open('back')];
  const { error } = await board.call('send', { to: 'ada' }, later);
  const id = error?.approvalId ?? '';
  await other.approvals.answer(id, { allow: true });
  const rows = board.store.space('approvals');
  const before = await rows.get(id);
  expect((await board.call('send', { to: 'ada' }, later)).ok).toBe(true);
  await rows.set(id, before);
  for (const each of [board, other]) {
    expect((await each.call('send', { to: 'ada' }, later)).error).toMatchObject({ code: 'outcome_unknown' });
    expect(await each.approvals.get(id)).toMatchObject({ status: 'spent' });
  }
  // Even if its trace is removed too, the process that used the approval remembers it.
  await board.store.space('approvals-over').delete(id);
  expect((await board.call('send', { to: 'ada' }, later)).error).toMatchObject({ code: 'outcome_unknown' });
  expect(ran).toBe(1);
});

it('ends an approval for the session in time, whatever the database says, and names no session there', async () => {
  const board = await open('grant');
  const context = { caller: 'ada', sessionId: 'session-of-ada' };
  const call = board.call('send', { to: 'ada' }, { context });
  const [question] = await vi.waitFor(async () => {
    const waiting = await board.approvals.list();
    expect(waiting).toHaveLength(1);
    return waiting;
  });
  await board.approvals.answer(question?.id ?? '', { allow: true, scope: 'session' });
  expect((await call).ok).toBe(true);
  expect((await board.call('send', { to: 'bob' }, { context })).ok).toBe(true);
  const grants = board.store.space('approval-grants');
  const [grant] = await grants.entries();
  expect(grant?.key).toMatch(/^[0-9a-f]{64}$/);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  await grants.set(grant?.key ?? '', grant?.value);
  const { error } = await board.call('send', { to: 'bob' }, { context, ...later });
  expect(error).toMatchObject({ code: 'approval_required', reason: 'waits for an answer' });
});
