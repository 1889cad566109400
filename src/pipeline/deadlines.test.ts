import { describe, expect, it } from 'vitest';
import { Deadlines, type Waiter } from './deadlines.ts';
import { fakeClock } from './fake-clock.test-helper.ts';

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

  it('never expires a removed waiter, from any position', () => {
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

  it("extends a waiter's time, but not past its latest time", () => {
    const { clock, advance } = fakeClock();
    const deadlines = new Deadlines(clock);
    const expired: string[] = [];
    const [late, other] = [waiter('late', expired), waiter('other', expired)];
    deadlines.add(late, 100);
    deadlines.add(other, 100);
    advance(90);
    deadlines.putOff(late, 100, 250);
    advance(180);
    expect(expired).toEqual(['other']);
    deadlines.putOff(late, 100, 250);
    advance(249);
    expect(expired).toEqual(['other']);
    // The latest time has already been reached.
    deadlines.putOff(late, 100, 250);
    advance(250);
    expect(expired).toEqual(['other', 'late']);
    deadlines.putOff(late, 100, 1000);
    advance(2000);
    expect(expired).toEqual(['other', 'late']);
  });
});
