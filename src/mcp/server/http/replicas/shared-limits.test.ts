import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBoardStore } from '../../../../platform/store/open-board-store.ts';
import { ClientLimiter } from '../gate/client-limiter.ts';
import { Replica } from './replica.ts';
import { SharedLimits } from './shared-limits.ts';

it('counts what a client asks of other processes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-limits-'));
  const start = () => {
    const store = openBoardStore({ folder });
    const replica = new Replica({ store: () => store, onMail: () => {} });
    const limiter = new ClientLimiter({ concurrency: 12 });
    const shared = new SharedLimits(limiter, replica);
    return { store, replica, limiter, shared };
  };
  const [one, other] = [start(), start()];
  await Promise.all([one.replica.join(), other.replica.join()]);
  const running = Array.from({ length: 6 }, () => one.limiter.start('ada'));
  expect(other.limiter.start('ada').ok).toBe(true);
  // Six run there, so that six more may run here: one does.
  await expect.poll(() => countFree(other.limiter, 'ada')).toBe(5);
  expect(countFree(other.limiter, 'bob')).toBe(12);
  for (const turn of running) if (turn.ok) turn.end();
  for (const { shared, replica, store } of [one, other]) {
    shared.close();
    await replica.close();
    await store.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Counts the further requests of a client that may run. Each is taken back at once. */
function countFree(limiter: ClientLimiter, client: string): number {
  const turns = [];
  for (let turn = limiter.start(client); turn.ok; turn = limiter.start(client)) turns.push(turn);
  for (const turn of turns) turn.end();
  return turns.length;
}

it('takes what was asked for elsewhere from what may be asked for here', () => {
  // A clock that stands still: nothing is refilled.
  const limiter = new ClientLimiter({ rate: 5, burst: 10 }, () => 0);
  expect(limiter.start('ada').ok).toBe(true);
  limiter.countElsewhere('ada', { admitted: 6, running: 0 });
  expect(countFree(limiter, 'ada')).toBe(3);
  limiter.countElsewhere('ada', { admitted: 1_000, running: 0 });
  expect(limiter.start('ada')).toEqual({ ok: false, retryAfter: 2 });
});
