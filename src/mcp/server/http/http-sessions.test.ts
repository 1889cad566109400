import { expect, it } from 'vitest';
import { type Caller, LOCAL_USER } from '../caller.ts';
import { Connection } from '../connection.ts';
import { type HttpSession, HttpSessions } from './http-sessions.ts';

const NO_SERVER = { handle: () => undefined, forget: () => {} };
const connect = (caller: Caller): Connection => new Connection(NO_SERVER, { caller });

it('forgets unused sessions, and only those', () => {
  let now = 0;
  const ended: HttpSession[] = [];
  const sessions = new HttpSessions({ max: 2, ttl: 1000, now: () => now, onEnd: (session) => ended.push(session) });
  const [idle, used] = [
    sessions.create(connect(LOCAL_USER), { owner: 'a' }),
    sessions.create(connect(LOCAL_USER), { owner: 'a' }),
  ];
  if (idle === undefined || used === undefined) throw new Error('There is room for two.');
  now = 900;
  expect(sessions.find(used.id, LOCAL_USER)).toBe(used);
  now = 1100;
  sessions.expire();
  expect(ended).toEqual([idle]);
  expect(sessions.find(idle.id, LOCAL_USER)).toBeUndefined();
  used.busy = 1;
  now = 99_000;
  sessions.expire();
  expect(sessions.size).toBe(1);
  sessions.close();
  expect(ended).toEqual([idle, used]);
});

it('makes room with the session that its owner left alone for longest', () => {
  const ended: HttpSession[] = [];
  let now = 0;
  const sessions = new HttpSessions({ max: 2, ttl: 1000, now: () => now++, onEnd: (session) => ended.push(session) });
  const open = (): HttpSession | undefined => sessions.create(connect(LOCAL_USER), { owner: '127.0.0.1' });
  const [first, second] = [open(), open()];
  if (first === undefined || second === undefined) throw new Error('There is room for two.');
  expect(open()).toBeDefined();
  expect(ended).toEqual([first]);
  // One that only listens goes before one that waits for a call.
  const [, third] = [...sessions.all()];
  if (third === undefined) throw new Error('There are two.');
  Object.assign(second, { busy: 1 });
  Object.assign(third, { busy: 1, listening: 1 });
  expect(open()).toBeDefined();
  expect(ended).toEqual([first, third]);
  for (const session of sessions.all()) session.busy = 1;
  expect(open()).toBeUndefined();
  sessions.close();
});

it('lets no client keep others out by opening them all', () => {
  const ended: HttpSession[] = [];
  let now = 0;
  const sessions = new HttpSessions({ max: 3, ttl: 1000, now: () => now++, onEnd: (session) => ended.push(session) });
  const [greedy, other] = ['greedy', 'other'].map((id) => ({ ...LOCAL_USER, id }));
  if (greedy === undefined || other === undefined) throw new Error('There are two.');
  const taken = [1, 2, 3].map(() => sessions.create(connect(greedy), { owner: greedy.id }));
  expect(sessions.create(connect(other), { owner: other.id })).toBeDefined();
  expect(ended).toEqual([taken[0]]);
  // Its own sessions make room for more of them, never those of others.
  for (let more = 0; more < 5; more++) expect(sessions.create(connect(greedy), { owner: greedy.id })).toBeDefined();
  expect(ended.every(({ owner }) => owner === 'greedy')).toBe(true);
  sessions.close();
});

it('follow the rights of the credential that they were opened with', () => {
  const sessions = new HttpSessions({ max: 3, ttl: 1000, onEnd: () => {} });
  const [wide, narrow] = ['write', 'read'].map((key) => ({ id: 'ada', access: { key, allows: () => true } }));
  if (wide === undefined || narrow === undefined) throw new Error('There are two.');
  const session = sessions.create(connect(wide), { owner: 'ada', credential: 'one' });
  expect(sessions.find(session?.id ?? '', narrow, 'one')).toBe(session);
  expect(session?.connection.caller).toBe(narrow);
  expect(sessions.find(session?.id ?? '', wide, 'two')).toBeUndefined();
  sessions.close();
});

it('are not for the same caller with other rights', () => {
  const sessions = new HttpSessions({ max: 3, ttl: 1000, onEnd: () => {} });
  const [wide, narrow] = ['write', 'read'].map((key) => ({ id: 'ada', access: { key, allows: () => true } }));
  if (wide === undefined || narrow === undefined) throw new Error('There are two.');
  const session = sessions.create(connect(wide), { owner: wide.id });
  expect(sessions.find(session?.id ?? '', wide)).toBe(session);
  expect(sessions.find(session?.id ?? '', narrow)).toBeUndefined();
  sessions.close();
});
