import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJsonSchema, showPath } from './read-json-schema.ts';

const faultsOf = (schema: unknown): string[] =>
  checkJsonSchema(schema).map(({ path, message }) => `${showPath(path)}: ${message}`);

describe('reports the place of a fault deep inside', () => {
  test.each([
    [{ minimum: 'ten' }, 'minimum: must be a number; got "ten"'],
    [{ exclusiveMinimum: true }, 'exclusiveMinimum: must be a number; got true'],
    [{ multipleOf: 0 }, 'multipleOf: must be a number above 0; got 0'],
    [{ minLength: -1 }, 'minLength: must be a whole number, 0 or more; got -1'],
    [{ maxItems: 1.5 }, 'maxItems: must be a whole number, 0 or more; got 1.5'],
    [{ required: true }, 'required: must be an array of different strings; got true'],
    [{ required: ['a', 'a'] }, 'required: must be an array of different strings; got an array of 2'],
    [{ enum: 'a' }, 'enum: must be an array of JSON values; got "a"'],
    [{ default: () => 1 }, 'default: must be a JSON value; got a function'],
    [{ const: { at: new Date(0) } }, 'const: must be a JSON value; got an object'],
    [{ uniqueItems: 1 }, 'uniqueItems: must be true or false; got 1'],
    [{ description: 5 }, 'description: must be a string; got 5'],
    [{ properties: [] }, 'properties: must be an object of schemas; got an array of 0'],
    [{ allOf: {} }, 'allOf: must be an array of schemas; got an object'],
    [{ anyOf: [] }, 'anyOf: must contain at least one schema; got an empty array'],
    [{ items: 'string' }, 'items: must be a schema (an object, true or false); got "string"'],
    [{ $anchor: 'a b' }, '$anchor: must be a name of letters, digits, "-", "_" and "."; got "a b"'],
    [
      { dependentRequired: { a: 'b' } },
      'dependentRequired: must give an array of different strings under "a"; got an object',
    ],
    [{ type: [] }, 'type: must be a type or an array of different types; got an array of 0'],
    [
      { type: 'str' },
      'type: must be one of string, number, integer, boolean, object, array, null (did you mean "string"?); got "str"',
    ],
  ])('%j', (schema, fault) => {
    expect(faultsOf(schema)).toEqual([fault]);
  });

  test('gives the place of a fault deep inside', () => {
    const schema = { properties: { 'odd key': { anyOf: [true, { items: { minimum: 'x' } }] } } };
    expect(faultsOf(schema)).toEqual(['properties["odd key"].anyOf[1].items.minimum: must be a number; got "x"']);
  });

  test('refuses invalid patterns, and accepts those valid only with plain rules', () => {
    expect(faultsOf({ pattern: '(' })).toEqual([
      'pattern: must be a regular expression (/(/: Unterminated group); got "("',
    ]);
    expect(faultsOf({ patternProperties: { '[': {} } })).toEqual([
      'patternProperties: must have regular expressions as keys (/[/: Unterminated character class); got "["',
    ]);
    expect(faultsOf({ pattern: '^[\\w-.]+\\-$' })).toEqual([]);
  });

  test('treats a keyword set to undefined as missing, but not a schema', () => {
    expect(faultsOf({ type: 'object', description: undefined, items: undefined, minimum: undefined })).toEqual([]);
    expect(faultsOf({ properties: { a: undefined } })).toEqual([
      'properties.a: must be a schema (an object, true or false); got undefined',
    ]);
  });

  test('leaves keywords it does not know alone', () => {
    expect(faultsOf({ 'x-order': 1, nullable: true, example: { $ref: 1 } })).toEqual([]);
  });

  test('refuses functions and symbols instead of schemas, and invalid schemas', () => {
    expect(faultsOf({ items: () => 1 })).toEqual([
      'items: must be a schema (an object, true or false); got a function',
    ]);
    expect(faultsOf({ not: Symbol('a') })).toEqual(['not: must be a schema (an object, true or false); got a symbol']);
    expect(faultsOf('x')).toEqual([': must be an object; got "x"']);
  });
});

describe('older drafts', () => {
  const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#' };

  test('accepts their forms when $schema names them', () => {
    const schema = {
      ...draft07,
      items: [{ type: 'string' }],
      additionalItems: false,
      dependencies: { a: ['b'], c: { required: ['d'] } },
      definitions: { x: { $id: '#x' } },
      properties: { e: { $ref: '#x' } },
    };
    expect(faultsOf(schema)).toEqual([]);
  });

  test('names the current keyword for a list of items', () => {
    expect(faultsOf({ items: [{}] })).toEqual([
      'items: must be a schema; got an array of 1. A list of schemas by position is called "prefixItems"',
    ]);
  });

  test('looks inside them', () => {
    expect(faultsOf({ ...draft07, items: [{ type: 'str' }], dependencies: { c: { minimum: '1' } } })).toEqual([
      'items[0].type: must be one of string, number, integer, boolean, object, array, null (did you mean "string"?); got "str"',
      'dependencies.c.minimum: must be a number; got "1"',
    ]);
  });
});

