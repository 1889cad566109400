import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../json.ts';
import { readJsonSchema } from '../read-json-schema.ts';

/** Returns the issues of a value as `path: message` lines. */
function issuesOf(schema: JsonSchema, value: unknown): string[] {
  const result = readJsonSchema(schema, { anyRoot: true }).validate(value);
  return result.ok ? [] : result.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const object = (properties: Record<string, unknown>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

describe('types and fixed values', () => {
  test.each([
    [{ type: 'string' }, 12, 'must be string, got number 12'],
    [{ type: 'integer' }, 1.5, 'must be integer, got number 1.5'],
    [{ type: 'number' }, '1', 'must be number, got string "1"'],
    [{ type: 'number' }, Number.NaN, 'must be number, got number NaN'],
    [{ type: 'boolean' }, null, 'must be boolean, got null'],
    [{ type: 'object' }, [1, 2], 'must be object, got an array of 2'],
    [{ type: 'array' }, {}, 'must be array, got an object'],
    [{ type: 'null' }, undefined, 'must be null, got undefined'],
    [{ type: ['string', 'null'] }, true, 'must be string or null, got boolean true'],
    [{ enum: ['a', 'b'] }, 'z', 'must be one of "a", "b"; got "z"'],
    [
      { enum: ['celsius', 'kelvin'] },
      'celcius',
      'must be one of "celsius", "kelvin"; got "celcius". Did you mean "celsius"?',
    ],
    [{ enum: [{ a: 1 }, 2] }, { a: 2 }, 'must be one of {"a":1}, 2; got {"a":2}'],
    [{ const: 3 }, 4, 'must be 3; got 4'],
  ])('%j refuses %j', (schema, value, message) => {
    expect(issuesOf(schema, value)).toEqual([`: ${message}`]);
  });

  test('accepts 1.0 as an integer, and fixed objects with keys in any order', () => {
    expect(issuesOf({ type: 'integer' }, 1)).toEqual([]);
    expect(issuesOf({ const: { a: 1, b: [2] } }, { b: [2], a: 1 })).toEqual([]);
  });

  test('reports only a wrong type, not its consequences', () => {
    expect(issuesOf({ type: 'string', enum: ['a', 'b'], minLength: 1 }, 5)).toEqual([': must be string, got number 5']);
  });

  test('shows twenty of many fixed values', () => {
    const [line] = issuesOf({ enum: Array.from({ length: 25 }, (_, index) => index) }, -1);
    expect(line).toMatch(/18, 19 and 5 more; got -1$/);
  });
});

describe('numbers and strings', () => {
  test.each([
    [{ minimum: 1 }, 0, 'must be at least 1, got 0'],
    [{ maximum: 10 }, 11, 'must be at most 10, got 11'],
    [{ exclusiveMinimum: 1 }, 1, 'must be more than 1, got 1'],
    [{ exclusiveMaximum: 1 }, 1, 'must be less than 1, got 1'],
    [{ multipleOf: 5 }, 7, 'must be a multiple of 5, got 7'],
    [{ minLength: 1 }, '', 'must be at least 1 character long, got 0'],
    [{ maxLength: 10 }, 'twelve chars', 'must be at most 10 characters long, got 12'],
    [{ pattern: '^a$' }, 'x', 'must match pattern ^a$; got "x"'],
  ])('%j refuses %j', (schema, value, message) => {
    expect(issuesOf(schema, value)).toEqual([`: ${message}`]);
  });

  test('counts a string in code points', () => {
    expect(issuesOf({ maxLength: 2, minLength: 2 }, '👍👍')).toEqual([]);
    expect(issuesOf({ minLength: 3 }, '👍👍')).toEqual([': must be at least 3 characters long, got 2']);
  });

  test('tolerates the rounding of binary fractions', () => {
    expect(issuesOf({ multipleOf: 0.01 }, 19.99)).toEqual([]);
    expect(issuesOf({ multipleOf: 0.01 }, 19.995)).toEqual([': must be a multiple of 0.01, got 19.995']);
    expect(issuesOf({ multipleOf: 0.5 }, 1e308)).toEqual([]);
  });
});

describe('objects', () => {
  test('names every missing key at its own path', () => {
    const schema = object({ a: { type: 'string' } }, { required: ['a', 'b'] });
    expect(issuesOf(schema, {})).toEqual(['a: is required', 'b: is required']);
  });

  test('treats a key with the value undefined as missing', () => {
    const schema = object({ a: { type: 'string' } }, { additionalProperties: false, maxProperties: 0 });
    expect(issuesOf(schema, { a: undefined, b: undefined })).toEqual([]);
    expect(issuesOf({ required: ['a'] }, { a: undefined })).toEqual(['a: is required']);
  });

  test('names an unknown key, those that are known and the nearest', () => {
    const schema = object({ query: {}, limit: {} }, { additionalProperties: false });
    expect(issuesOf(schema, { qurey: 1 })).toEqual([
      'qurey: is not a known argument. Known: query, limit. Did you mean "query"?',
    ]);
    expect(issuesOf({ additionalProperties: false }, { a: 1 })).toEqual([
      'a: is not a known argument. None are known.',
    ]);
  });

  test('never lets inherited keys stand for own ones', () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
    expect(issuesOf({ required: names }, {})).toEqual(names.map((name) => `${name}: is required`));
    const hostile: JsonSchema = JSON.parse(
      '{"properties":{"__proto__":{"type":"number"},"toString":{"type":"number"}}}',
    );
    expect(issuesOf(hostile, {})).toEqual([]);
    expect(issuesOf(hostile, JSON.parse('{"__proto__":"x"}'))).toEqual(['__proto__: must be number, got string "x"']);
    expect(issuesOf({ additionalProperties: false }, Object.create({ inherited: 1 }))).toEqual([]);
  });

  test('checks keys by pattern and all the others by additionalProperties', () => {
    const schema = object(
      { a: {} },
      { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: { type: 'number' } },
    );
    expect(issuesOf(schema, { a: true, 'x-b': 'b', c: 1 })).toEqual([]);
    expect(issuesOf(schema, { 'x-b': 1, c: 'c' })).toEqual([
      'x-b: must be string, got number 1',
      'c: must be number, got string "c"',
    ]);
  });

  test.each([
    [{ minProperties: 1 }, {}, ': must have at least 1 key, got 0'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, ': must have at most 1 key, got 2'],
    [
      { propertyNames: { pattern: '^a' } },
      { b: 1 },
      'b: has a name that is not allowed: must match pattern ^a; got "b"',
    ],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'b: is required when "a" is given'],
    [{ dependentSchemas: { a: { required: ['c'] } } }, { a: 1 }, 'c: is required'],
    [{ properties: { a: false } }, { a: 1 }, 'a: is not allowed'],
  ])('%j refuses %j', (schema, value, line) => {
    expect(issuesOf(schema, value)).toEqual([line]);
  });
});

