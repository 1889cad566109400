import { describe, expect, test } from 'vitest';
import { checkOpenAIStrict } from './check-openai-strict.test-helper.ts';

const closed = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

describe('checkOpenAIStrict', () => {
  test('accepts what strict mode accepts', () => {
    const schema = closed({
      a: { type: ['string', 'null'], format: 'date-time', pattern: '^2' },
      b: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] },
      c: { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 3 },
      d: { type: 'string', enum: ['x', 'y'] },
    });
    expect(checkOpenAIStrict({ ...schema, $defs: { n: closed({ next: { $ref: '#' } }) } })).toEqual([]);
  });

  test.each([
    ['a top level that is no object', { type: 'string' }, ['#: the top level must be an object']],
    ['a union on top', { ...closed({}), anyOf: [{ type: 'string' }] }, ['#: the top level must not be "anyOf"']],
    ['an open object', { type: 'object', properties: {}, required: [] }, ['#: "additionalProperties" must be false']],
    [
      'an optional property',
      { ...closed({ a: { type: 'string' } }), required: [] },
      ['#: "required" must list every property'],
    ],
    [
      'keywords outside the subset',
      closed({ a: { type: 'string', minLength: 1 } }),
      ['#/a: "minLength" is not supported'],
    ],
    ['a place without a type', closed({ a: {} }), ['#/a: has no "type"']],
    ['an array without items', closed({ a: { type: 'array' } }), ['#/a: an array needs "items"']],
    ['other formats', closed({ a: { type: 'string', format: 'uri' } }), ['#/a: format "uri" is not supported']],
    ['keywords beside a reference', closed({ a: { $ref: '#', description: 'x' } }), ['#/a: "$ref" must stand alone']],
    ['a reference to nothing', closed({ a: { $ref: '#/$defs/x' } }), ['#/a: "#/$defs/x" is not defined']],
    ['objects in an enum', closed({ a: { type: 'string', enum: [{}] } }), ['#/a: "enum" lists plain values only']],
    ['a type twice', closed({ a: { type: ['null', 'null'] } }), ['#/a: "type" is not valid']],
    ['no schema at all', 5, ['#: is not a schema object', '#: the top level must be an object']],
  ])('rejects %s', (_, schema, problems) => {
    expect(checkOpenAIStrict(schema)).toEqual(problems);
  });

  test('counts properties, levels, enum values and characters', () => {
    let deep: Record<string, unknown> = { type: 'string' };
    for (let level = 0; level < 11; level += 1) deep = closed({ a: deep });
    expect(checkOpenAIStrict(deep)).toHaveLength(2);
    const keys = Array.from({ length: 5001 }, (_, index) => [`k${index}`.padEnd(30), { type: 'string' }]);
    expect(checkOpenAIStrict(closed(Object.fromEntries(keys)))).toEqual([
      '#: more than 5,000 properties',
      '#: more than 120,000 characters of names and values',
    ]);
    const values = Array.from({ length: 1001 }, (_, index) => `v${index}`.padEnd(15));
    expect(checkOpenAIStrict(closed({ a: { type: 'string', enum: values } }))).toEqual([
      '#/a: "enum" has over 250 values and 15,000 characters',
      '#: more than 1,000 enum values',
    ]);
  });
});
