import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../tool/json.ts';
import { estimateTokens } from '../../tokens/estimate-tokens.ts';
import { fakeTool } from '../../boards.test-helper.ts';
import { writeBriefSignature, writeSignature, writeType } from './write-signature.ts';

const sign = (properties: JsonSchema, rest: JsonSchema = {}): string =>
  writeSignature(fakeTool('t', 'T', { schema: { type: 'object', properties, ...rest } }));

describe('writeSignature', () => {
  it.each<[string, JsonSchema, string]>([
    [
      'a required and an optional one',
      { properties: { a: { type: 'string' }, b: { type: 'integer', default: 20 } }, required: ['a'] },
      't(a: string, b?: integer = 20)',
    ],
    [
      'a default makes optional',
      { properties: { a: { type: 'string', default: 'x' } }, required: ['a'] },
      't(a?: string = "x")',
    ],
    ['nothing', { properties: {} }, 't()'],
    ['an enum', { properties: { a: { enum: ['x', 'y', 3, null] } } }, 't(a?: "x"|"y"|3|null)'],
    ['a constant', { properties: { a: { const: 'x' } }, required: ['a'] }, 't(a: "x")'],
    ['several types', { properties: { a: { type: ['string', 'null'] } } }, 't(a?: string|null)'],
    [
      'a union',
      { properties: { a: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] } } },
      't(a?: string|number[])',
    ],
    [
      'an array of a union',
      { properties: { a: { type: 'array', items: { type: ['string', 'number'] } } } },
      't(a?: (string|number)[])',
    ],
    [
      'a tuple',
      { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] } } },
      't(a?: [string, number])',
    ],
    ['an array of anything', { properties: { a: { type: 'array' } } }, 't(a?: any[])'],
    [
      'nested objects',
      {
        properties: {
          a: {
            type: 'object',
            properties: {
              b: { type: 'array', items: { type: 'object', properties: { c: { type: 'boolean' } }, required: ['c'] } },
            },
          },
        },
      },
      't(a?: { b?: { c: boolean }[] })',
    ],
    [
      'a map',
      { properties: { a: { type: 'object', additionalProperties: { type: 'string' } } } },
      't(a?: { [key]: string })',
    ],
    [
      'fields and others',
      { properties: { a: { type: 'object', properties: { b: {} }, additionalProperties: { type: 'number' } } } },
      't(a?: { b?: any, [key]: number })',
    ],
    ['an object of anything', { properties: { a: { type: 'object' } } }, 't(a?: object)'],
    ['booleans for schemas', { properties: { a: true, b: false } }, 't(a?: any, b?: never)'],
    [
      'a name that is no identifier',
      { properties: { 'a b': { type: 'string' }, 'x-y': {} } },
      't("a b"?: string, x-y?: any)',
    ],
    ['OpenAPI’s nullable', { properties: { a: { type: 'string', nullable: true } } }, 't(a?: string|null)'],
    [
      'references',
      {
        properties: { a: { $ref: '#/$defs/A' } },
        $defs: { A: { type: 'object', properties: { b: { $ref: '#/$defs/B' } } }, B: { enum: [1, 2] } },
      },
      't(a?: { b?: 1|2 })',
    ],
    [
      'recursion',
      {
        properties: { tree: { $ref: '#/$defs/Node' } },
        required: ['tree'],
        $defs: {
          Node: {
            type: 'object',
            properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
            required: ['value'],
          },
        },
      },
      't(tree: Node{ value: string, children?: Node[] })',
    ],
    ['recursion of the whole', { properties: { inner: { $ref: '#' } } }, 't(inner?: Self)'],
    [
      'allOf',
      {
        allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'number' } }, required: ['a'] }],
      },
      't(a: string, b?: number)',
    ],
    [
      'one shape or the other',
      {
        oneOf: [
          { properties: { id: { type: 'integer' } }, required: ['id'] },
          { properties: { name: { type: 'string' } }, required: ['name'] },
        ],
      },
      't({ id: integer }|{ name: string })',
    ],
    [
      'alternatives that only require',
      {
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      't(a?: string, b?: string)',
    ],
    ['arguments of any name', { additionalProperties: { type: 'string' } }, 't([key]: string)'],
  ])('writes %s', (_name, schema, expected) => {
    expect(writeSignature(fakeTool('t', 'T', { schema: { type: 'object', ...schema } }))).toBe(expected);
  });

  it('keeps deep and wide schemas within bounds', () => {
    let deep: JsonSchema = { type: 'string' };
    for (let level = 0; level < 60; level++) deep = { type: 'object', properties: { a: deep } };
    expect(sign({ deep })).toBe('t(deep?: { a?: { a?: { a?: { a?: { a?: { a?: {…} } } } } } })');
    const values = Array.from({ length: 500 }, (_, value) => `v${value}`);
    expect(sign({ a: { enum: values } })).toContain('|…440 more)');
    expect(sign({ a: { const: 'x'.repeat(1000) } }).length).toBeLessThan(100);
  });

  it('follows no missing or circular reference', () => {
    const root = { $defs: { A: { $ref: '#/$defs/A' } } };
    const style = { depth: 3, values: 5 };
    expect(writeType({ $ref: '#/$defs/None' }, root, style)).toBe('any');
    expect(writeType({ $ref: 'https://example.com/schema' }, root, style)).toBe('any');
    expect(writeType({ $ref: '#/$defs/A' }, root, style)).toBe('A');
  });

  it('writes something for any schema', () => {
    const leaf = fc.oneof(
      fc.constant({}),
      fc.boolean(),
      fc.constantFrom('string', 'array', 'object', 'null').map((type) => ({ type })),
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record({ type: fc.constant('object'), properties: fc.dictionary(fc.string(), tie('schema')) }),
        fc.record({ anyOf: fc.array(tie('schema')), items: tie('schema') }, { requiredKeys: [] }),
        fc.record({ $ref: fc.constantFrom('#', '#/properties/a', '#/%', 'http://x', '#/$defs/~1') }),
        fc.record({ allOf: fc.array(tie('schema')), enum: fc.array(fc.jsonValue()) }, { requiredKeys: [] }),
      ),
    }));
    fc.assert(
      fc.property(schema, (any) => {
        // The generator's type is unknown; every schema it gives must be written.
        const root = { type: 'object', properties: { a: any } } as JsonSchema;
        expect(writeType(root, root, { depth: 3, values: 5 })).not.toBe('');
      }),
    );
  });
});

describe('writeBriefSignature', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 30 }, (_, number) => [`parameter_${number}`, { type: 'string', description: 'Long' }]),
  );
  it('counts optional parameters that do not fit, and keeps required ones', () => {
    const tool = fakeTool('t', 'T', { schema: { type: 'object', properties, required: ['parameter_29'] } });
    const written = writeBriefSignature(tool, 30);
    expect(estimateTokens(written)).toBeLessThanOrEqual(30);
    expect(written).toMatch(/^t\(parameter_29: string, parameter_0\?: .*, …\d+ more\)$/);
  });

  it('drops types before required parameters', () => {
    const required = ['parameter_0', 'parameter_1', 'parameter_2', 'parameter_3'];
    const tool = fakeTool('t', 'T', { schema: { type: 'object', properties, required } });
    expect(writeBriefSignature(tool, 26)).toBe('t(parameter_0, parameter_1, parameter_2, parameter_3, …26 more)');
  });
});
