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

it('lets nobody keep others out by opening them all', () => {
  const ended: Session[] = [];
  let now = 0;
  const sessions = new Sessions({ max: 3, ttl: 1000, now: () => now++, onEnd: (session) => ended.push(session) });
  const [greedy, other] = ['greedy', 'other'].map((id) => ({ ...ANYBODY, id }));
  if (greedy === undefined || other === undefined) throw new Error('There are two.');
  const taken = [1, 2, 3].map(() => sessions.create(new Connection(greedy)));
  expect(sessions.create(new Connection(greedy))).toBeUndefined();
  expect(sessions.create(new Connection(other))).toBeDefined();
  expect(ended).toEqual([taken[0]]);
  expect(sessions.create(new Connection(greedy))).toBeUndefined();
  sessions.close();
});

it('are not for the same caller with other rights', () => {
  const sessions = new Sessions({ max: 3, ttl: 1000, onEnd: () => {} });
  const [wide, narrow] = ['write', 'read'].map((key) => ({ id: 'ada', access: { key, allows: () => true } }));
  if (wide === undefined || narrow === undefined) throw new Error('There are two.');
  const session = sessions.create(new Connection(wide));
  expect(sessions.find(session?.id ?? '', wide)).toBe(session);
  expect(sessions.find(session?.id ?? '', narrow)).toBeUndefined();
  sessions.close();
});
