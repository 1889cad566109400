import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNameTable } from './name-table.ts';

const RULES = { character: /[A-Za-z0-9_-]/, first: /[A-Za-z_]/, maxLength: 16 };
const names = fc.array(
  fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('a.b', 'a_b', 'a b', 'a/b', '1a', '', 'éé', '👍', 'x'.repeat(20)),
  ),
);

describe('createNameTable', () => {
  test('keeps an accepted name, and distinguishes others that would become it', () => {
    const table = createNameTable(['a.b', 'a_b', 'a b', 'c.d'], RULES);
    expect(table.entries()).toEqual([
      ['a.b', 'a_b_04la3gs'],
      ['a_b', 'a_b'],
      ['a b', 'a_b_04m7u2a'],
      ['c.d', 'c_d'],
    ]);
    expect(table.toOriginal('c_d')).toBe('c.d');
    expect(table.toProvider('nowhere')).toBeUndefined();
    expect(table.toOriginal('nowhere')).toBeUndefined();
  });

  test('shortens a long name to the limit and keeps two of them apart', () => {
    const table = createNameTable(['list_all_open_issues', 'list_all_open_items'], RULES);
    const [first, second] = table.entries().map(([, providerName]) => providerName);
    expect(first).toMatch(/^list_all_[0-9a-z]{7}$/);
    expect(second).toMatch(/^list_all_[0-9a-z]{7}$/);
    expect(first).not.toBe(second);
  });

  test.each([
    ['small letters', /[a-z]/],
    ['capital letters and digits', /[A-Z0-9]/],
    ['letters and dots', /[A-Za-z.]/],
  ])('changes names with %s alone where a provider takes nothing else', (_, character) => {
    const given = ['fs-read', 'fs_read', 'Fs-Read', '1', '', 'x'.repeat(40)];
    const table = createNameTable(given, { character, maxLength: 24 });
    for (const [name, providerName] of table.entries()) {
      expect(providerName).toMatch(new RegExp(`^${character.source}{1,24}$`));
      expect(table.toOriginal(providerName)).toBe(name);
    }
  });

  test('puts an underscore before a first character that is not allowed', () => {
    expect(createNameTable(['1st', '-x'], RULES).entries()).toEqual([
      ['1st', '_1st'],
      ['-x', '_-x'],
    ]);
  });

  test('round-trips every set of names within the rules', () => {
    fc.assert(
      fc.property(names, (list) => {
        const table = createNameTable(list, RULES);
        const pairs = table.entries();
        expect(pairs.map(([name]) => name)).toEqual([...new Set(list)]);
        expect(new Set(pairs.map(([, providerName]) => providerName)).size).toBe(pairs.length);
        for (const [name, providerName] of pairs) {
          expect(providerName).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,15}$/);
          expect(table.toOriginal(providerName)).toBe(name);
          expect(providerName === name).toBe(/^[A-Za-z_][A-Za-z0-9_-]{0,15}$/.test(name));
        }
      }),
    );
  });

  test('does not depend on the order of the names', () => {
    fc.assert(
      fc.property(names, (list) => {
        const forward = new Map(createNameTable(list, RULES).entries());
        const backward = new Map(createNameTable(list.toReversed(), RULES).entries());
        expect(Object.fromEntries(backward)).toEqual(Object.fromEntries(forward));
      }),
    );
  });
});
