import * as fc from 'fast-check';
import type { JsonSchema } from '../tool/json.ts';
import type { ExportableTool } from './exporter.ts';

/** A minimal tool with this schema. */
export function toolWith(inputSchema: JsonSchema, name = 'tool'): ExportableTool {
  return { metadata: { name, description: 'Does something.' }, inputSchema };
}

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'city', 'user id', 'constructor', '$x', '1st'),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const scalar = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

/** Schemas of every kind: old and new drafts, compositions, references, invalid ones. */
const anySchema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const inner = tie('schema');
  const sub = fc.oneof({ weight: 6, arbitrary: inner }, { weight: 1, arbitrary: fc.boolean() });
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonSchema>(
        { type: 'string' },
        { type: 'integer' },
        {},
        { $ref: '#/$defs/node' },
        { $ref: '#' },
        { type: 'null' },
      ),
      fc.record(
        {
          type: fc.constant('string'),
          minLength: fc.nat(5),
          format: fc.constantFrom('uri', 'date-time', 'email'),
          pattern: fc.constantFrom('^a', '(?=x)'),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constantFrom('number', 'integer'),
          exclusiveMinimum: fc.oneof(fc.integer(), fc.boolean()),
          minimum: fc.integer(),
          multipleOf: fc.constantFrom(2, 5),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { enum: fc.array(scalar, { minLength: 1, maxLength: 4 }), description: fc.constant('Pick one') },
        { requiredKeys: ['enum'] },
      ),
      fc.record({ const: fc.oneof(scalar, fc.constant({ x: 1 })) }),
      fc.record({ type: fc.constant(['string', 'null']), default: fc.constant('x') }),
      fc.record({ type: fc.constant(['string', 'number', 'object']) }),
      fc.record(
        { type: fc.constant('array'), items: sub, uniqueItems: fc.boolean(), minItems: fc.nat(3) },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constant('array'), prefixItems: fc.array(sub, { minLength: 1, maxLength: 3 }), items: sub },
        { requiredKeys: ['type', 'prefixItems'] },
      ),
      fc.record(
        { type: fc.constant('array'), items: fc.array(sub, { minLength: 1, maxLength: 2 }), additionalItems: sub },
        { requiredKeys: ['type', 'items'] },
      ),
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(key, sub, { maxKeys: 4 }),
          required: fc.array(key, { maxLength: 2 }),
          additionalProperties: sub,
          minProperties: fc.nat(2),
          nullable: fc.boolean(),
          'x-vendor': fc.constant(1),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          anyOf: fc.array(sub, { minLength: 1, maxLength: 3 }),
          description: fc.constant('One of'),
          type: fc.constant('object'),
        },
        { requiredKeys: ['anyOf'] },
      ),
      fc.record({ oneOf: fc.array(sub, { minLength: 1, maxLength: 3 }) }),
      fc.record(
        { allOf: fc.array(sub, { minLength: 1, maxLength: 3 }), description: fc.constant('All of') },
        { requiredKeys: ['allOf'] },
      ),
      fc.record({ not: sub, if: sub, else: sub }, { requiredKeys: [] }),
      fc.record(
        {
          $ref: fc.constantFrom('#/$defs/node', '#/definitions/node', '#/$defs/leaf'),
          description: fc.constant('A reference'),
        },
        { requiredKeys: ['$ref'] },
      ),
    ),
  };
}).schema;

/** Tools with any of those schemas, mostly with an object on top. */
export const anyTool: fc.Arbitrary<ExportableTool> = fc
  .record({
    properties: fc.dictionary(key, anySchema, { maxKeys: 5 }),
    required: fc.array(key, { maxLength: 3 }),
    more: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: anySchema }),
    node: anySchema,
    leaf: anySchema,
  })
  .map(({ properties, required, more, node, leaf }) =>
    toolWith({ type: 'object', properties, required, ...more, $defs: { node, leaf } }),
  );
