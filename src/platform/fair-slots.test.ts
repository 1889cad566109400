import { expect, it } from 'vitest';
import { FairSlots } from './fair-slots.ts';

/** Takes slots until one has to wait, and returns their number. */
function fill(slots: FairSlots, name: string): number {
  for (let taken = 0; ; taken++) {
    const ticket = slots.take(name);
    if (ticket?.granted === undefined && ticket !== undefined) continue;
    ticket?.leave();
    return taken;
  }
}

it('allows each caller at most as many slots as are free', () => {
  const slots = new FairSlots({ limit: 32 });
  expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => fill(slots, name))).toEqual([16, 8, 4, 2, 1, 1, 0]);
  expect([slots.taken, slots.waiting]).toEqual([32, 0]);
});

it.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [8, 4],
])('gives the first caller, of %i slots, %i', (limit, share) => {
  expect(fill(new FairSlots({ limit }), 'a')).toBe(share);
});

it('allows the user of the board all of them', () => {
  expect(fill(new FairSlots({ limit: 8 }), '')).toBe(8);
});

it('gives a freed slot to the next eligible caller in turn', async () => {
  const slots = new FairSlots({ limit: 2 });
  const first = slots.take('a');
  const order: string[] = [];
  const wait = (name: string): void => void slots.take(name)?.granted?.then(() => order.push(name));
  wait('a');
  const other = slots.take('b');
  expect(other?.granted).toBeUndefined();
  wait('b');
  first?.leave();
  other?.leave();
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['a', 'b']);
});

it('limits one caller to half of the queue', () => {
  const slots = new FairSlots({ limit: 1, queue: 4 });
  const tickets = Array.from({ length: 6 }, () => slots.take('a'));
  expect(tickets.map((ticket) => ticket !== undefined)).toEqual([true, true, true, false, false, false]);
  expect(slots.take('b')).toBeDefined();
  for (const ticket of tickets) ticket?.leave();
  expect(slots.taken).toBe(1);
});
