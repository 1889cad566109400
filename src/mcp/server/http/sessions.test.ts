import { expect, it } from 'vitest';
import { ANYBODY } from '../caller.ts';
import { Connection } from '../connection.ts';
import { type Session, Sessions } from './sessions.ts';

it('forgets sessions that nobody uses, and only those', () => {
  let now = 0;
  const ended: Session[] = [];
  const sessions = new Sessions({ max: 2, ttl: 1000, now: () => now, onEnd: (session) => ended.push(session) });
  const [idle, used] = [sessions.create(new Connection(ANYBODY)), sessions.create(new Connection(ANYBODY))];
  if (idle === undefined || used === undefined) throw new Error('There is room for two.');
  expect(sessions.create(new Connection(ANYBODY))).toBeUndefined();
  now = 900;
  expect(sessions.find(used.id, ANYBODY)).toBe(used);
  now = 1100;
  sessions.expire();
  expect(ended).toEqual([idle]);
  expect(sessions.find(idle.id, ANYBODY)).toBeUndefined();
  used.busy = 1;
  now = 99_000;
  sessions.expire();
  expect(sessions.size).toBe(1);
  sessions.close();
  expect(ended).toEqual([idle, used]);
});
