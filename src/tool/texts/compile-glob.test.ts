import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from './compile-glob.ts';

describe('compileGlob', () => {
  it.each([
    ['git_log', 'git_log', true],
    ['git_log', 'git_log2', false],
    ['git_*', 'git_', true],
    ['git_*', 'xgit_log', false],
    ['*_log', 'git_log', true],
    ['*', '', true],
    ['**', 'anything', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['ab*ba', 'aba', false],
    ['a*a*a', 'aa', false],
    // Nothing but the star is special.
    ['git.log', 'git-log', false],
    ['git.*', 'git-log', false],
    ['[ab]*', 'abc', false],
    ['[ab]*', '[ab]c', true],
    ['(a|b)+$*', '(a|b)+$!', true],
    ['a?', 'ab', false],
    ['\\*', '\\x', true],
    ['Git_*', 'git_log', false],
  ])('%s and %s: %s', (glob, text, expected) => {
    expect(compileGlob(glob)(text)).toBe(expected);
  });

  it('means the same as the regular expression with ".*" for each star', () => {
    const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 7 });
    fc.assert(
      fc.property(alphabet, alphabet, (glob, text) => {
        const source = glob.split('*').map(escapeDots).join('.*');
        expect(compileGlob(glob)(text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('finishes on a glob of many stars and a long name', () => {
    expect(compileGlob('*a'.repeat(50_000))('a'.repeat(49_999))).toBe(false);
  });
});

function escapeDots(text: string): string {
  return text.replaceAll('.', '\\.');
}
