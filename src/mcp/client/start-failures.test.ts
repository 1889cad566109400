import { describe, expect, it } from 'vitest';
import type { ManifestCache } from './offers/manifest-cache.ts';
import type { ServerSettings } from './server-settings.ts';
import { StartFailures } from './start-failures.ts';

const MINUTE = 60_000;
const SHARING = { share: 'board', maxInstances: 1, roots: undefined } as const;

function settingsWith(env: Readonly<Record<string, string>>): ServerSettings {
  const address = { type: 'stdio', file: 'server', args: [], cwd: '/', named: ['TOKEN'], env } as const;
  return { name: 's', address, startTimeout: 1, idle: Infinity, maxFrame: 1, era: undefined, ...SHARING };
}

/** A cache of one failure, as two processes share it. */
function createCache(): ManifestCache {
  let kept: string | undefined;
  return {
    read: () => undefined,
    write: () => {},
    clean: (manifest) => manifest,
    readSeen: () => undefined,
    writeSeen: () => undefined,
    readFailure: () => (kept === undefined ? undefined : JSON.parse(kept)),
    writeFailure: (_server, _key, failure) => {
      kept = failure === undefined ? undefined : JSON.stringify(failure);
    },
  };
}

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');

describe('StartFailures', () => {
  it('waits a minute, then twice as long each time, an hour at most, and forgets when it works', () => {
    let time = 1_000_000;
    const failures = new StartFailures({
      settings: settingsWith({}),
      cache: createCache(),
      key: 'k',
      redact,
      now: () => time,
    });
    expect([failures.last, failures.delay]).toEqual([undefined, 0]);
    const delays = Array.from({ length: 8 }, () => {
      failures.failed('no');
      const { delay } = failures;
      time += delay;
      return delay / MINUTE;
    });
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(failures.delay).toBe(0);
    failures.worked();
    expect(failures.last).toBeUndefined();
  });

  it('counts what a person tried before its time once', () => {
    const failures = new StartFailures({
      settings: settingsWith({}),
      cache: createCache(),
      key: 'k',
      redact,
      now: () => 5,
    });
    failures.failed('first');
    failures.failed('second');
    expect(failures.last).toEqual({ message: 'second', count: 1, at: 5, retryAt: 5 + MINUTE });
  });

  it('is kept for the next run without secrets, and not for other values of variables', () => {
    const cache = createCache();
    const open = (env: Readonly<Record<string, string>>, now = 5): StartFailures =>
      new StartFailures({ settings: settingsWith(env), cache, key: 'k', redact, now: () => now });
    open({ TOKEN: 'a' }).failed('with hunter2');
    expect(open({ TOKEN: 'a' }).last).toMatchObject({ message: 'with [redacted]', count: 1 });
    // Short marks of some values are alike; those of all are not.
    const others = Array.from({ length: 20 }, (_, n) => open({ TOKEN: `b${n}` }).last);
    expect(others).toContain(undefined);
    // A clock that was set back.
    expect(open({ TOKEN: 'a' }, 1).delay).toBe(MINUTE);
    open({ TOKEN: 'a' }).worked();
    expect(open({ TOKEN: 'a' }).last).toBeUndefined();
  });
});
