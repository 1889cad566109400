import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../json.ts';
import { coerceInput } from './coerce-input.ts';

const property = (schema: unknown, value: unknown, more: JsonSchema = {}): unknown => {
  const input = coerceInput({ type: 'object', properties: { a: schema }, ...more }, { a: value });
  return (input as { a?: unknown }).a;
};

test.each([
  ['"42" for an integer', { type: 'integer' }, '42', 42],
  ['"-7" for an integer', { type: 'integer' }, '-7', -7],
  ['"1e3" for a number', { type: 'number' }, '1e3', 1000],
  ['"1.50" for a number', { type: 'number' }, '1.50', 1.5],
  ['"true" for a boolean', { type: 'boolean' }, 'true', true],
  ['"false" for a boolean', { type: 'boolean' }, 'false', false],
  ['a number for a string', { type: 'string' }, 42, '42'],
  ['a boolean for a string', { type: 'string' }, true, 'true'],
  ['a JSON string for an object', { type: 'object' }, '{"b":1}', { b: 1 }],
  ['a JSON string for an array', { type: 'array' }, ' [1,2]', [1, 2]],
  ['one scalar for a list of them', { type: 'array', items: { type: 'string' } }, 'x', ['x']],
  ['"5" for a list of integers', { type: 'array', items: { type: 'integer' } }, '5', [5]],
  ['another case of a fixed value', { enum: ['Celsius', 'Kelvin'] }, ' celsius ', 'Celsius'],
  ['another case among constants', { anyOf: [{ const: 'A' }, { const: 'B' }] }, 'b', 'B'],
  ['"2" for a fixed number', { enum: [1, 2] }, '2', 2],
  ['"42" where a number or null is wanted', { type: ['number', 'null'] }, '42', 42],
  ['"42" where alternatives want a number', { anyOf: [{ type: 'number' }, { type: 'null' }] }, '42', 42],
  ['"42" through a reference', { $ref: '#/$defs/n' }, '42', 42],
  ['"42" through allOf', { allOf: [{ type: 'number' }] }, '42', 42],
  ['items of a list', { type: 'array', items: { type: 'number' } }, ['1', 2], [1, 2]],
  ['items by position', { prefixItems: [{ type: 'number' }], items: { type: 'string' } }, ['1', 2], [1, '2']],
  ['keys that are not named', { additionalProperties: { type: 'number' } }, { x: '1' }, { x: 1 }],
  ['an object given as JSON, and what is in it', { properties: { n: { type: 'number' } } }, '{"n":"1"}', { n: 1 }],
])('repairs %s', (...[, schema, value, mended]) => {
  expect(property(schema, value, { $defs: { n: { type: 'number' } } })).toEqual(mended);
});

test.each([
  ['digits a number cannot keep', { type: 'integer' }, '9007199254740993'],
  ['a fraction a number cannot keep', { type: 'number' }, '0.12345678901234567890'],
  ['a number that would become 0', { type: 'number' }, '1e-999'],
  ['a number that would become infinite', { type: 'number' }, '1e999'],
  ['a fraction for an integer', { type: 'integer' }, '4.5'],
  ['other ways to write a number', { type: 'number' }, '0x10'],
  ['blanks', { type: 'number' }, ' '],
  ['an empty string', { type: 'number' }, ''],
  ['grouped digits', { type: 'number' }, '1,000'],
  ['0 and 1 for a boolean', { type: 'boolean' }, 1],
  ['"yes"', { type: 'boolean' }, 'yes'],
  ['a string that is right for one alternative', { anyOf: [{ type: 'string' }, { type: 'number' }] }, '42'],
  ['a string that is right for one type', { type: ['string', 'number'] }, '42'],
  ['JSON of another type', { type: 'object' }, '[1]'],
  ['broken JSON', { type: 'object' }, '{"a":'],
  ['a scalar for a list of anything', { type: 'array' }, 'x'],
  ['a scalar for a list of others', { type: 'array', items: { type: 'object' } }, 'x'],
  ['a fixed value of two that differ in case', { enum: ['a', 'A'] }, ' a'],
  ['null for a string', { type: 'string' }, null],
  ['what no schema describes', {}, '42'],
])('leaves %s alone', (_name, schema, value) => {
  expect(property(schema, value, { required: ['a'] })).toBe(value);
});

