import { describe, expect, it } from 'vitest';
import { compileLimits } from './check-limits.ts';

describe('compileLimits', () => {
  it.each([
    [{ pattern: 'main|dev' }, ['main', 'dev'], ['maint', 'xdev', '', null, {}, 'main\n']],
    [{ pattern: '^\\d+$' }, ['12', 12], ['1a', -1, true]],
    [{ pattern: '^(?!-)[a-z-]+$' }, ['a-b'], ['-b']],
    [{ min: 1, max: 3 }, [1, 3, '2', 2.5], [0, 4, '4', '0x2', ' 2', '', 'two', true, null, Number.NaN, '1e9']],
    [{ enum: ['a', 1, true] }, ['a', 1, true], ['b', '1', 'true', null]],
    [{ max_length: 3 }, ['abc', '🐲🐲🐲', 123], ['abcd', '🐲🐲🐲🐲', 1234, { a: 1 }]],
    [{ pattern: null, min: null, max: null }, ['anything', 5], []],
    [{}, ['anything', { a: 1 }], []],
  ])('%j lets %j through and stops %j', (limits, good, bad) => {
    const check = compileLimits({ x: limits });
    expect(good.filter((x) => check({ x }).length > 0)).toEqual([]);
    expect(bad.filter((x) => check({ x }).length === 0)).toEqual([]);
  });

  it('names the broken rule and the value', () => {
    const check = compileLimits({
      branch: { pattern: '[a-z]+', max_length: 5 },
      depth: { min: 1, max: 9 },
      mode: { enum: ['fast', 'slow'] },
    });
    expect(check({ branch: 'RELEASE', depth: 0, mode: 'warp' })).toEqual([
      { path: ['branch'], message: 'must match the pattern [a-z]+ as a whole under the policy; got "RELEASE"' },
      { path: ['branch'], message: 'must be at most 5 characters long under the policy; got "RELEASE"' },
      { path: ['depth'], message: 'must be at least 1 under the policy; got 0' },
      { path: ['mode'], message: 'must be one of "fast", "slow" under the policy; got "warp"' },
    ]);
    expect(check({})).toEqual([]);
  });

  it('finds values in nested objects, in lists and under keys with dots', () => {
    const check = compileLimits({ 'filter.path': { pattern: 'ok' } });
    const paths = (args: unknown): unknown => check(args).map(({ path }) => path);
    expect(paths({ filter: { path: 'no' } })).toEqual([['filter', 'path']]);
    expect(paths({ filter: { path: ['ok', 'no', ['no']] } })).toEqual([
      ['filter', 'path', 1],
      ['filter', 'path', 2, 0],
    ]);
    expect(paths({ filter: [{ path: 'ok' }, { path: 'no' }] })).toEqual([['filter', 1, 'path']]);
    expect(paths({ 'filter.path': 'no', filter: { path: 'no' } })).toEqual([['filter', 'path'], ['filter.path']]);
    expect(paths({ filter: 'no', path: 'no' })).toEqual([]);
  });

  it('ignores inherited properties', () => {
    expect(compileLimits({ 'constructor.name': { enum: [] } })({ toString: 1 })).toEqual([]);
  });

  it('accepts nothing if the pattern cannot run', () => {
    expect(compileLimits({ x: { pattern: '(a)\\1' } })({ x: 'aa' })).toEqual([
      {
        path: ['x'],
        message: 'cannot be checked: the policy\'s pattern (a)\\1 cannot run, so nothing passes; got "aa"',
      },
    ]);
  });

  it('wraps a pattern that would close the group around it', () => {
    expect(compileLimits({ x: { pattern: 'a)|(?:.*' } })({ x: 'anything' })).toHaveLength(1);
  });
});
