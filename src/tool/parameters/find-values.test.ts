import { describe, expect, it } from 'vitest';
import { findValues, schemaPaths } from './find-values.ts';

const path = { type: 'string', format: 'path' };
const text = { type: 'string' };

describe('schemaPaths', () => {
  it.each([
    [{ properties: { a: path, b: text } }, ['a']],
    [{ properties: { a: { format: 'file-path' }, b: { format: 'directory-path' }, c: { format: 'uri' } } }, ['a', 'b']],
    [{ properties: { a: { type: 'array', items: path }, b: { prefixItems: [text, path] } } }, ['a', 'b']],
    [{ properties: { a: { properties: { b: { properties: { c: path } } } } } }, ['a.b.c']],
    [{ properties: { a: { additionalProperties: path }, b: { patternProperties: { '^x': path } } } }, ['a.*', 'b.*']],
    [{ anyOf: [{ properties: { a: path } }, { oneOf: [{ allOf: [{ properties: { b: path } }] }] }] }, ['a', 'b']],
    [{ properties: { a: { anyOf: [path, { type: 'null' }] } } }, ['a']],
    // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
    [{ if: {}, then: { properties: { a: path } }, else: { properties: { b: path } } }, ['a', 'b']],
    [{ $ref: '#/$defs/x', $defs: { x: { properties: { a: { $ref: '#/$defs/y~1z' } } }, 'y/z': path } }, ['a']],
    [
      { properties: { a: { $ref: '#p' }, b: { $dynamicRef: '#p' } }, $defs: { p: { $anchor: 'p', ...path } } },
      ['a', 'b'],
    ],
    [{ properties: { a: { $ref: '#/$defs/none' }, b: { $ref: 'https://example.com' }, c: { $ref: '#/%' } } }, []],
  ])('of %j are %j', (schema, names) => {
    expect(schemaPaths(schema)).toEqual(names);
  });

  it('are found at any depth of a schema that contains itself', () => {
    const node = { properties: { file: path, below: { type: 'array', items: { $ref: '#/$defs/node' } } } };
    const names = schemaPaths({ properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } });
    expect(names).toEqual(['tree.file', 'tree.below.**.file']);
    const args = { tree: { file: '1', below: [{ file: '2', below: [{ file: '3', other: 'x' }] }] } };
    expect(names.flatMap((name) => findValues(args, name)).map(({ value }) => value)).toEqual(['1', '2', '3']);
    expect(schemaPaths({ properties: { file: path, next: { $ref: '#' } } })).toEqual(['file', 'next.**.file']);
  });

  it('are everything for a schema that takes forever to read', () => {
    const $defs: Record<string, unknown> = { d30: path };
    for (let depth = 0; depth < 30; depth++) {
      const $ref = `#/$defs/d${depth + 1}`;
      $defs[`d${depth}`] = { anyOf: [{ properties: { a: { $ref } } }, { properties: { b: { $ref } } }] };
    }
    expect(schemaPaths({ $ref: '#/$defs/d0', $defs })).toEqual(['**']);
  });
});

describe('findValues', () => {
  it('matches any key and any depth', () => {
    const args = { a: { x: 1, y: [2, { z: 3 }] }, b: 4 };
    const values = (name: string): unknown[] => findValues(args, name).map(({ value }) => value);
    expect(values('a.*')).toEqual([1, 2, { z: 3 }]);
    expect(values('*')).toEqual([{ x: 1, y: [2, { z: 3 }] }, 4]);
    expect(values('**.z')).toEqual([3]);
    expect(values('a.**.z')).toEqual([3]);
  });
});
