import { expect, test } from 'vitest';
import type { JsonSchema } from '../../json.ts';
import { readJsonSchema } from '../read-json-schema.ts';

const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };

function issuesOf(schema: JsonSchema, value: unknown): string[] {
  const reader = readJsonSchema(schema);
  expect(reader.engine).toBe('ajv');
  const result = reader.validate(value);
  return result.ok ? [] : result.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('takes the forms of draft-07 and words what is wrong as the closures do', () => {
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
    'piar: is not a known argument. Known: pair, code, version, gone. Did you mean "pair"?',
    'pair.0: must be string, got number 1',
    'pair.1: must be one of "metric", "imperial"; got "metrc". Did you mean "metric"?',
    'code: must match pattern ^[A-Z]$; got "x"',
    'version: must be 2; got 1',
    'gone: is not allowed',
  ]);
});

test('reads $ref as draft-07 does: what stands beside it does not count', () => {
  const schema = {
    ...draft07,
    properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
    definitions: { s: { type: 'string' } },
  };
  expect(issuesOf(schema, { a: 'long' })).toEqual([]);
  expect(issuesOf(schema, { a: 1 })).toEqual(['a: must be string, got number 1']);
});

test('keeps inherited keys out, and tells patterns apart', () => {
  expect(issuesOf({ type: 'object', required: ['toString'], dependencies: {} }, {})).toEqual(['toString: is required']);
  const schema = { ...draft07, dependencies: {}, properties: { a: { pattern: '^a' }, b: { pattern: '^b' } } };
  expect(issuesOf(schema, { a: 'a', b: 'a' })).toEqual(['b: must match pattern ^b; got "a"']);
});

test('takes references to the meta-schema without fetching it', () => {
  const schema = { type: 'object', properties: { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } };
  expect(issuesOf(schema, { schema: { minimum: 1 } })).toEqual([]);
  expect(issuesOf(schema, { schema: { minimum: 'x' } })).toEqual(['schema.minimum: must be number, got string "x"']);
});

test('fills defaults before ajv checks', () => {
  const schema = { ...draft07, properties: { a: { type: 'number', default: 1 } }, required: ['a'], dependencies: {} };
  expect(readJsonSchema(schema).validate({})).toEqual({ ok: true, value: { a: 1 } });
});

test('gives an issue for a value too deep for the stack', () => {
  let deep: unknown = {};
  for (let level = 0; level < 1_000_000; level++) deep = { next: deep };
  const schema = { ...draft07, properties: { next: { $ref: '#' } }, dependencies: {} };
  expect(readJsonSchema(schema).validate(deep)).toEqual({
    ok: false,
    issues: [{ path: [], message: 'is nested too deeply' }],
  });
});

test('leaves draft-07 schemas without its peculiar forms to the closures', () => {
  const schema = { ...draft07, properties: { a: { $ref: '#/definitions/s' } }, definitions: { s: { type: 'string' } } };
  expect(readJsonSchema(schema).engine).toBe('closures');
  expect(readJsonSchema({ ...schema, prefixItems: [false] }).engine).toBe('ajv');
});
