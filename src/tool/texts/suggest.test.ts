import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestNames } from './suggest.ts';

const KNOWN = ['git_log', 'git_status', 'docker_logs', 'send.mail', 'GitBlame', 'find_note'];

describe('nearestNames', () => {
  it.each([
    ['git_lgo', ['git_log']],
    ['GIT-LOG', ['git_log']],
    ['sendmail', ['send.mail']],
    ['log', ['git_log', 'docker_logs']],
    ['functions.git_status', ['git_status']],
    ['nothing_like_it_at_all', []],
    ['', []],
  ])('finds names similar to %j', (name, expected) => {
    expect(nearestNames(name, KNOWN).slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  it('ignores a name of which half would change, unless it is short', () => {
    expect(nearestNames('resource', ['force'])).toEqual([]);
    expect(nearestNames('hale', ['hail'])).toEqual(['hail']);
  });

  it('returns at most the requested number, best first, equals by name', () => {
    expect(nearestNames('note_1', ['note_4', 'note_3', 'note_1', 'note_2'], 3)).toEqual(['note_1', 'note_2', 'note_3']);
  });

  it('does not depend on the order of names', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_', 'D', '1'), maxLength: 8 });
    fc.assert(
      fc.property(words, fc.uniqueArray(words), (name, known) => {
        expect(nearestNames(name, known)).toEqual(nearestNames(name, known.toReversed()));
        expect(nearestNames(name, known)).toEqual(nearestNames(name, known, known.length).slice(0, 3));
      }),
    );
  });
});
