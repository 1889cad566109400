// Whatever JSON a model sends to whatever schema: it validates or gives invalid_arguments, and nothing ever throws.
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, ToolRegistry, ToolResult } from '../src/index.ts';

const scalar = fc.oneof(
  fc.constant({ type: 'string' }),
  fc.record({ type: fc.constant('string'), minLength: fc.nat(3), maxLength: fc.nat(9) }),
  fc.record({ type: fc.constantFrom('integer', 'number'), minimum: fc.integer({ min: -5, max: 5 }) }),
  fc.constant({ type: 'boolean' }),
  fc.record({ enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }) }),
  fc.constant({ type: ['string', 'null'] }),
  fc.constant({}),
);

const { node } = fc.letrec<{ node: object }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.record({ type: fc.constant('array'), items: tie('node'), maxItems: fc.nat(4) }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), tie('node')).map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, 1),
      additionalProperties: false,
    })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}));

const objectSchema = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), node).chain((properties) =>
  fc.record({
    type: fc.constant('object'),
    properties: fc.constant(properties),
    required: fc.subarray(Object.keys(properties)),
    additionalProperties: fc.boolean(),
  }),
);

const anyInput = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor'), fc.jsonValue()),
  fc.json(),
);

async function callsSafely(schema: unknown, input: unknown, coerce: boolean): Promise<void> {
  const registry = new ToolRegistry();
  const spec = { name: 'probe', description: 'Probe', schema: schema as object, execute: () => 'ran' };
  registry.register(defineTool({ ...spec, schema: schema as { type: 'object' } }));
  const before = JSON.stringify(input);
  const result = await registry.call('probe', input, { coerce });
  expect(result).toBeInstanceOf(ToolResult);
  expect(result.ok ? result.text : result.error?.code).toBe(result.ok ? 'ran' : 'invalid_arguments');
  expect(JSON.stringify(input)).toBe(before);
  expect(Object.keys(Object.prototype)).toEqual([]);
}

describe('any JSON value through any schema', () => {
  it('either runs or says invalid_arguments: JSON Schema', () =>
    fc.assert(fc.asyncProperty(objectSchema, anyInput, fc.boolean(), callsSafely), { numRuns: 500 }));

  const others: Record<string, unknown> = {
    zod: z.object({
      a: z.string().min(2),
      b: z.union([z.int(), z.boolean()]).optional(),
      c: z.array(z.object({ a: z.string() })).default([]),
    }),
    'zod with checks of its own': z.object({
      a: z.string().refine((text) => {
        if (text === 'boom') throw new Error('refine threw');
        return text.length > 1;
      }),
    }),
    valibot: v.object({ a: v.string(), b: v.optional(v.pipe(v.number(), v.integer())), c: v.array(v.boolean()) }),
    arktype: type({ a: 'string', 'b?': 'number', c: 'boolean[]' }),
  };
  for (const [name, schema] of Object.entries(others)) {
    it(`either runs or says invalid_arguments: ${name}`, () =>
      fc.assert(fc.asyncProperty(fc.constant(schema), anyInput, fc.boolean(), callsSafely), {
        numRuns: 300,
        examples: [[schema, { a: 'boom' }, false]],
      }));
  }
});
