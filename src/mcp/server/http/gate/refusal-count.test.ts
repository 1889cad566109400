import { expect, it } from 'vitest';
import { RefusalCount } from './login.ts';

it('lets an address try again as time goes by', () => {
  let now = 0;
  const count = new RefusalCount(6, () => now);
  for (let tries = 0; tries < 6; tries++) {
    expect(count.secondsToWait('a')).toBe(0);
    count.add('a');
  }
  expect(count.secondsToWait('a')).toBe(10);
  expect(count.secondsToWait('b')).toBe(0);
  now = 10_000;
  expect(count.secondsToWait('a')).toBe(0);
  count.add('a');
  expect(count.secondsToWait('a')).toBe(10);
  now = 70_000;
  expect(count.secondsToWait('a')).toBe(0);
});

it('remembers no more than it needs, and the worst longest', () => {
  let now = 0;
  const count = new RefusalCount(1, () => now);
  for (let index = 0; index < 20_000; index++) {
    count.add(`address-${index}`);
    count.add('stubborn');
  }
  expect(count.size).toBe(10_000);
  expect([count.secondsToWait('stubborn'), count.secondsToWait('address-0')]).toEqual([60, 0]);
  now = 120_000;
  count.add('late');
  expect(count.size).toBe(1);
});
