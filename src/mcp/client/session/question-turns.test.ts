import { describe, expect, it } from 'vitest';
import type { UpstreamClock } from '../upstream-timing.ts';
import { type AskingHabits, QuestionTurns } from './question-turns.ts';
import type { RequestListener } from './rpc-peer.ts';

/** A clock that stands still until it is moved. */
function createClock(): UpstreamClock & { pass(milliseconds: number): void } {
  let now = 0;
  const timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  return {
    now: () => now,
    setTimer(callback, milliseconds) {
      const timer = { due: now + milliseconds, callback };
      timers.add(timer);
      return timer;
    },
    clearTimer: () => {},
    pass(milliseconds) {
      now += milliseconds;
      for (const timer of timers) {
        if (timer.due > now) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

interface Person extends RequestListener {
  readonly name: string;
  readonly heard: string[];
}

function person(name: string): Person {
  const heard: string[] = [];
  return { name, heard, answerer: { name }, onLog: (_, message) => heard.push(message) };
}

function open(given: { asking?: readonly string[]; quiet?: readonly string[] } = {}) {
  const habits: AskingHabits = { asking: new Set(given.asking), quiet: new Set(given.quiet) };
  const clock = createClock();
  const turns = new QuestionTurns({ server: 'desk', habits, clock });
  const sent: string[] = [];
  const enter = async (listener: Person, tool: string, signal = new AbortController().signal) => {
    const turn = await turns.enter({ ...listener, tool, signal, untimed: (work) => work });
    sent.push(`${listener.name} ${tool}`);
    return (isDone: boolean): void => turns.leave(turn, isDone);
  };
  // Gives the name of the one that is asked.
  const ask = (): Promise<string> =>
    turns.ask(async (listener) => (listener === undefined ? 'none' : (listener as Person).name));
  return { habits, clock, sent, enter, ask };
}

/** Lets all that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('calls of two people', () => {
  it('are sent one after the other while a tool is not known, and at once when it asked nothing', async () => {
    const { enter, sent } = open();
    const [ada, bob] = [person('ada'), person('bob')];
    const leave = await enter(ada, 'x');
    await enter(ada, 'x');
    const second = enter(bob, 'y');
    await settle();
    expect(sent).toEqual(['ada x', 'ada x']);
    leave(true);
    // Seen to ask nothing, the other call of it holds none up.
    await second;
    expect(sent).toEqual(['ada x', 'ada x', 'bob y']);
  });

  it('wait no longer than ten seconds for a tool that is not known, and as long as it takes for one that asks', async () => {
    const { enter, sent, clock, ask, habits } = open();
    const [ada, bob] = [person('ada'), person('bob')];
    await enter(ada, 'x');
    const second = enter(bob, 'y');
    clock.pass(9_999);
    await settle();
    expect(sent).toEqual(['ada x']);
    clock.pass(1);
    const leave = await second;
    leave(false);
    expect(await ask()).toBe('ada');
    expect([...habits.asking]).toEqual(['x']);
    const third = enter(bob, 'y');
    clock.pass(60_000);
    await settle();
    expect(sent).toEqual(['ada x', 'bob y']);
    void third;
  });

  it('come in their turn, and one that is given up lets the next pass', async () => {
    const { enter, sent } = open({ asking: ['x'] });
    const [ada, bob, eve] = [person('ada'), person('bob'), person('eve')];
    const leave = await enter(ada, 'x');
    const gone = new AbortController();
    const second = enter(bob, 'x', gone.signal);
    const third = enter(eve, 'x');
    const fourth = enter(ada, 'x');
    gone.abort(new Error('gave up'));
    await expect(second).rejects.toThrow('gave up');
    leave(true);
    (await third)(true);
    await fourth;
    expect(sent).toEqual(['ada x', 'eve x', 'ada x']);
  });
});

describe('a question', () => {
  it('is for the one person whose calls are under way, and for none when there is no call', async () => {
    const { enter, ask } = open({ quiet: ['x'] });
    expect(await ask()).toBe('none');
    const ada = person('ada');
    await Promise.all([enter(ada, 'x'), enter(ada, 'x'), enter(ada, 'y')]);
    expect(await Promise.all([ask(), ask()])).toEqual(['ada', 'ada']);
  });

  it('waits until quiet calls of others are over, and new calls wait for it', async () => {
    const { enter, ask, sent } = open({ quiet: ['x'], asking: ['y'] });
    const [ada, bob] = [person('ada'), person('bob')];
    const leave = await enter(bob, 'x');
    await enter(ada, 'y');
    const asked = ask();
    const next = enter(bob, 'x');
    await settle();
    expect(sent).toEqual(['bob x', 'ada y']);
    leave(true);
    expect(await asked).toBe('ada');
    await next;
  });

  it('is declined after ten seconds, and when every call may wait for an answer', async () => {
    const { enter, ask, clock, habits } = open({ quiet: ['x'], asking: ['y'] });
    const [ada, bob] = [person('ada'), person('bob')];
    await enter(bob, 'x');
    await enter(ada, 'y');
    const late = ask();
    clock.pass(10_000);
    expect(await late).toBe('none');
    expect(ada.heard).toHaveLength(1);
    expect(await Promise.all([ask(), ask()])).toEqual(['none', 'none']);
    expect(bob.heard).toEqual([
      expect.stringContaining('The MCP server "desk" asked a question while 2 calls'),
      bob.heard[0],
    ]);
    expect([...habits.quiet]).toEqual([]);
  });
});
