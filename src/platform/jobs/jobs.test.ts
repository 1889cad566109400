import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { needs } from '../../../test/needs.test-helper.ts';
import { startPostgres, type TestServer } from '../postgres/test-server.test-helper.ts';
import type { BoardStore } from '../store/board-store.ts';
import { openBoardStore, openTemporaryStore } from '../store/open-board-store.ts';
import type { JobMessage } from './job-record.ts';
import { openJobs, openSealed, type TestJobs } from './jobs.test-helper.ts';

const HELPER = join(import.meta.dirname, 'jobs.test-helper.ts');

interface Place {
  readonly folder: string;
  readonly url: string | undefined;
  /** Opens the store like one more process. */
  readonly open: () => BoardStore;
}

/** One server for all tests, each with its own schema. */
let postgres: TestServer | undefined;
afterAll(() => postgres?.close());
let places = 0;

async function makePlace(driver: string): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-jobs-'));
  if (driver === 'PostgreSQL') postgres ??= await startPostgres();
  const url = driver === 'PostgreSQL' ? `${postgres?.url}?schema=place${++places}` : undefined;
  const memory = driver === 'memory' ? openTemporaryStore() : undefined;
  const opened: BoardStore[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = (): BoardStore => {
    const store = memory ?? openBoardStore({ folder, url });
    opened.push(store);
    return store;
  };
  return { folder, url, open };
}

/** Claims a job and fails if it cannot. */
async function take(jobs: TestJobs, id: string, start?: Parameters<TestJobs['open']>[1]) {
  const job = await jobs.open(id, start);
  if (typeof job === 'string') throw new Error(`The job "${id}" is ${job}.`);
  return job;
}

const START = { owner: 'ada', info: { title: 'Wheat' }, entries: [{ number: 0 }] } as const;