describe('arrays', () => {
  test.each([
    [{ minItems: 2 }, [1], ': must have at least 2 items, got 1'],
    [{ maxItems: 1 }, [1, 2], ': must have at most 1 item, got 2'],
    [{ items: { type: 'string' } }, ['a', 1], '1: must be string, got number 1'],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], '1: is not allowed'],
    [
      { uniqueItems: true },
      [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }],
      ': must not contain an item twice: items 0 and 2 are equal',
    ],
    [{ contains: { type: 'string' } }, [1], ': must contain at least 1 item that matches {"type":"string"}, got 0'],
    [
      { contains: { type: 'string' }, minContains: 2 },
      ['a'],
      ': must contain at least 2 items that match {"type":"string"}, got 1',
    ],
    [
      { contains: { type: 'string' }, maxContains: 1 },
      ['a', 'b'],
      ': must contain at most 1 item that matches {"type":"string"}, got 2',
    ],
  ])('%j refuses %j', (schema, value, line) => {
    expect(issuesOf(schema, value)).toEqual([line]);
  });

  test('distinguishes 1, "1", true, null and similar values', () => {
    expect(issuesOf({ uniqueItems: true }, [1, '1', true, 'true', null, 'null', [1], ['1'], {}, []])).toEqual([]);
  });

  test('stops at twenty issues', () => {
    expect(
      issuesOf(
        { items: { type: 'string' } },
        Array.from({ length: 100_000 }, () => 1),
      ),
    ).toHaveLength(20);
  });
});

