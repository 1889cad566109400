import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json.ts';
import { dropNulls } from './drop-nulls.ts';
import { type JsonSchemaReader, readJsonSchema } from './read-json-schema.ts';

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;

const DROPPED: readonly (readonly [string, JsonSchema, unknown, unknown])[] = [
  ['an optional key', { properties: { a: text, b: text } }, { a: null, b: 'x' }, { b: 'x' }],
  ['a key of a nested object', { properties: { o: { properties: { a: text } } } }, { o: { a: null } }, { o: {} }],
  [
    'a key of the objects in an array',
    { properties: { list: { type: 'array', items: { properties: { a: text }, type: 'object' } } } },
    { list: [{ a: null }, { a: 'x' }] },
    { list: [{}, { a: 'x' }] },
  ],
  [
    'a key of an item by its position',
    { properties: { pair: { prefixItems: [{ properties: { a: text } }, { properties: { b: text } }] } } },
    { pair: [{ b: null }, { b: null }] },
    { pair: [{ b: null }, {}] },
  ],
  [
    'a key behind a reference',
    { $defs: { T: { properties: { a: { $ref: '#/$defs/S' } } }, S: text }, properties: { t: { $ref: '#/$defs/T' } } },
    { t: { a: null } },
    { t: {} },
  ],
  [
    'a key of a recursive schema',
    { properties: { name: text, child: { $ref: '#' } } },
    { child: { child: { name: null } }, name: 'x' },
    { child: { child: {} }, name: 'x' },
  ],
  ['a key beside a reference', { $defs: { T: {} }, $ref: '#/$defs/T', properties: { a: text } }, { a: null }, {}],
  ['a key under allOf', { allOf: [{ properties: { a: text } }, { properties: { a: textOrNull } }] }, { a: null }, {}],
  [
    'a key whose alternatives all refuse it',
    { properties: { a: { anyOf: [text, { type: 'number' }] } } },
    { a: null },
    {},
  ],
  ['a key that two of oneOf take', { properties: { a: { oneOf: [textOrNull, {}] } } }, { a: null }, {}],
  ['a key that may be anything but null', { properties: { a: { not: { type: 'null' } } } }, { a: null }, {}],
  ['an enum without null', { properties: { a: { enum: ['x', 'y'] } } }, { a: null }, {}],
  ['an enum with null under another type', { properties: { a: { ...text, enum: ['x', null] } } }, { a: null }, {}],
  ['a const', { properties: { a: { const: 'x' } } }, { a: null }, {}],
  [
    'an enum under nullable without null in it',
    { properties: { a: { ...text, nullable: true, enum: ['x'] } } },
    { a: null },
    {},
  ],
  ['a key by its pattern', { patternProperties: { '^x-': text } }, { 'x-a': null, b: null }, { b: null }],
  ['any other key', { properties: { a: textOrNull }, additionalProperties: text }, { a: null, b: null }, { a: null }],
  [
    'an object among alternatives, by its fixed values',
    {
      properties: {
        shape: {
          oneOf: [
            { properties: { kind: { const: 'a' }, size: { type: 'number' } }, required: ['kind'] },
            { properties: { kind: { const: 'b' }, size: { type: ['number', 'null'] } }, required: ['kind'] },
          ],
        },
      },
    },
    { shape: { kind: 'a', size: null } },
    { shape: { kind: 'a' } },
  ],
  [
    'an object or null, as Python writes an optional model',
    {
      $defs: { Filter: { type: 'object', properties: { by: text, mode: { enum: ['x', 'y'] } } } },
      properties: { filter: { anyOf: [{ $ref: '#/$defs/Filter' }, { type: 'null' }] } },
    },
    { filter: { by: null, mode: null } },
    { filter: {} },
  ],
  [
    'objects of a list that may be null',
    { properties: { list: { anyOf: [{ type: 'array', items: { properties: { a: text } } }, { type: 'null' }] } } },
    { list: [{ a: null }] },
    { list: [{}] },
  ],
  [
    'one of two keys of which one is needed',
    { properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { a: 'x', b: null },
    { a: 'x' },
  ],
  [
    'only what every alternative refuses that can be meant',
    { anyOf: [{ properties: { a: text, b: text } }, { properties: { a: text, c: text } }] },
    { a: null, c: null },
    { c: null },
  ],
  [
    'a key of the branch that a condition chooses',
    {
      properties: { kind: text },
      if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { size: { type: 'number' } } },
    },
    { kind: 'a', size: null },
    { kind: 'a' },
  ],
  [
    'a key of a schema in draft-04',
    {
      $schema: 'http://json-schema.org/draft-04/schema#',
      definitions: { T: { type: 'object', properties: { a: text } } },
      properties: { t: { $ref: '#/definitions/T' }, n: { type: 'number', divisibleBy: 2 } },
    },
    { t: { a: null }, n: null },
    { t: {} },
  ],
];

