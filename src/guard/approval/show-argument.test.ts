import { describe, expect, it } from 'vitest';
import { declaredNames, showArgument, writeArguments, writeValue } from './approval-message.ts';

describe('showArgument', () => {
  it('shows everything, with hidden characters in texts and keys visible', () => {
    const many = Array.from({ length: 100 }, (_, index) => index);
    const value = { 'a\u200b': [{ b: { c: { d: { e: `${'x'.repeat(500)}\u202e` } } } }], many, n: null, t: true };
    expect(showArgument(value)).toEqual({
      'a\\u200b': [{ b: { c: { d: { e: `${'x'.repeat(500)}\\u202e` } } } }],
      many,
      n: null,
      t: true,
    });
  });

  it('keeps a key that looks like another one', () => {
    expect(showArgument({ 'a\u200b': 1, 'a\\u200b': 2 })).toEqual({ 'a\\u200b': 1, '"a\\\\u200b"': 2 });
  });
});

describe('writeArguments', () => {
  it('lists declared arguments first, in the order of the schema, and marks the others', () => {
    const filler = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}`, 'x']));
    const written = writeArguments({ ...filler, force: true, path: '/', toString: 1 }, ['path', 'force', 'unused']);
    expect(written.slice(0, 3)).toEqual([
      { label: 'path', text: '"/"' },
      { label: 'force', text: 'true' },
      { label: '"0" (not in its schema)', text: '"x"' },
    ]);
    expect(written).toHaveLength(33);
    expect(written.at(-1)).toEqual({ label: 'toString (not in its schema)', text: '1' });
  });

  it('quotes a name that could be mistaken for more than a name', () => {
    expect(writeArguments({ 'path: "/tmp"\n  force': true }, [])).toEqual([
      { label: String.raw`"path: \"/tmp\"\n  force" (not in its schema)`, text: 'true' },
    ]);
  });
});

describe('writeValue', () => {
  it('writes values that JSON would omit', () => {
    const loop: Record<string, unknown> = {};
    loop['loop'] = loop;
    expect(writeValue(new Map([['a', new Set([1n])]]))).toBe('[["a",["1"]]]');
    expect(writeValue([Number.NaN, undefined])).toBe('["NaN",null]');
    expect(writeValue(undefined)).toBe('undefined');
    expect(writeValue(loop)).toBe('(A VALUE THAT CANNOT BE SHOWN)');
  });
});

describe('declaredNames', () => {
  it('finds the names of a schema, of its references and of its alternatives', () => {
    const schema = {
      $ref: '#/$defs/Base',
      properties: { own: {} },
      anyOf: [{ properties: { first: {} } }, { $ref: '#/$defs/Base' }, true],
      if: { properties: { when: {} } },
      $defs: { Base: { properties: { base: {} }, allOf: [{ $ref: '#' }] } },
    };
    expect(declaredNames(schema)).toEqual(['own', 'base', 'first', 'when']);
    expect(declaredNames({ $ref: 'https://example.com/schema' })).toEqual([]);
    const named = { allOf: [{ $ref: '#base' }], $defs: { Base: { $anchor: 'base', properties: { base: {} } } } };
    expect(declaredNames(named)).toEqual(['base']);
    expect(declaredNames(true)).toEqual([]);
  });
});
