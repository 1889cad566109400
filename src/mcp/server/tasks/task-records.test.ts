import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { BoardStore } from '../../../platform/store/board-store.ts';
import { openBoardStore } from '../../../platform/store/open-board-store.ts';
import { sealStore } from '../../../platform/store/sealed-space.ts';
import type { TaskRecord } from './task-record.ts';
import { TaskRecords } from './task-records.ts';

function open(): { readonly store: BoardStore; readonly process: () => TaskRecords } {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-tasks-'));
  const store = openBoardStore({ folder });
  const key = randomBytes(32);
  const sealed = sealStore(store, { open: async () => key });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, process: () => new TaskRecords(() => sealed) };
}

function taskOf({ worker }: TaskRecords): TaskRecord {
  const now = new Date().toISOString();
  const times = { createdAt: now, lastUpdatedAt: now, ttlMs: 60_000 };
  return { taskId: 't-1', tool: 'pay', caller: '', worker, isKept: true, state: { status: 'working' }, ...times };
}

it('lets no tool begin in a process whose task another one has taken over', async () => {
  const { process } = open();
  const [stalled, other] = [process(), process()];
  const task = taskOf(stalled);
  await stalled.save(task);
  // The process is stopped for so long that its lease ends; then another one takes the task.
  await stalled.close();
  const began = { tool: 'pay', mayRepeat: false };
  expect(await other.claim(task)).toMatchObject({ worker: other.worker });
  await expect(stalled.keepBeginning({ ...task, began })).rejects.toMatchObject({
    code: 'cancelled',
    message:
      'The tool "pay" was not run: another process has taken its task over, because this one did not answer in time.',
  });
  await stalled.save({ ...task, state: { status: 'cancelled' } });
  expect(await other.find('t-1')).toMatchObject({ worker: other.worker, state: { status: 'working' } });
  await other.keepBeginning({ ...task, worker: other.worker, began });
  await other.close();
});

it('lets no tool begin whose client was told that the task is over', async () => {
  const { process } = open();
  const [stalled, other] = [process(), process()];
  const task = taskOf(stalled);
  await stalled.save(task);
  await stalled.close();
  expect(await other.find('t-1', async () => undefined)).toMatchObject({ state: { status: 'failed' } });
  await expect(stalled.keepBeginning(task)).rejects.toMatchObject({ code: 'cancelled' });
});

it('keeps tasks and answers to their questions sealed, under names that do not tell their ids', async () => {
  const { store, process } = open();
  const records = process();
  await records.save({ ...taskOf(records), state: { status: 'completed', result: { content: 'sesame' } } });
  await records.wish('t-1', { type: 'cancel' });
  const [task] = await store.space('mcp-tasks').entries();
  const [wish] = await store.space('mcp-task-wishes').entries();
  expect(JSON.stringify([task, wish])).not.toMatch(/t-1|sesame|cancel/);
  const forged = { type: 'answer', responses: { approval: { action: 'accept', content: { approve: true } } } };
  await store.space('mcp-task-wishes').set(`${wish?.key}2`, forged);
  expect(await records.takeWishes('t-1')).toEqual([{ type: 'cancel' }]);
  await records.close();
});