describe('the whole input', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } } };

  test('is parsed if it is a JSON string', () => {
    expect(coerceInput(schema, '{"n":"1"}')).toEqual({ n: 1 });
    expect(coerceInput({ properties: schema.properties }, '{"n":1}')).toEqual({ n: 1 });
  });

  test('loses null only for an optional key that refuses it', () => {
    const optional = {
      properties: { a: { type: 'string' }, b: { type: ['string', 'null'] }, c: { type: 'string' }, d: {} },
      required: ['c'],
    };
    expect(coerceInput(optional, { a: null, b: null, c: null, d: null, e: null })).toEqual({
      b: null,
      c: null,
      d: null,
      e: null,
    });
  });

  test('is repaired by the alternative that its fixed key selects', () => {
    const shape = (kind: string, key: string): JsonSchema => ({
      type: 'object',
      properties: { kind: { const: kind }, [key]: { type: 'number' } },
    });
    const union = { oneOf: [shape('circle', 'radius'), shape('square', 'side')] };
    expect(coerceInput(union, { kind: 'square', side: '2', radius: '3' })).toEqual({
      kind: 'square',
      side: 2,
      radius: '3',
    });
    expect(coerceInput(union, { side: '2' })).toEqual({ side: '2' });
  });

  test('is never changed in place, and is shared where nothing is repaired', () => {
    const value = Object.freeze({ n: '1', list: Object.freeze([1]) });
    const mended = coerceInput(schema, value);
    expect(mended).toEqual({ n: 1, list: [1] });
    expect(mended).toHaveProperty('list', value.list);
    const right = { n: 1 };
    expect(coerceInput(schema, right)).toBe(right);
  });

  test('never takes a key named __proto__ from JSON', () => {
    const parsed = coerceInput(schema, '{"n":1,"__proto__":{"polluted":true},"deep":{"__proto__":1}}');
    expect(parsed).toEqual({ n: 1, deep: {} });
    expect(JSON.stringify(parsed)).toBe('{"n":1,"deep":{}}');
    expect(JSON.stringify(coerceInput(schema, JSON.parse('{"__proto__":{"x":1},"n":"2"}')))).toBe('{"n":2}');
    expect('polluted' in {}).toBe(false);
  });

  test('is returned unchanged when the schema would take forever', () => {
    const $defs: Record<string, unknown> = { d60: { type: 'number' } };
    for (let level = 0; level < 60; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { allOf: [next, next] };
    }
    expect(coerceInput({ $ref: '#/$defs/d0', $defs }, 'x')).toBe('x');
  });

  test('is returned unchanged when it is too deep or unreadable', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = { n: deep };
    expect(coerceInput({ properties: { n: { $ref: '#' } } }, deep)).toBe(deep);
    const closed = Object.defineProperty({}, 'n', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(coerceInput(schema, closed)).toBe(closed);
  });
});

test('never throws and never changes its argument, for any schema and value', () => {
  const keyword = fc.constantFrom('type', 'properties', 'items', '$ref', 'allOf', 'anyOf', 'enum', 'required');
  const { schema } = fc.letrec<{ schema: JsonSchema; list: unknown[] }>((tie) => {
    const part = fc.oneof(
      { maxDepth: 3 },
      fc.anything(),
      fc.constantFrom('string', 'number', '#'),
      tie('schema'),
      tie('list'),
    );
    return {
      schema: fc.dictionary(keyword, part, { maxKeys: 4 }),
      list: fc.array(part, { maxLength: 3 }),
    };
  });
  fc.assert(
    fc.property(schema, fc.jsonValue(), (any, value) => {
      const before = JSON.stringify(value);
      coerceInput(any, value);
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});
