import { describe, expect, it } from 'vitest';
import { tolerateSchema } from './tolerate-schema.ts';

const object = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  ...more,
});

describe('tolerateSchema', () => {
  it('returns a valid schema unchanged', () => {
    const schema = object({ id: { type: 'string' }, n: { type: 'number', exclusiveMinimum: 3 } });
    expect(tolerateSchema(schema).schema).toBe(schema);
  });

  it('converts draft-04', () => {
    const bound = { type: 'number', minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false };
    expect(tolerateSchema(object({ n: bound }, { id: 'http://example.com/a' }))).toEqual({
      schema: object({ n: { type: 'number', exclusiveMinimum: 3, maximum: 9 } }, { $id: 'http://example.com/a' }),
      unchecked: [],
      isOld: true,
    });
  });

  it('drops invalid parts, and says where', () => {
    const { schema, unchecked } = tolerateSchema(
      object({ a: { type: 'int', description: 'A' }, b: { $ref: 'https://example.com/b' }, c: { type: 'string' } }),
    );
    expect(schema).toEqual(object({ a: { description: 'A' }, b: {}, c: { type: 'string' } }));
    expect(unchecked.map((one) => one.split(' ')[0])).toEqual(['properties.a.type', 'properties.b.$ref']);
  });

  it('rejects nothing more than the valid part does', () => {
    const choice = { oneOf: [{ type: 'int' }, { type: 'string' }] };
    const { schema } = tolerateSchema(
      object({ a: choice, b: { not: { type: 'int' } }, c: { anyOf: [{ type: 'x' }] } }),
    );
    expect(schema).toEqual(object({ a: {}, b: {}, c: { anyOf: [{}] } }));
  });

  it('accepts any object if the top level is invalid', () => {
    expect(tolerateSchema({ type: 'string', minLength: 3 })).toMatchObject({
      schema: { minLength: 3 },
      unchecked: ['type must be "object"; got "string"'],
    });
  });
});
