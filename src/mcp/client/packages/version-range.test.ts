import { describe, expect, it } from 'vitest';
import { compareVersions, parseRange, satisfies } from './version-range.ts';

describe('satisfies', () => {
  it.for<[range: string, inside: string, outside: string]>([
    ['^1.2.3', '1.2.3 1.9.0', '1.2.2 2.0.0 2.0.0-beta 1.3.0-beta'],
    ['^0.2.3', '0.2.3 0.2.9', '0.3.0 0.2.2'],
    ['^0.0.3', '0.0.3', '0.0.4 0.0.2'],
    ['^0.0', '0.0.0 0.0.9', '0.1.0'],
    ['^0', '0.0.1 0.9.0', '1.0.0'],
    ['^1', '1.0.0 1.9.9', '0.9.9 2.0.0'],
    ['^1.2.3-beta.2', '1.2.3-beta.2 1.2.3-beta.10 1.2.3 1.3.0', '1.2.3-beta.1 1.2.3-alpha 1.2.4-beta.2'],
    ['~1.2.3', '1.2.3 1.2.9', '1.3.0 1.2.2'],
    ['~1.2', '1.2.0 1.2.9', '1.3.0'],
    ['~1', '1.0.0 1.9.0', '2.0.0'],
    ['1.2', '1.2.0 1.2.9', '1.3.0 1.1.9'],
    ['1.x', '1.0.0 1.9.9', '2.0.0'],
    ['=1.2.3', '1.2.3 1.2.3+build', '1.2.4'],
    ['v1.2.3', '1.2.3', '1.2.4'],
    ['*', '0.0.1 9.9.9', '1.0.0-beta'],
    ['x', '0.0.1 9.9.9', '1.0.0-beta'],
    ['>=1.2.3 <2', '1.2.3 1.9.9', '1.2.2 2.0.0 2.0.0-rc.1'],
    ['>= 1.2.3 < 1.5.0', '1.2.3 1.4.9', '1.5.0'],
    ['>1', '2.0.0', '1.0.0 1.9.9'],
    ['>1.2', '1.3.0', '1.2.9'],
    ['>1.2.3', '1.2.4', '1.2.3'],
    ['<=1', '1.9.9 0.1.0', '2.0.0'],
    ['<=1.2.3', '1.2.3', '1.2.4'],
    ['<1.2', '1.1.9', '1.2.0'],
    ['1.2.3 - 1.4', '1.2.3 1.4.9', '1.5.0 1.2.2'],
    ['1 - 2.0.0', '1.0.0 2.0.0', '2.0.1'],
    ['^1 || ~3.1.0', '1.5.0 3.1.9', '2.0.0 3.2.0'],
  ])('%s', ([text, inside, outside]) => {
    const range = parseRange(text) ?? [];
    const isIn = (version: string): boolean => satisfies(version, range);
    expect(inside.split(' ').filter((version) => !isIn(version))).toEqual([]);
    expect(outside.split(' ').filter((version) => isIn(version))).toEqual([]);
  });

  it('knows no other texts, and no versions that are none', () => {
    for (const text of ['latest', '1.2.3.4', '^', '../1', 'file:x', '>x', '1 2 three'])
      expect(parseRange(text)).toBeUndefined();
    expect(satisfies('1.2', [[]])).toBe(false);
  });
});

it('orders versions as npm does', () => {
  const sorted = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.2.0',
    '1.10.0',
  ];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
});