describe('alternatives', () => {
  test('joins the wrong types of all alternatives to one sentence', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] };
    expect(issuesOf(schema, true)).toEqual([': must be string or integer or null, got boolean true']);
  });

  test('joins the fixed values of all alternatives to one list', () => {
    const schema = { oneOf: [{ const: 'metric', title: 'SI' }, { const: 'imperial' }] };
    expect(issuesOf(schema, 'metrc')).toEqual([
      ': must be one of "metric", "imperial"; got "metrc". Did you mean "metric"?',
    ]);
  });

  const circle = object({ kind: { const: 'circle' }, radius: { type: 'number' } }, { required: ['kind', 'radius'] });
  const square = object({ kind: { enum: ['square'] }, side: { type: 'number' } }, { required: ['kind', 'side'] });

  test('uses the key that distinguishes the alternatives, even through references', () => {
    const schema = { oneOf: [{ $ref: '#/$defs/circle' }, square], $defs: { circle } };
    expect(issuesOf(schema, { kind: 'circle', side: 1 })).toEqual(['radius: is required']);
    expect(issuesOf(schema, { side: 1 })).toEqual(['kind: is required: one of "circle", "square"']);
    expect(issuesOf(schema, { kind: 'square', side: 'x' })).toEqual(['side: must be number, got string "x"']);
    expect(issuesOf(schema, { kind: 'sqare' })).toEqual([
      'kind: must be one of "circle", "square"; got "sqare". Did you mean "square"?',
    ]);
  });

  test('ignores keys with the same values in several alternatives', () => {
    const risk = { enum: ['read', 'write'] };
    const schema = {
      oneOf: [
        object({ risk, kind: { const: 'a' }, one: {} }, { required: ['kind', 'one'] }),
        object({ risk, kind: { const: 'b' }, two: {} }, { required: ['kind', 'two'] }),
      ],
    };
    expect(issuesOf(schema, { risk: 'read', kind: 'b' })).toEqual(['two: is required']);
    expect(issuesOf(schema, { risk: 'read' })).toEqual(['kind: is required: one of "a", "b"']);
  });

  test('reports the alternative that got furthest', () => {
    const schema = { anyOf: [{ type: 'string' }, object({ a: { type: 'number' }, b: { type: 'number' } })] };
    expect(issuesOf(schema, { a: 'x', b: 2 })).toEqual(['a: must be number, got string "x"']);
  });

  test('says which alternatives match when only one may', () => {
    const schema = { oneOf: [{ minimum: 1 }, { type: 'string' }, { maximum: 5 }] };
    expect(issuesOf(schema, 3)).toEqual([': must match exactly one of 3 alternatives, but matches 2: number 1 and 3']);
  });

  test('checks not, allOf and conditions', () => {
    expect(issuesOf({ not: { type: 'null' } }, null)).toEqual([': must not match {"type":"null"}']);
    expect(issuesOf({ allOf: [{ minimum: 1 }, { maximum: -1 }, { multipleOf: 2 }] }, 0)).toEqual([
      ': must be at least 1, got 0',
      ': must be at most -1, got 0',
    ]);
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    const branch = 'then';
    const schema = {
      if: { properties: { a: { const: 1 } } },
      [branch]: { required: ['b'] },
      else: { required: ['c'] },
    };
    expect(issuesOf(schema, { a: 1 })).toEqual(['b: is required']);
    expect(issuesOf(schema, { a: 2 })).toEqual(['c: is required']);
  });
});

describe('references and unevaluated parts', () => {
  test('follows recursion as deep as the value goes', () => {
    const tree = object({ value: { type: 'number' }, children: { type: 'array', items: { $ref: '#' } } });
    expect(issuesOf(tree, { value: 1, children: [{ children: [{ value: 'x' }] }] })).toEqual([
      'children.0.children.0.value: must be number, got string "x"',
    ]);
  });

  test('follows anchors and $ids inside the document', () => {
    const schema = {
      $id: 'https://example.com/root',
      properties: { a: { $ref: '#positive' }, b: { $ref: 'name' } },
      $defs: { p: { $anchor: 'positive', minimum: 1 }, n: { $id: '/name', type: 'string' } },
    };
    expect(issuesOf(schema, { a: 0, b: 1 })).toEqual([
      'a: must be at least 1, got 0',
      'b: must be string, got number 1',
    ]);
  });

  test('names unevaluated parts', () => {
    const schema = { allOf: [object({ a: {} })], properties: { bee: {} }, unevaluatedProperties: false };
    expect(issuesOf(schema, { a: 1, bee: 2 })).toEqual([]);
    expect(issuesOf(schema, { a: 1, be: 2 })).toEqual([
      'be: is not a known argument. Known: bee, a. Did you mean "bee"?',
    ]);
    expect(issuesOf({ prefixItems: [true], unevaluatedItems: { type: 'string' } }, [1, 2])).toEqual([
      '1: must be string, got number 2',
    ]);
  });
});

describe('hostile schemas', () => {
  test('stop at a number of steps where references double at every level', () => {
    const $defs: Record<string, unknown> = { d60: { type: 'object' } };
    for (let level = 0; level < 60; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { allOf: [next, next] };
    }
    expect(issuesOf({ $ref: '#/$defs/d0', $defs }, {})).toEqual([
      ': could not be checked: the schema takes more than 1000000 steps',
    ]);
  });
});

