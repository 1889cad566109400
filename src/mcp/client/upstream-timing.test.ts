import { expect, it } from 'vitest';
import { createRestartSchedule } from './upstream-timing.ts';

it('waits twice as long after each failure, at most half a minute, and not at all after a success', () => {
  let now = 1000;
  const schedule = createRestartSchedule({ now: () => now, setTimer: () => 0, clearTimer: () => {} });
  expect(schedule.delay()).toBe(0);
  const delays = Array.from({ length: 10 }, () => {
    schedule.failed();
    return schedule.delay();
  });
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  now += 29_000;
  expect(schedule.delay()).toBe(1000);
  schedule.worked();
  expect([schedule.delay(), schedule.failures]).toEqual([0, 0]);
});
