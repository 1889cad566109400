import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import type { BoardStore } from '../../../platform/store/board-store.ts';
import { openBoardStore } from '../../../platform/store/open-board-store.ts';
import { sealStore } from '../../../platform/store/sealed-space.ts';
import { type Caller, LOCAL_USER } from '../caller.ts';
import { Connection } from '../connection.ts';
import { RunningTask } from './running-task.ts';
import { StoredTasks, type TaskJob } from './stored-tasks.ts';
import type { TaskRecord } from './task-record.ts';

const NO_SERVER = { handle: () => undefined, forget: () => {} };
const connect = (caller: Caller): Connection => new Connection(NO_SERVER, { caller });

function open(): { readonly store: BoardStore; readonly process: () => StoredTasks } {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-tasks-'));
  const store = openBoardStore({ folder });
  const key = randomBytes(32);
  const sealed = sealStore(store, { open: async () => key });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, process: () => new StoredTasks({ registry: new ToolRegistry(), sealed }) };
}

const CALL = { name: 'pay', arguments: { amount: 1 } };

/** Begins a task in a process. */
async function begin(tasks: StoredTasks): Promise<{ readonly task: RunningTask; readonly job: TaskJob }> {
  const now = new Date().toISOString();
  const times = { createdAt: now, lastUpdatedAt: now, ttlMs: 60_000 };
  const record: TaskRecord = { taskId: 't-1', tool: 'pay', caller: '', state: { status: 'working' }, ...times };
  const job = await tasks.create(record, CALL, undefined);
  if (job === undefined) throw new Error('The task was not stored.');
  const connection = connect(LOCAL_USER);
  const controller = new AbortController();
  const task = new RunningTask({ connection, record, controller, job: Promise.resolve(job), onChange: () => {} });
  return { task, job };
}

it('lets no tool begin in a process whose task another one has taken over', async () => {
  const { process } = open();
  const [stalled, other] = [process(), process()];
  const { task, job } = await begin(stalled);
  // The process is stopped for so long that its lease ends; then another one takes the task.
  await job.release();
  let taken: TaskJob | undefined;
  await other.find('t-1', async (orphan) => {
    taken = orphan;
    return task.record;
  });
  expect(taken?.entries).toEqual([CALL]);
  const began = { tool: 'pay', mayRepeat: false };
  await expect(task.keepBeginning(began)).rejects.toMatchObject({
    code: 'cancelled',
    message:
      'The tool "pay" was not run: another process has taken its task over, because this one did not respond in time.',
  });
  task.stop();
  expect(await task.saved).toBe(false);
  expect(await other.find('t-1')).toMatchObject({ state: { status: 'working' } });
  await taken?.append([], { info: { began } });
  await taken?.release();
});

it('lets no tool begin whose client was told that the task is over', async () => {
  const { process } = open();
  const [stalled, other] = [process(), process()];
  const { task, job } = await begin(stalled);
  await job.release();
  expect(await other.find('t-1', async () => undefined)).toMatchObject({ state: { status: 'failed' } });
  await expect(task.keepBeginning({ tool: 'pay', mayRepeat: true })).rejects.toMatchObject({ code: 'cancelled' });
});

it('keeps tasks and answers to their questions sealed, under names that do not tell their ids', async () => {
  const { store, process } = open();
  const tasks = process();
  const { task, job } = await begin(tasks);
  await job.release();
  await tasks.send(task.record, { type: 'answer', values: { sure: 'sesame' } });
  const [message] = await store.space('mcp-tasks-wishes').entries();
  const log = await store.space('mcp-tasks-log').entries();
  const forged = { type: 'answer', values: { approval: { action: 'accept', content: { approve: true } } } };
  await store.space('mcp-tasks-wishes').set(`${message?.key}2`, JSON.stringify(forged));
  const answers: unknown[] = [];
  await tasks.find('t-1', async (orphan) => {
    orphan.onMessage((message) => void answers.push(message));
    await expect.poll(() => answers.length).toBe(1);
    await orphan.end('done', { result: { status: 'completed', result: { content: 'sesame' } } });
    await orphan.release();
    return task.record;
  });
  expect(answers).toEqual([{ type: 'answer', values: { sure: 'sesame' } }]);
  const spaces = ['mcp-tasks', 'mcp-tasks-results'].map((name) => store.space(name).entries());
  expect(JSON.stringify([message, log, ...(await Promise.all(spaces))])).not.toMatch(/t-1|sesame|amount/);
});