describe.each(['memory', 'SQLite', 'PostgreSQL'])('a job on %s', (driver) => {
  const tested = driver === 'PostgreSQL' ? needs('postgresql') : {};

  it('is worked on by one process at a time, which the next one resumes', tested, async () => {
    const { open } = await makePlace(driver);
    const [here, there] = [openJobs(openSealed(open())), openJobs(openSealed(open()))];
    expect(await there.open('a')).toBe('missing');
    const job = await take(here, 'a', START);
    expect(job).toMatchObject({ isNew: true, isOver: false, entries: [{ number: 0 }] });
    const large = 'sesame '.repeat(400_000);
    await job.append([{ number: 1 }, { number: 2, text: large }], { info: { step: 2 }, state: 'waiting' });
    await job.append([], { attachment: Buffer.from('a picture') });
    expect(await there.open('a', START)).toBe('held');
    expect(await there.holder('a')).toContain(`process ${process.pid} on `);
    await job.release();
    expect(await there.holder('a')).toBeUndefined();
    const next = await take(there, 'a');
    expect(next.entries).toEqual([{ number: 0 }, { number: 1 }, { number: 2, text: large }]);
    expect(next.record).toMatchObject({ owner: 'ada', state: 'waiting', info: { title: 'Wheat', step: 2 } });
    expect(String(await next.attachment())).toBe('a picture');
    await next.release();
  });

  it('keeps its result when it has ended, and nothing else', tested, async () => {
    const { open } = await makePlace(driver);
    const store = open();
    const jobs = openJobs(openSealed(store));
    const job = await take(jobs, 'a', START);
    await job.append([{ number: 1, text: 'x'.repeat(2_000_000) }], { attachment: Buffer.alloc(3_000_000) });
    await job.end('done', { info: { step: 9 }, result: { answer: new Date(5) } });
    await job.release();
    expect(await jobs.get('a')).toMatchObject({ state: 'done', endedAt: expect.any(Number), info: { step: 9 } });
    expect(await jobs.result('a')).toEqual({ answer: new Date(5) });
    expect(await store.status()).toMatchObject({ spaces: { 'test-jobs': 1, 'test-jobs-results': 1 }, pieces: 0 });
    const again = await take(jobs, 'a', START);
    expect(again).toMatchObject({ isOver: true, isNew: false, entries: [] });
    await again.release();
  });

  it('refuses writes of a stalled process after a takeover', tested, async () => {
    const { open } = await makePlace(driver);
    const [here, there] = [openJobs(openSealed(open())), openJobs(openSealed(open()))];
    const stalled = await take(here, 'a', START);
    // As if its lease had expired.
    await stalled.release();
    const other = await take(there, 'a');
    await expect(stalled.append([{ number: 1 }])).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(stalled.signal.aborted).toBe(true);
    expect(stalled.interruption).toContain('Another process took over');
    await expect(stalled.end('failed')).rejects.toThrow('Another process took over');
    await other.append([{ number: 7 }]);
    expect(await there.entries('a')).toEqual([{ number: 0 }, { number: 7 }]);
    expect(await here.get('a')).toMatchObject({ state: 'working' });
    await other.release();
  });

  it('receives messages of other processes, including earlier ones', tested, async () => {
    const { open } = await makePlace(driver);
    const [here, there] = [openJobs(openSealed(open())), openJobs(openSealed(open()))];
    await (await take(here, 'a', START)).release();
    await there.send('a', { type: 'answer', values: { sure: true } });
    const job = await take(here, 'a');
    const messages: JobMessage[] = [];
    await expect.poll(() => (job.onMessage((message) => void messages.push(message)), messages)).toHaveLength(1);
    await there.send('a', { type: 'input', values: { more: 1 } });
    await expect.poll(() => messages.length).toBe(2);
    await there.send('a', { type: 'cancel' });
    await expect.poll(() => messages.length).toBe(3);
    expect(messages).toEqual([
      { type: 'answer', values: { sure: true } },
      { type: 'input', values: { more: 1 } },
      { type: 'cancel' },
    ]);
    expect(job).toMatchObject({ isCancelled: true, interruption: undefined });
    await job.release();
    // An answer is delivered once. A cancellation outlives the process that received it.
    const next = await take(there, 'a');
    await expect.poll(() => next.isCancelled).toBe(true);
    await next.end('cancelled');
    await next.release();
  });

  it('is cancelled at once when no process works on it, and otherwise by its process', tested, async () => {
    const { open } = await makePlace(driver);
    const [here, there] = [openJobs(openSealed(open())), openJobs(openSealed(open()))];
    const end: Parameters<TestJobs['cancel']>[1] = (job) => job.end('cancelled');
    await (await take(here, 'idle', START)).release();
    expect(await there.cancel('idle', end)).toMatchObject({ state: 'cancelled' });
    const job = await take(here, 'busy', START);
    const cancelled = there.cancel('busy', end);
    await once(job.signal, 'abort');
    await job.end('failed', { result: { answer: 'stopped by itself' } });
    await job.release();
    expect(await cancelled).toMatchObject({ state: 'failed' });
    expect(await there.cancel('none', end)).toBeUndefined();
    const stop = new AbortController();
    const held = await take(here, 'held', START);
    const waiting = there.cancel('held', end, stop.signal);
    await once(held.signal, 'abort');
    stop.abort(new Error('no longer'));
    expect(await waiting).toBeUndefined();
    await held.release();
  });

  it('counts toward the quota of its owner', tested, async () => {
    const { open } = await makePlace(driver);
    const store = open();
    const limits = { ofOne: { jobs: 2, bytes: 100_000 }, ofAll: { jobs: 4, bytes: 1_000_000 } };
    const jobs = openJobs(openSealed(store), { limits });
    const start = async (id: string, owner: string): Promise<void> =>
      (await take(jobs, id, { ...START, owner })).release();
    await start('a1', 'ada');
    expect(await jobs.isFull('ada')).toBe(false);
    await start('a2', 'ada');
    expect([await jobs.isFull('ada'), await jobs.isFull('bob')]).toEqual([true, false]);
    expect((await jobs.list({ owner: 'ada' })).map(({ id }) => id)).toEqual(['a1', 'a2']);
    const own = await take(jobs, 'b1', { ...START, owner: 'bob' });
    await own.end('done', { result: { answer: 'x'.repeat(200_000) } });
    await own.release();
    expect([await jobs.isFull('bob'), await jobs.isFull('cyd')]).toEqual([true, false]);
    await start('c1', 'cyd');
    expect(await jobs.isFull('dan')).toBe(true);
    expect(JSON.stringify(await store.space('test-jobs').entries())).not.toMatch(/ada|Wheat/);
  });

  it('is deleted at its expiry time', tested, async () => {
    const { open } = await makePlace(driver);
    const jobs = openJobs(openSealed(open()));
    await (await take(jobs, 'a', { ...START, expiresAt: Date.now() + 1 })).release();
    await expect.poll(() => jobs.get('a')).toBeUndefined();
    await expect.poll(() => jobs.entries('a')).toEqual([]);
    expect(await jobs.open('a')).toBe('missing');
  });

  it('retries failed writes with the next one, if its kind says so', tested, async () => {
    const { open } = await makePlace(driver);
    const sealed = openSealed(open());
    let isAway = false;
    const transaction: typeof sealed.transaction = async (work) => {
      if (isAway) throw new Error('The store is away.');
      return sealed.transaction(work);
    };
    for (const retriesWrites of [true, false]) {
      isAway = false;
      const jobs = openJobs({ ...sealed, transaction }, { retriesWrites });
      const job = await take(jobs, `retries ${retriesWrites}`, START);
      isAway = true;
      await expect(job.append([{ number: 1 }])).rejects.toThrow('The store is away.');
      isAway = false;
      if (retriesWrites) await job.append([{ number: 2 }]);
      else await expect(job.append([{ number: 2 }])).rejects.toThrow('The store is away.');
      expect(job.signal.aborted).toBe(!retriesWrites);
      const numbers = (await jobs.entries(`retries ${retriesWrites}`)).map(({ number }) => number);
      expect(numbers).toEqual(retriesWrites ? [0, 1, 2] : [0]);
      await job.release();
    }
  });

  const processes = driver === 'memory' ? { skip: true } : tested;
  it('neither loses nor duplicates entries when its processes are killed', processes, async () => {
    const { open, folder, url } = await makePlace(driver);
    const jobs = openJobs(openSealed(open()));
    let last = -1;
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [HELPER, folder, ...(url === undefined ? [] : [url])], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      const target = last + 5;
      for await (const line of createInterface(child.stdout)) {
        last = Number(line);
        if (last >= target) child.kill('SIGKILL');
      }
      await ended;
      // Taken at once, because the process is known to have ended.
      const job = await take(jobs, 'counting');
      expect(job.entries.map(({ number }) => number)).toEqual(job.entries.map((_, index) => index));
      expect(job.entries.length).toBeGreaterThan(last);
      expect(job.record.info.step).toBe(job.entries.length - 1);
      await job.release();
    }
  });

  it('is claimed by exactly one of several processes', processes, async () => {
    const { open, folder, url } = await makePlace(driver);
    const child = spawn(process.execPath, [HELPER, folder, ...(url === undefined ? [] : [url])]);
    await once(child.stdout, 'data');
    const all = [1, 2, 3, 4].map(() => openJobs(openSealed(open())));
    expect(await Promise.all(all.map((jobs) => jobs.open('counting')))).toEqual(['held', 'held', 'held', 'held']);
    const dead = once(child, 'close');
    child.kill('SIGKILL');
    await dead;
    const taken = await Promise.all(all.map((jobs) => jobs.open('counting')));
    expect(taken.filter((job) => job === 'held')).toHaveLength(3);
    for (const job of taken) if (typeof job !== 'string') await job.release();
  });
});