describe('references', () => {
  test('refuses other documents: nothing is fetched', () => {
    expect(faultsOf({ properties: { a: { $ref: 'https://example.com/a.json' } } })).toEqual([
      'properties.a.$ref: must point into this schema; got "https://example.com/a.json". Remote schemas are never ' +
        'fetched: copy the schema under "$defs" and use "#/$defs/<name>"',
    ]);
  });

  test('refuses references to nothing, and suggests the nearest', () => {
    expect(faultsOf({ $ref: '#/$defs/adress', $defs: { address: {} } })).toEqual([
      '$ref: points to nothing in this schema; got "#/$defs/adress". Did you mean "#/$defs/address"?',
    ]);
    expect(faultsOf({ $ref: '#/constructor' })).toEqual([
      '$ref: points to nothing in this schema; got "#/constructor"',
    ]);
    expect(faultsOf({ $ref: '#%' })).toEqual(['$ref: points to nothing in this schema; got "#%"']);
  });

  test('accepts the meta-schema, anchors, $ids and pointers into unknown keywords', () => {
    const schema = {
      $id: 'https://example.com/s',
      properties: {
        a: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
        b: { $ref: '#here' },
        c: { $ref: 'https://example.com/other' },
        d: { $ref: '#/components/d' },
      },
      components: { d: { type: 'string' } },
      $defs: { e: { $anchor: 'here' }, f: { $id: 'other' } },
    };
    expect(faultsOf(schema)).toEqual([]);
  });

  test('checks a schema in an unknown keyword once a reference leads there', () => {
    expect(faultsOf({ $ref: '#/components/d', components: { d: { minimum: 'x' } } })).toEqual([
      '$ref.minimum: must be a number; got "x"',
    ]);
  });

  test.each([
    [{ $ref: '#' }],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }, {}] } } }],
  ])('refuses references that lead back without going into the value: %j', (schema) => {
    expect(faultsOf(schema)[0]).toMatch(/\$ref: must not lead back to itself; got "#.*"$/);
  });

  test('accepts recursion that descends into the value', () => {
    expect(faultsOf({ properties: { next: { $ref: '#' } } })).toEqual([]);
  });
});

describe('hostile schemas', () => {
  test('refuses an object that contains itself', () => {
    const schema: Record<string, unknown> = {};
    schema['properties'] = { next: schema, other: schema };
    expect(faultsOf(schema)[0]).toBe('properties.next: must not contain itself: use "$ref" for a recursive schema');
  });

  test('refuses more than 128 levels', () => {
    let schema: unknown = {};
    for (let level = 0; level < 200; level++) schema = { items: schema };
    expect(faultsOf(schema)).toEqual([expect.stringMatching(/: must not be nested more than 128 levels deep$/)]);
  });

  test('accepts shared objects, but not so many that the schema cannot be written out', () => {
    const doubled = (levels: number): unknown => {
      let schema: unknown = { type: 'string' };
      for (let level = 0; level < levels; level++) schema = { properties: { a: schema, b: schema } };
      return schema;
    };
    expect(faultsOf(doubled(10))).toEqual([]);
    expect(faultsOf(doubled(100))).toEqual([
      expect.stringMatching(
        /: must not contain more than 100000 schemas: use "\$ref" for parts that are used in several places$/,
      ),
    ]);
    let list: unknown[] = [];
    for (let level = 0; level < 100; level++) list = [list, list];
    expect(faultsOf({ default: list })).toEqual(['default: must be a JSON value; got an array of 2']);
  });

  test('reports at most twenty faults', () => {
    expect(checkJsonSchema({ allOf: Array.from({ length: 50 }, () => ({ minimum: '' })) })).toHaveLength(20);
  });

  test('never throws', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      '$ref',
      '$id',
      'allOf',
      'pattern',
      'required',
      '$defs',
    );
    const { schema } = fc.letrec((tie) => {
      const part = fc.oneof(
        { maxDepth: 3 },
        fc.anything(),
        fc.constantFrom('#', '#a', '/b'),
        tie('schema'),
        tie('list'),
      );
      return {
        schema: fc.dictionary(keyword, part, { maxKeys: 4 }),
        list: fc.array(part, { maxLength: 3 }),
      };
    });
    fc.assert(
      fc.property(fc.oneof(schema, fc.anything()), (any) => {
        expect(Array.isArray(checkJsonSchema(any))).toBe(true);
      }),
    );
  });
});
