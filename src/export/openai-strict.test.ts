import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../tool/json.ts';
import { checkOpenAIStrict } from './check-openai-strict.test-helper.ts';
import { toOpenAITools } from './openai.ts';
import { anyTool, toolWith } from './schema-arbitrary.test-helper.ts';
import { simpleObject, strictAnswer } from './strict-answer.test-helper.ts';

function strict(properties: Record<string, unknown>, more: JsonSchema = {}) {
  const exported = toOpenAITools([toolWith({ type: 'object', properties, ...more })], { strict: true });
  const parameters = exported.tools[0]?.function.parameters;
  expect(parameters ? checkOpenAIStrict(parameters) : []).toEqual([]);
  return { properties: parameters?.['properties'], parameters, lines: String(exported.report).split('\n'), exported };
}

describe('toOpenAITools with strict: true', () => {
  test('requires every property and turns optional ones nullable', () => {
    const { exported, parameters } = strict(
      {
        city: { type: 'string' },
        units: { enum: ['C', 'F'], description: 'Unit', default: 'C' },
        days: { type: 'integer', minimum: 1 },
        note: { type: ['string', 'null'] },
        place: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
      { required: ['city'] },
    );
    expect(exported.tools[0]?.function.strict).toBe(true);
    expect(parameters).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string' },
        units: { type: ['string', 'null'], enum: ['C', 'F', null], description: 'Unit (default: "C")' },
        days: { type: ['integer', 'null'], minimum: 1 },
        note: { type: ['string', 'null'] },
        place: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      },
      required: ['city', 'units', 'days', 'note', 'place'],
      additionalProperties: false,
    });
    const answer = { city: 'Paris', units: null, days: null, note: null, place: null };
    expect(exported.restore('tool', answer)).toEqual({ name: 'tool', input: { city: 'Paris', note: null } });
  });

  test('describes what strict mode cannot express', () => {
    const { properties, lines } = strict(
      {
        name: { type: 'string', description: 'A name', minLength: 3, maxLength: 20 },
        link: { type: 'string', format: 'uri' },
        when: { type: 'string', format: 'date-time' },
        code: { type: 'string', pattern: '^(?!x)a' },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 1 },
      },
      { required: ['name', 'link', 'when', 'code', 'tags'] },
    );
    expect(properties).toEqual({
      name: { type: 'string', description: 'A name (3 to 20 characters)' },
      link: { type: 'string', description: '(format: uri)' },
      when: { type: 'string', format: 'date-time' },
      code: { type: 'string', description: '(matches ^(?!x)a)' },
      tags: { type: 'array', description: '(no item twice)', minItems: 1, items: { type: 'string' } },
    });
    expect(lines[0]).toBe(
      'tool › name › minLength › dropped: OpenAI strict mode has no "minLength" here; the description says it, and calls are still checked.',
    );
    expect(lines).toHaveLength(5);
  });

  test('turns maps into JSON text and parses it on a call', () => {
    const { properties, lines, exported } = strict(
      {
        headers: { type: 'object', description: 'Headers.', additionalProperties: { type: 'string' } },
        options: { type: 'object' },
        extra: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
      },
      { required: ['headers', 'options'] },
    );
    expect(properties).toEqual({
      headers: { type: 'string', description: 'Headers. JSON text of an object with string values.' },
      options: { type: 'string', description: 'JSON text of an object.' },
      extra: {
        type: ['string', 'null'],
        description:
          'JSON text of an object that follows this JSON Schema: {"type":"object","properties":{"a":{"type":"string"}}}.',
      },
    });
    expect(lines).toEqual([
      'tool › headers › free-form value › rewritten: The keys of this object are free; the model sends it as JSON text, which is parsed on a call.',
      'tool › options › free-form value › rewritten: The keys of this object are free; the model sends it as JSON text, which is parsed on a call.',
      'tool › extra › free-form value › rewritten: This object takes further keys; the model sends it as JSON text, which is parsed on a call.',
    ]);
    const restore = (args: unknown) => exported.restore('tool', args).input;
    expect(restore({ headers: '{"a":"b"}', options: '{}', extra: null })).toEqual({ headers: { a: 'b' }, options: {} });
    expect(restore({ headers: '{"a":', options: '[1]', extra: '{"a":"x","b":1}' })).toEqual({
      headers: '{"a":',
      options: '[1]',
      extra: { a: 'x', b: 1 },
    });
  });

  test('turns arguments with free names into one text argument', () => {
    const exported = toOpenAITools([toolWith({ type: 'object', additionalProperties: { type: 'number' } })], {
      strict: true,
    });
    expect(exported.tools[0]?.function.parameters).toEqual({
      type: 'object',
      properties: { json: { type: 'string', description: expect.stringContaining('JSON text of an object') } },
      required: ['json'],
      additionalProperties: false,
    });
    expect(exported.restore('tool', { json: '{"a":1}' }).input).toEqual({ a: 1 });
  });

  test('narrows any value, and open arguments to the listed ones', () => {
    const { properties, lines } = strict({ value: {} }, { additionalProperties: true });
    expect(properties).toEqual({
      value: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
    });
    expect(lines).toEqual([
      'tool › (arguments) › additionalProperties › narrowed: OpenAI strict mode sends the listed keys only. List every key the model should send.',
      'tool › value › any value › narrowed: Any value was allowed; a text, number, boolean or null can be sent.',
    ]);
  });

  test('keeps recursion, and lets a reference stand alone', () => {
    const { parameters, exported } = strict(
      {
        tree: { $ref: '#/$defs/node' },
        again: { $ref: '#/$defs/node', description: 'A tree' },
        me: { allOf: [{ $ref: '#/$defs/node' }] },
      },
      {
        $defs: {
          node: {
            type: 'object',
            properties: { label: { type: 'string' }, next: { allOf: [{ $ref: '#/$defs/node' }], description: 'Next' } },
            required: ['label'],
          },
        },
      },
    );
    const properties = { label: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } };
    const closed = { required: ['label', 'next'], additionalProperties: false };
    expect(parameters).toEqual({
      type: 'object',
      properties: {
        tree: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        again: { type: ['object', 'null'], description: 'A tree', properties, ...closed },
        me: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      },
      required: ['tree', 'again', 'me'],
      additionalProperties: false,
      $defs: { node: { type: 'object', properties, ...closed } },
    });
    const answer = {
      tree: { label: 'a', next: { label: 'b', next: null } },
      again: { label: 'c', next: null },
      me: null,
    };
    expect(exported.restore('tool', answer).input).toEqual({
      tree: { label: 'a', next: { label: 'b' } },
      again: { label: 'c' },
    });
  });

  test('merges allOf, turns oneOf into anyOf, and restores the alternative that was chosen', () => {
    const { properties, exported } = strict(
      {
        both: {
          allOf: [
            { type: 'object', properties: { a: { type: 'string' } } },
            { properties: { b: { type: 'number' } }, required: ['b'] },
          ],
        },
        either: {
          oneOf: [
            { type: 'object', properties: { kind: { const: 'x' }, size: { type: 'number' } }, required: ['kind'] },
            {
              type: 'object',
              properties: { kind: { const: 'y' }, map: { type: 'object' } },
              required: ['kind', 'map'],
            },
          ],
        },
      },
      { required: ['both', 'either'] },
    );
    expect(properties).toMatchObject({
      both: { properties: { a: { type: ['string', 'null'] }, b: { type: 'number' } }, required: ['a', 'b'] },
      either: { anyOf: [{ properties: { kind: { enum: ['x'] } } }, { properties: { kind: { enum: ['y'] } } }] },
    });
    const restore = (either: unknown) => exported.restore('tool', { both: { a: null, b: 1 }, either }).input;
    expect(restore({ kind: 'x', size: null })).toEqual({ both: { b: 1 }, either: { kind: 'x' } });
    expect(restore({ kind: 'y', map: '{"q":1}' })).toEqual({ both: { b: 1 }, either: { kind: 'y', map: { q: 1 } } });
  });

  test('writes a tuple as one kind of item, with the order in the description', () => {
    const { properties, lines } = strict(
      { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false } },
      { required: ['pair'] },
    );
    expect(properties).toEqual({
      pair: {
        type: 'array',
        description: '(in this order: string, number)',
        items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        maxItems: 2,
      },
    });
    expect(lines).toEqual([
      'tool › pair › prefixItems › rewritten: OpenAI strict mode has no tuples; every item may be one of 2 kinds, the description gives the order, and calls are still checked.',
    ]);
  });

  test('drops an optional property that allows no value, and quarantines a tool with a required one', () => {
    expect(strict({ a: false, b: { type: 'string' } }, { required: ['b'] })).toMatchObject({
      properties: { b: { type: 'string' } },
      lines: ['tool › a › no value fits › dropped: No value is allowed here, so the key is not offered.'],
    });
    expect(strict({ a: false }, { required: ['a'] }).lines).toEqual([
      'tool › a › no value fits › quarantined: No value is allowed here. Remove the property.',
    ]);
  });

  test('quarantines tools over the limits of strict mode', () => {
    const many = (count: number, make: (index: number) => unknown) =>
      Array.from({ length: count }, (_, index) => make(index));
    const wide = Object.fromEntries(many(5001, (index) => [`k${index}`, { type: 'string' }]) as [string, unknown][]);
    let deep: JsonSchema = { type: 'string' };
    for (let level = 0; level < 10; level += 1) deep = { type: 'object', properties: { a: deep } };
    const names = Object.fromEntries(
      many(1300, (index) => [`${index}`.padEnd(100, 'x'), { type: 'string' }]) as [string, unknown][],
    );
    expect(
      [
        wide,
        { a: deep },
        { a: { enum: many(1001, String) } },
        { a: { enum: many(251, (index) => `${index}`.padEnd(60)) } },
        names,
      ].flatMap((properties) => strict(properties).lines),
    ).toEqual([
      'tool › (arguments) › properties › quarantined: 5001 properties; OpenAI strict mode takes 5,000. Split the tool, or export it without { strict: true }.',
      'tool › (arguments) › nesting › quarantined: 11 levels of nesting; OpenAI strict mode takes 10. Flatten the arguments, or export it without { strict: true }.',
      'tool › (arguments) › enum › quarantined: 1002 enum values; OpenAI strict mode takes 1,000. Use a plain string, or export it without { strict: true }.',
      'tool › (arguments) › enum › quarantined: A list of more than 250 values has more than 15,000 characters in them. Shorten the values, or export it without { strict: true }.',
      'tool › (arguments) › schema size › quarantined: 130000 characters of names and values; OpenAI strict mode takes 120,000. Split the tool, or export it without { strict: true }.',
    ]);
  });

  test('passes the independent check for every schema it does not quarantine', () => {
    fc.assert(
      fc.property(anyTool, (tool) => {
        for (const exported of toOpenAITools([tool], { strict: true }).tools) {
          expect(checkOpenAIStrict(exported.function.parameters)).toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('restores what a model answers under the strict schema to what the tool expects', () => {
    const ajv = new Ajv2020({ strict: false, ownProperties: true });
    fc.assert(
      fc.property(
        simpleObject.chain((schema) => {
          const exported = toOpenAITools([toolWith(schema)], { strict: true });
          const parameters = exported.tools[0]?.function.parameters;
          return fc.record({
            schema: fc.constant(schema),
            exported: fc.constant(exported),
            answer: strictAnswer(parameters),
          });
        }),
        ({ schema, exported, answer }) => {
          const { input } = exported.restore('tool', answer);
          const valid = ajv.validate(schema, input);
          expect({ input, errors: valid ? [] : ajv.errors }).toEqual({ input, errors: [] });
        },
      ),
      { numRuns: 500 },
    );
  });
});
