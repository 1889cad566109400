import { expect, test } from 'vitest';
import type { JsonSchema } from '../json.ts';
import { readJsonSchema } from './read-json-schema.ts';

const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };

function issuesOf(schema: JsonSchema, value: unknown): string[] {
  const result = readJsonSchema(schema).validate(value);
  return result.ok ? [] : result.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('takes the forms of draft-07', () => {
  const schema = {
    ...draft07,
    properties: {
      pair: { type: 'array', items: [{ type: 'string' }, { enum: ['metric', 'imperial'] }], additionalItems: false },
      code: { type: 'string', pattern: '^[A-Z]$' },
      version: { const: 2 },
      gone: false,
    },
    required: ['pair'],
    additionalProperties: false,
  };
  expect(issuesOf(schema, { pair: ['a', 'metric'] })).toEqual([]);
  expect(issuesOf(schema, {})).toEqual(['pair: is required']);
  expect(issuesOf(schema, { pair: [1, 'metrc'], code: 'x', version: 1, gone: 1, piar: 1 })).toEqual([
    'pair.0: must be string, got number 1',
    'pair.1: must be one of "metric", "imperial"; got "metrc". Did you mean "metric"?',
    'code: must match pattern ^[A-Z]$; got "x"',
    'version: must be 2; got 1',
    'gone: is not allowed',
    'piar: is not a known argument. Known: pair, code, version, gone. Did you mean "pair"?',
  ]);
});

test('reads $ref like draft-07 and ignores the keywords next to it', () => {
  const schema = {
    ...draft07,
    properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
    definitions: { s: { type: 'string' } },
  };
  expect(issuesOf(schema, { a: 'long' })).toEqual([]);
  expect(issuesOf(schema, { a: 1 })).toEqual(['a: must be string, got number 1']);
});

test('ignores inherited keys, and distinguishes patterns', () => {
  expect(issuesOf({ type: 'object', required: ['toString'], dependencies: {} }, {})).toEqual(['toString: is required']);
  const schema = { ...draft07, dependencies: {}, properties: { a: { pattern: '^a' }, b: { pattern: '^b' } } };
  expect(issuesOf(schema, { a: 'a', b: 'a' })).toEqual(['b: must match pattern ^b; got "a"']);
});

test('accepts references to the meta-schema without fetching it', () => {
  const schema = { type: 'object', properties: { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } };
  expect(issuesOf(schema, { schema: { minimum: 1 } })).toEqual([]);
  expect(issuesOf(schema, { schema: { minimum: 'x' } })).toEqual(['schema.minimum: must be a number; got "x"']);
});

test('fills defaults before the check', () => {
  const schema = { ...draft07, properties: { a: { type: 'number', default: 1 } }, required: ['a'], dependencies: {} };
  expect(readJsonSchema(schema).validate({})).toEqual({ ok: true, value: { a: 1 } });
});

test('reports a value too deep for the stack', () => {
  let deep: unknown = {};
  for (let level = 0; level < 1_000_000; level++) deep = { next: deep };
  const schema = { ...draft07, properties: { next: { $ref: '#' } }, dependencies: {} };
  expect(readJsonSchema(schema).validate(deep)).toEqual({
    ok: false,
    issues: [{ path: [], message: 'is nested too deeply' }],
  });
});

test('ignores keywords that a draft does not know', () => {
  expect(issuesOf({ ...draft07, properties: { a: { prefixItems: [false] } } }, { a: [1] })).toEqual([]);
});

test('takes references to parts of the draft-07 meta-schema', () => {
  const schema = (part: string): JsonSchema => ({
    ...draft07,
    properties: { a: { $ref: `http://json-schema.org/draft-07/schema#/definitions/${part}` } },
  });
  expect(issuesOf(schema('nonNegativeInteger'), { a: -1 })).toEqual(['a: must be at least 0, got -1']);
  expect(issuesOf(schema('schemaArray'), { a: [{ type: 'string' }] })).toEqual([]);
  expect(issuesOf(schema('schemaArray'), { a: [{ minLength: -1 }] })).toEqual([
    'a.0.minLength: must be a whole number, 0 or more; got -1',
  ]);
  expect(() => readJsonSchema(schema('other'))).toThrow('must point into this schema');
});

test('reads $recursiveRef as 2019-09 does', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2019-09/schema',
    type: 'object',
    $recursiveAnchor: true,
    properties: { name: { type: 'string' }, child: { $recursiveRef: '#' } },
    additionalProperties: false,
  };
  expect(issuesOf(schema, { name: 'a', child: { name: 'b' } })).toEqual([]);
  expect(issuesOf(schema, { name: 'a', child: { name: 1 } })).toEqual(['child.name: must be string, got number 1']);
});
