import { describe, expect, it } from 'vitest';
import { type Clock, Deadlines, type Waiter } from './deadlines.ts';

/** A clock that moves only when told, and counts the timers set. */
function fakeClock() {
  let time = 0;
  let timers: { at: number; run: () => void }[] = [];
  let set = 0;
  const clock: Clock = {
    now: () => time,
    setTimer: (run, milliseconds) => {
      set++;
      const timer = { at: time + milliseconds, run };
      timers.push(timer);
      return timer;
    },
    clearTimer: (timer) => {
      timers = timers.filter((other) => other !== timer);
    },
  };
  const advance = (to: number): void => {
    for (;;) {
      const next = timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > to) break;
      timers = timers.filter((other) => other !== next);
      time = Math.max(time, next.at);
      next.run();
    }
    time = to;
  };
  return { clock, advance, pending: () => timers.length, timersSet: () => set };
}

function waiter(name: string, expired: string[]): Waiter {
  return { row: undefined, due: 0, previous: undefined, next: undefined, expire: () => void expired.push(name) };
}

describe('Deadlines', () => {
  it('expires each waiter at its time, shortest first', () => {
    const { clock, advance } = fakeClock();
    const deadlines = new Deadlines(clock);
    const expired: string[] = [];
    deadlines.add(waiter('long', expired), 1000);
    deadlines.add(waiter('short', expired), 10);
    advance(9);
    expect(expired).toEqual([]);
    advance(11);
    expect(expired).toEqual(['short']);
    advance(999);
    expect(expired).toEqual(['short']);
    advance(1001);
    expect(expired).toEqual(['short', 'long']);
  });

  it('never expires a waiter that was removed, wherever it stood', () => {
    const { clock, advance } = fakeClock();
    const deadlines = new Deadlines(clock);
    const expired: string[] = [];
    const waiters = ['a', 'b', 'c', 'd'].map((name) => waiter(name, expired));
    for (const each of waiters) deadlines.add(each, 50);
    for (const index of [1, 0, 3]) {
      const each = waiters[index];
      if (each !== undefined) deadlines.remove(each);
    }
    advance(100);
    expect(expired).toEqual(['c']);
  });

  it('sets one timer for any number of quick calls', () => {
    const { clock, timersSet } = fakeClock();
    const deadlines = new Deadlines(clock);
    for (let n = 0; n < 1000; n++) {
      const each = waiter('x', []);
      deadlines.add(each, 30_000);
      deadlines.remove(each);
    }
    expect(timersSet()).toBe(1);
  });

  it('leaves no timer behind when nothing waits', () => {
    const { clock, advance, pending } = fakeClock();
    const deadlines = new Deadlines(clock);
    const each = waiter('x', []);
    deadlines.add(each, 30_000);
    advance(100);
    expect(pending()).toBe(1);
    deadlines.remove(each);
    expect(pending()).toBe(0);
  });
});
