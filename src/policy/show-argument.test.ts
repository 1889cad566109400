import { describe, expect, it } from 'vitest';
import { showArgument, showText } from './show-argument.ts';

describe('showText', () => {
  it('spells out what a terminal would act on', () => {
    expect(showText('a\u001b[2Jb\nc\u202ed')).toBe('a\\u001b[2Jb\\u000ac\\u202ed');
  });

  it('shows both ends of a long text', () => {
    expect(showText(`rm -rf ${' '.repeat(500)}/home`)).toMatch(/^rm -rf +… 312 more characters … +\/home$/);
  });
});

describe('showArgument', () => {
  it('shortens lists, objects and depth', () => {
    expect(showArgument(Array.from({ length: 22 }, (_, index) => index))).toHaveLength(21);
    expect(showArgument({ a: { b: { c: { d: { e: 1 } } } }, n: null, u: undefined, t: true })).toEqual({
      a: { b: { c: { d: '…' } } },
      n: null,
      u: undefined,
      t: true,
    });
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`k${index}`, 1]));
    expect(showArgument(many)).toMatchObject({ k19: 1, '…': '5 more' });
  });
});
