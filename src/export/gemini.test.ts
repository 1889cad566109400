import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../tool/json.ts';
import { checkGemini } from './check-gemini.test-helper.ts';
import { toGeminiTools } from './gemini.ts';
import { anyTool, toolWith } from './schema-arbitrary.test-helper.ts';
import { simpleObject, strictAnswer } from './strict-answer.test-helper.ts';

function gemini(properties: Record<string, unknown>, more: JsonSchema = {}) {
  const exported = toGeminiTools([toolWith({ type: 'object', properties, ...more })]);
  const parameters = exported.tools[0]?.parameters;
  expect(parameters ? checkGemini(parameters) : []).toEqual([]);
  return { parameters, properties: parameters?.['properties'], lines: String(exported.report).split('\n'), exported };
}

describe('toGeminiTools', () => {
  test('writes a declaration, and no parameters for a tool without arguments', () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    };
    expect(toGeminiTools([toolWith(schema, 'weather'), toolWith({ type: 'object' }, '2nd')]).tools).toEqual([
      { name: 'weather', description: 'Does something.', parameters: schema },
      { name: '_2nd', description: 'Does something.' },
    ]);
  });

  test('writes null as a flag, and alternatives without other keywords', () => {
    expect(
      gemini({
        a: { type: ['string', 'null'] },
        b: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'B' },
        c: { oneOf: [{ type: 'string', description: 'Text' }, { type: 'number' }, { type: 'null' }], description: 'C' },
        d: { type: ['string', 'number'] },
        e: { type: 'null' },
      }).properties,
    ).toEqual({
      a: { type: 'string', nullable: true },
      b: { type: 'string', description: 'B', nullable: true },
      c: {
        anyOf: [
          { type: 'string', description: 'C Text', nullable: true },
          { type: 'number', description: 'C', nullable: true },
        ],
      },
      d: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      e: { type: 'string', description: '(always null)', nullable: true },
    });
  });

  test('lists values as text and converts them back', () => {
    const { properties, lines, exported } = gemini({
      size: { enum: [1, 2, 'auto', ''] },
      on: { const: true },
      level: { type: 'integer', enum: [10] },
    });
    expect(properties).toEqual({
      size: { type: 'string', enum: ['1', '2', 'auto'] },
      on: { type: 'string', enum: ['true'] },
      level: { type: 'string', enum: ['10'] },
    });
    expect(exported.restore('tool', { size: '2', on: 'true', level: '10' }).input).toEqual({
      size: 2,
      on: true,
      level: 10,
    });
    expect(exported.restore('tool', { size: 'auto', on: true, level: 10 }).input).toEqual({
      size: 'auto',
      on: true,
      level: 10,
    });
    expect(lines[0]).toBe(
      'tool › size › enum › narrowed: Gemini takes no empty text in "enum"; it was left out of the list.',
    );
    expect(lines[1]).toBe(
      'tool › size › enum › rewritten: Values that are not text are listed as text and mapped back in calls.',
    );
  });

  test('inlines references, and writes a recursive place as JSON text', () => {
    const { parameters, lines, exported } = gemini(
      { tree: { $ref: '#/$defs/node' } },
      {
        $defs: { node: { type: 'object', properties: { label: { type: 'string' }, next: { $ref: '#/$defs/node' } } } },
      },
    );
    expect(parameters).toEqual({
      type: 'object',
      properties: {
        tree: {
          type: 'object',
          properties: {
            label: { type: 'string' },
            next: { type: 'string', description: 'JSON text of an object like the "node" around it.' },
          },
        },
      },
    });
    expect(lines).toEqual([
      'tool › tree.next › free-form value › rewritten: It contains itself, which Gemini cannot describe; the model sends it as JSON text, which is parsed on a call.',
    ]);
    expect(exported.restore('tool', { tree: { label: 'a', next: '{"label":"b"}' } }).input).toEqual({
      tree: { label: 'a', next: { label: 'b' } },
    });
  });

  test('turns objects without listed keys into JSON text, and keeps the listed keys of open ones', () => {
    const { properties, lines } = gemini({
      map: { type: 'object', additionalProperties: { type: 'integer' } },
      empty: { type: 'object', properties: {} },
      open: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
    });
    expect(properties).toEqual({
      map: { type: 'string', description: 'JSON text of an object with integer values.' },
      empty: { type: 'string', description: 'JSON text of an empty object, {}.' },
      open: { type: 'object', properties: { a: { type: 'string' } } },
    });
    expect(lines.at(-1)).toBe(
      'tool › open › additionalProperties › narrowed: Gemini sends the listed keys only. List every key the model should send.',
    );
  });

  test('renames keys and maps them back', () => {
    const { parameters, exported } = gemini(
      { 'user-id': { type: 'string' }, '1st': { type: 'string' } },
      { required: ['user-id'] },
    );
    expect(parameters).toEqual({
      type: 'object',
      properties: { user_id: { type: 'string' }, _1st: { type: 'string' } },
      required: ['user_id'],
    });
    expect(exported.restore('tool', { user_id: 'a', _1st: 'b' }).input).toEqual({ 'user-id': 'a', '1st': 'b' });
  });

  test('keeps the limits that Gemini supports and describes the others', () => {
    expect(
      gemini({
        count: { type: 'integer', exclusiveMinimum: 0, maximum: 10 },
        ratio: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 },
        link: { type: 'string', format: 'uri', minLength: 3 },
        when: { type: 'string', format: 'date-time' },
      }).properties,
    ).toEqual({
      count: { type: 'integer', minimum: 1, maximum: 10 },
      ratio: { type: 'number', description: '(more than 0, a multiple of 0.5)' },
      link: { type: 'string', description: '(format: uri)', minLength: 3 },
      when: { type: 'string', format: 'date-time' },
    });
  });

  test('restores what a model answers under the declaration to what the tool expects', () => {
    const ajv = new Ajv2020({ strict: false, ownProperties: true });
    fc.assert(
      fc.property(
        simpleObject.chain((schema) => {
          const exported = toGeminiTools([toolWith(schema)]);
          const answer = strictAnswer(exported.tools[0]?.parameters ?? { type: 'object' });
          return fc.record({ schema: fc.constant(schema), exported: fc.constant(exported), answer });
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

  test('passes the independent check for every schema it does not quarantine', () => {
    fc.assert(
      fc.property(anyTool, (tool) => {
        for (const { parameters } of toGeminiTools([tool]).tools)
          expect(parameters ? checkGemini(parameters) : []).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
