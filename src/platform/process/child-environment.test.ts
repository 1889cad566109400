import { describe, expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

const from = { PATH: '/bin', HOME: '/home/me', LC_ALL: 'C', LC_TIME: 'C', API_KEY: 'k', GONE: undefined };

describe('childEnvironment', () => {
  it('passes on PATH, HOME and LANG where they are set, and nothing else', () => {
    expect(childEnvironment({ from })).toEqual({ PATH: '/bin', HOME: '/home/me' });
  });

  it('passes on the names and globs that are allowed', () => {
    expect(childEnvironment({ from, allowed: ['API_KEY', 'LC_*', 'GONE', 'MISSING'] })).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      API_KEY: 'k',
      LC_ALL: 'C',
      LC_TIME: 'C',
    });
    expect(Object.keys(childEnvironment({ from, allowed: ['API?KEY', 'LC.ALL', 'C_A'] }))).toEqual([
      'PATH',
      'HOME',
      'API_KEY',
    ]);
  });

  it('lets set values win', () => {
    expect(childEnvironment({ from, set: { PATH: '/opt', NEW: '' } })).toEqual({
      PATH: '/opt',
      HOME: '/home/me',
      NEW: '',
    });
  });
});
