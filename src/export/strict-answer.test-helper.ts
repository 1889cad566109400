import * as fc from 'fast-check';
import { isPlainObject } from '../tool/json.ts';

const MAP_OF = /JSON text of an object with (\w+) values\.$/;

/** Generates answers that a model may give under a strict schema: all required properties, null where allowed, text for maps. */
export function strictAnswer(schema: unknown): fc.Arbitrary<unknown> {
  const node = isPlainObject(schema) ? schema : {};
  if (Array.isArray(node['anyOf'])) return fc.oneof(...node['anyOf'].map(strictAnswer));
  if (node['nullable'] === true) return fc.oneof(fc.constant(null), strictAnswer({ ...node, nullable: false }));
  const values: unknown[] = Array.isArray(node['enum']) ? node['enum'] : [];
  if (values.length > 0) return fc.constantFrom(...values);
  if (node['description'] === '(always null)') return fc.constant(null);
  const types: unknown[] = Array.isArray(node['type']) ? node['type'] : [node['type']];
  return fc.oneof(...types.map((type) => answerOf(type, node)));
}

function answerOf(type: unknown, node: Record<string, unknown>): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string': {
      const held = MAP_OF.exec(String(node['description']))?.[1];
      if (held === undefined)
        return String(node['description']).includes('JSON text of') ? fc.constant('{}') : fc.string({ maxLength: 5 });
      return fc
        .dictionary(fc.constantFrom('x', 'y'), answerOf(held, {}), { maxKeys: 2 })
        .map((map) => JSON.stringify(map));
    }
    case 'integer':
      return fc.integer();
    case 'number':
      return fc.integer().map((value) => value / 4);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(strictAnswer(node['items']), { maxLength: 3 });
    case 'object': {
      const properties = isPlainObject(node['properties']) ? node['properties'] : {};
      const fields = Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, strictAnswer(inner)]));
      const required: unknown[] = Array.isArray(node['required']) ? node['required'] : [];
      return fc.record(fields, { requiredKeys: Object.keys(fields).filter((key) => required.includes(key)) });
    }
    default:
      return fc.constant(null);
  }
}

/** Common object schemas: nested, with optional, nullable, listed and mapped values. */
export const simpleObject: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{
  value: Record<string, unknown>;
  object: Record<string, unknown>;
}>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Record<string, unknown>>(
      { type: 'string' },
      { type: 'integer' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'null' },
    ),
    fc.constantFrom<Record<string, unknown>>(
      { type: ['string', 'null'] },
      { enum: ['a', 1, null] },
      { const: 'x' },
      { enum: [{ a: 1 }, 'b'] },
    ),
    fc.constantFrom<Record<string, unknown>>(
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: ['number', 'boolean'] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('value') }),
    fc.record({ anyOf: fc.array(tie('value'), { minLength: 1, maxLength: 3 }) }),
    tie('object'),
  ),
  object: fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), fc.tuple(tie('value'), fc.boolean()), { maxKeys: 4 })
    .map((fields) => ({
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([key, [value]]) => [key, value])),
      required: Object.entries(fields).flatMap(([key, [, required]]) => (required ? [key] : [])),
      additionalProperties: false,
    })),
})).object;