const KEPT: readonly (readonly [string, JsonSchema, unknown])[] = [
  ['a required key', { properties: { a: text }, required: ['a'] }, { a: null }],
  ['a key required elsewhere', { allOf: [{ properties: { a: text } }, { required: ['a'] }] }, { a: null }],
  [
    'a key required behind a reference',
    { $defs: { R: { required: ['a'] } }, $ref: '#/$defs/R', properties: { a: text } },
    { a: null },
  ],
  [
    'a key required where the alternatives stand',
    { required: ['a'], anyOf: [{ properties: { a: text } }, { properties: { a: { type: 'number' } } }] },
    { a: null },
  ],
  ['a key that takes null', { properties: { a: textOrNull, b: {}, c: true } }, { a: null, b: null, c: null }],
  ['a nullable key', { properties: { a: { ...text, nullable: true } } }, { a: null }],
  ['an alternative that takes null', { properties: { a: { anyOf: [text, { type: 'null' }] } } }, { a: null }],
  [
    'an enum or const with null',
    { properties: { a: { enum: ['x', null] }, b: { const: null } } },
    { a: null, b: null },
  ],
  [
    'a reference to what takes null',
    { $defs: { N: textOrNull }, properties: { a: { $ref: '#/$defs/N' } } },
    { a: null },
  ],
  ['a key that is not declared', { properties: { a: text } }, { b: null }],
  ['a key that is forbidden', { properties: { a: text }, additionalProperties: false }, { b: null }],
  ['an item of an array', { properties: { list: { type: 'array', items: text } } }, { list: [null] }],
  [
    'a key that one of the alternatives takes',
    { anyOf: [{ properties: { a: text } }, { properties: { a: { type: 'null' } } }] },
    { a: null },
  ],
  [
    'a key of a branch that a condition does not choose',
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    { if: { properties: { kind: { const: 'a' } }, required: ['kind'] }, then: { properties: { size: text } } },
    { kind: 'b', size: null },
  ],
  [
    'a key whose reference hides what stands beside it, up to draft-07',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { N: {} },
      properties: { a: { $ref: '#/definitions/N', ...text } },
    },
    { a: null },
  ],
];

describe('null for an optional key', () => {
  it.each(DROPPED)('is removed: %s', (_, schema, value, expected) => {
    const before = structuredClone(value);
    expect(dropNulls(schema, value)).toEqual(expected);
    expect(value).toEqual(before);
  });

  it.each(DROPPED)('is refused by the compiled schema, which accepts the rest: %s', (_, schema, value, expected) => {
    const reader = readJsonSchema(schema);
    expect(reader.validate(value).ok).toBe(false);
    expect(reader.validate(expected).ok).toBe(true);
  });

  it.each(KEPT)('stays: %s', (_, schema, value) => {
    expect(dropNulls(schema, value)).toBe(value);
  });

  it('stays in values that are too deep', () => {
    let value: unknown = { a: null };
    for (let depth = 0; depth < 100_000; depth++) value = { child: value };
    expect(dropNulls({ properties: { a: text, child: { $ref: '#' } } }, value)).toBe(value);
  });

  it('stays in everything that a schema accepts, for any schema and value', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
      const part = tie('schema');
      const list = fc.array(part, { minLength: 1, maxLength: 2 });
      const values = fc.array(fc.constantFrom(null, 'x', 'y'), { minLength: 1, maxLength: 2 });
      const properties = fc.record({ properties: fc.dictionary(key, part, { minKeys: 1, maxKeys: 3 }) });
      const keyword: fc.Arbitrary<JsonSchema> = fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.constantFrom<JsonSchema>(
          { type: 'string' },
          { type: 'object' },
          { type: ['string', 'null'] },
          { type: 'string', nullable: true },
          { $ref: '#/$defs/one' },
        ),
        fc.record({ enum: values }),
        fc.record({ required: fc.uniqueArray(key, { maxLength: 1 }) }),
        properties,
        fc.record({ additionalProperties: fc.oneof(part, fc.boolean()) }),
        fc.record({ patternProperties: fc.dictionary(fc.constantFrom('^a', 'b|c'), part, { maxKeys: 1 }) }),
        fc.record({ items: part }),
        fc.record({ allOf: list }),
        fc.record({ anyOf: list }),
        fc.record({ oneOf: list }),
        fc.record({ not: part }),
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        fc.record({ if: part, then: part, else: part }),
      );
      return { schema: fc.tuple(keyword, keyword).map(([one, other]) => ({ ...one, ...other })) };
    });
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 'x', 'y'),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    })).value;
    let taken = 0;
    fc.assert(
      fc.property(schema, schema, fc.dictionary(key, value, { maxKeys: 3 }), (root, one, given) => {
        const whole = { ...root, $defs: { one } };
        let reader: JsonSchemaReader;
        try {
          reader = readJsonSchema(whole, { anyRoot: true });
        } catch {
          return;
        }
        if (!reader.validate(given).ok) return;
        taken++;
        expect(dropNulls(whole, given)).toBe(given);
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(100);
  });
});