describe('hostile values', () => {
  const recursive = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false };
  const nest = (levels: number): unknown => {
    let value: unknown = { oops: 1 };
    for (let level = 0; level < levels; level++) value = { next: value };
    return value;
  };

  test('reports a value with a thousand levels', () => {
    const result = readJsonSchema(recursive).validate(nest(1000));
    expect(result).toMatchObject({ ok: false, issues: [{ message: 'is not a known argument. Known: next.' }] });
  });

  test.each([
    ['a million levels', nest(1_000_000)],
    [
      'a value that holds itself',
      (() => {
        const loop: Record<string, unknown> = {};
        loop['next'] = loop;
        return loop;
      })(),
    ],
  ])('reports %s', (_name, value) => {
    expect(readJsonSchema(recursive).validate(value)).toEqual({
      ok: false,
      issues: [{ path: [], message: 'is nested too deeply' }],
    });
  });

  test('reports a value that throws when read', () => {
    const value = Object.defineProperty({}, 'next', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(readJsonSchema(recursive).validate(value)).toEqual({
      ok: false,
      issues: [{ path: [], message: 'could not be checked: no' }],
    });
  });
});

describe('any schema and any value', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const small = fc.integer({ min: 0, max: 3 });
  const scalar = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom('', 'a', 'b', '👍', 1.5),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');
  const { schema } = fc.letrec<{ schema: unknown; keywords: JsonSchema }>((tie) => {
    const inner = tie('schema');
    const list = fc.array(inner, { minLength: 1, maxLength: 3 });
    const map = fc.dictionary(key, inner, { maxKeys: 3, noNullPrototype: true });
    const limit = fc.integer({ min: -3, max: 3 });
    const patterns = fc.constantFrom('^a', 'b$', 'b|c');
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      const: value,
      minimum: limit,
      maximum: limit,
      exclusiveMinimum: limit,
      exclusiveMaximum: limit,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: small,
      maxLength: small,
      pattern: patterns,
      properties: map,
      required: fc.uniqueArray(key, { maxLength: 2 }),
      additionalProperties: inner,
      patternProperties: fc.dictionary(patterns, inner, { maxKeys: 2, noNullPrototype: true }),
      propertyNames: inner,
      minProperties: small,
      maxProperties: small,
      dependentRequired: fc.dictionary(key, fc.uniqueArray(key), { maxKeys: 2, noNullPrototype: true }),
      dependentSchemas: map,
      items: inner,
      prefixItems: list,
      contains: inner,
      minContains: small,
      maxContains: small,
      minItems: small,
      maxItems: small,
      uniqueItems: fc.boolean(),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: inner,
      if: inner,
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: inner,
      else: inner,
    };
    const entries = Object.entries(keywords).map(([name, values]) => fc.tuple(fc.constant(name), values));
    return {
      schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), tie('keywords')),
      keywords: fc
        .uniqueArray(fc.oneof(...entries), { selector: ([name]) => name, maxLength: 5, size: 'max' })
        .map((chosen) => Object.fromEntries(chosen))
        // With both in an inner schema, ajv accepts an empty array against the specification.
        .filter((chosen) => !('contains' in chosen && 'prefixItems' in chosen)),
    };
  });
  const document = schema.map((part) => (typeof part === 'boolean' ? { allOf: [part] } : (part as JsonSchema)));

  test('closures and ajv agree on valid values', () => {
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 1, maxLength: 5 }), (schema, values) => {
        const ajv = new Ajv2020({ strict: false, validateSchema: false, ownProperties: true, logger: false });
        const validate = ajv.compile(schema);
        const reader = readJsonSchema(schema, { anyRoot: true });
        for (const item of values) {
          let wanted: boolean;
          try {
            wanted = validate(item);
          } catch {
            // ajv's generated code fails in some cases, such as patternProperties next to anyOf, and gives no verdict.
            continue;
          }
          const result = reader.validate(item);
          expect({ schema, item, ok: result.ok }).toEqual({ schema, item, ok: wanted });
          const messages = result.ok ? [] : result.issues.map((issue) => issue.message);
          expect(messages.length > 0).toBe(!wanted);
          expect(messages).not.toContain('does not match the schema');
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('no value makes it throw', () => {
    fc.assert(
      fc.property(document, fc.anything(), (schema, item) => {
        expect(typeof readJsonSchema(schema, { anyRoot: true }).validate(item).ok).toBe('boolean');
      }),
    );
  });
});
