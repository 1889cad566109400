import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../../json.ts';
import { readJsonSchema } from '../read-json-schema.ts';

function filled(schema: JsonSchema, value: unknown): unknown {
  const result = readJsonSchema(schema, { anyRoot: true }).validate(value);
  return result.ok ? result.value : result.issues;
}

test('fills missing keys and leaves given ones, null included', () => {
  const schema = { properties: { a: { default: 1 }, b: { default: 'x' }, c: { default: false } } };
  expect(filled(schema, { a: 5, c: null })).toEqual({ a: 5, b: 'x', c: null });
});

test('treats an explicit undefined as a missing key', () => {
  expect(filled({ properties: { a: { default: 1 } } }, { a: undefined })).toEqual({ a: 1 });
});

test('satisfies required, and is itself checked', () => {
  const schema = { properties: { a: { type: 'number', default: 1 } }, required: ['a'] };
  expect(filled(schema, {})).toEqual({ a: 1 });
  expect(filled({ properties: { a: { type: 'number', default: 'x' } } }, {})).toEqual([
    { path: ['a'], message: 'must be number, got string "x"' },
  ]);
});

test('goes through nested objects, items, prefixItems, allOf and references', () => {
  const schema = {
    properties: {
      nested: { properties: { a: { default: 1 } } },
      list: { items: { $ref: '#/$defs/item' } },
      pair: { prefixItems: [true, { $ref: '#/$defs/item' }] },
    },
    allOf: [{ properties: { more: { default: [] } } }],
    $defs: { item: { properties: { size: { default: 'm' } } } },
  };
  expect(filled(schema, { nested: {}, list: [{}, { size: 'l' }, 3], pair: [{}, {}] })).toEqual({
    nested: { a: 1 },
    list: [{ size: 'm' }, { size: 'l' }, 3],
    pair: [{}, { size: 'm' }],
    more: [],
  });
});

test('fills inside a default, and stops at one that contains itself', () => {
  const schema = { properties: { options: { default: {}, properties: { deep: { default: true } } } } };
  expect(filled(schema, {})).toEqual({ options: { deep: true } });
  const endless = {
    $defs: { node: { properties: { next: { $ref: '#/$defs/node', default: {} } } } },
    $ref: '#/$defs/node',
  };
  expect(filled(endless, {})).toEqual({ next: { next: {} } });
});

test('follows recursive schemas', () => {
  const schema = { properties: { size: { default: 1 }, next: { $ref: '#' } } };
  expect(filled(schema, { next: { next: {} } })).toEqual({ size: 1, next: { size: 1, next: { size: 1 } } });
});

test('stops where references double at every level', () => {
  const $defs: Record<string, unknown> = { d60: { properties: { a: { default: 1 } } } };
  for (let level = 0; level < 60; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  expect(filled({ $ref: '#/$defs/d0', $defs }, {})).toEqual([
    { path: [], message: 'could not be checked: the schema takes more than 1000000 steps' },
  ]);
});

test('fills nothing inside alternatives', () => {
  const inner = { properties: { a: { default: 1 } } };
  for (const keyword of ['anyOf', 'oneOf']) expect(filled({ [keyword]: [inner] }, {})).toEqual({});
  expect(filled({ if: inner, else: inner, not: { required: ['a'] } }, {})).toEqual({});
});

test('never changes the given value, and shares unchanged parts', () => {
  const schema = { properties: { a: { default: 1 }, kept: { properties: { b: { default: 2 } } } } };
  const kept = Object.freeze({ b: 3 });
  const value = Object.freeze({ kept });
  expect(filled(schema, value)).toEqual({ a: 1, kept: { b: 3 } });
  expect(filled(schema, value)).toHaveProperty('kept', kept);
  const whole = Object.freeze({ a: 1, kept });
  expect(filled(schema, whole)).toBe(whole);
});

test('returns a separate copy of a default to every call', () => {
  const reader = readJsonSchema({ properties: { list: { default: [1] } } });
  const first = reader.validate({});
  // The first result is changed as a tool might do.
  if (first.ok) (first.value as { list: number[] }).list.push(2);
  expect(reader.validate({})).toEqual({ ok: true, value: { list: [1] } });
});

test('sets __proto__ as a key, never as the prototype', () => {
  const schema: JsonSchema = JSON.parse('{"properties":{"__proto__":{"default":{"polluted":true}}}}');
  const value = filled(schema, {});
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.hasOwn(Object(value), '__proto__')).toBe(true);
});

test('leaves any frozen value as it was', () => {
  const schema = { properties: { a: { default: {} } }, items: { properties: { a: { default: 1 } } } };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const before = JSON.stringify(value);
      filled(schema, value);
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});
