import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../tool/json.ts';
import { toOpenAITools } from './openai.ts';
import { toolWith } from './schema-arbitrary.test-helper.ts';

function parametersOf(schema: JsonSchema): JsonSchema | undefined {
  return toOpenAITools([toolWith(schema)]).tools[0]?.function.parameters;
}

describe('toOpenAITools', () => {
  test('writes the chat format, always with strict', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    expect(toOpenAITools([toolWith(schema, 'get_weather')]).tools).toEqual([
      {
        type: 'function',
        function: { name: 'get_weather', description: 'Does something.', parameters: schema, strict: false },
      },
    ]);
  });

  test('writes the Responses format', () => {
    const schema = { type: 'object', properties: {} };
    expect(toOpenAITools([toolWith(schema, 'now')], { format: 'responses' }).tools).toEqual([
      { type: 'function', name: 'now', description: 'Does something.', parameters: schema, strict: false },
    ]);
  });

  test('maps names and reports it', () => {
    const { tools, names, report } = toOpenAITools([toolWith({ type: 'object' }, 'fs.read')]);
    expect(tools[0]?.function.name).toBe('fs_read');
    expect(names.toOriginal('fs_read')).toBe('fs.read');
    expect(String(report)).toBe(
      'fs.read › name › tool name › renamed: OpenAI sees it as "fs_read"; calls are mapped back.',
    );
  });

  test('shortens a description to 1,024 characters and reports it', () => {
    const tool = { ...toolWith({ type: 'object' }), metadata: { name: 'long', description: 'word '.repeat(300) } };
    const { tools, report } = toOpenAITools([tool]);
    expect(tools[0]?.function.description).toHaveLength(1020);
    expect(String(report)).toBe(
      'long › description › description length › rewritten: Shortened from 1499 to 1020 characters. Put the essentials first.',
    );
  });

  test('merges alternatives at the top into one object and lists them in the description', () => {
    const { tools, report } = toOpenAITools([
      toolWith({
        oneOf: [
          { type: 'object', properties: { by: { const: 'id' }, id: { type: 'integer' } }, required: ['by', 'id'] },
          { type: 'object', properties: { by: { const: 'name' }, name: { type: 'string' } }, required: ['by', 'name'] },
          { type: 'string' },
        ],
      }),
    ]);
    expect(tools[0]?.function).toEqual({
      name: 'tool',
      description: 'Does something. Send the arguments of one of these: { by: "id", id } or { by: "name", name }.',
      parameters: {
        type: 'object',
        properties: { by: { enum: ['id', 'name'] }, id: { type: 'integer' }, name: { type: 'string' } },
        required: ['by'],
      },
      strict: false,
    });
    expect(String(report).split('\n')).toEqual([
      'tool › (arguments) › top level oneOf › dropped: An alternative that is not an object was left out. Wrap it in an object.',
      'tool › (arguments) › top level oneOf › rewritten: 2 alternatives were merged into one object; the description lists them, and calls are still checked.',
    ]);
  });

  test('merges "at least one of" at the top with the properties beside it', () => {
    const { tools } = toOpenAITools([
      toolWith({
        type: 'object',
        properties: { id: { type: 'integer' }, name: { type: 'string' } },
        anyOf: [{ required: ['id'] }, { required: ['name'] }],
      }),
    ]);
    expect(tools[0]?.function.parameters).toEqual({
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
    });
    expect(tools[0]?.function.description).toBe(
      'Does something. Send the arguments of one of these: { id } or { name }.',
    );
  });

  test('merges allOf and a reference at the top', () => {
    expect(
      parametersOf({
        $ref: '#/$defs/base',
        allOf: [{ properties: { b: { type: 'number' } }, required: ['b'] }],
        $defs: { base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
      }),
    ).toEqual({
      type: 'object',
      properties: { b: { type: 'number' }, a: { type: 'string' } },
      required: ['b', 'a'],
    });
  });

  test('drops enum, const and not from the top', () => {
    const { tools, report } = toOpenAITools([toolWith({ type: 'object', not: { required: ['a'] } })]);
    expect(tools[0]?.function.parameters).toEqual({ type: 'object', properties: {} });
    expect(String(report)).toBe(
      'tool › (arguments) › top level object › dropped: "not" cannot stand at the top level; calls are still checked against it.',
    );
  });

  test('updates older drafts and keeps definitions', () => {
    expect(
      parametersOf({
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'https://example.com/x',
        type: 'object',
        properties: {
          pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
          list: { type: 'array' },
          price: { type: 'number', minimum: 0, exclusiveMinimum: true },
          count: { type: 'integer', nullable: true },
          any: true,
          tree: { $ref: '#/definitions/node' },
        },
        definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } }, unused: {} },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: { not: {} } },
        list: { type: 'array', items: {} },
        price: { type: 'number', exclusiveMinimum: 0 },
        count: { type: ['integer', 'null'] },
        any: {},
        tree: { $ref: '#/$defs/node' },
      },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    });
  });

  test('drops vendor keywords and invalid keywords', () => {
    const { tools, report } = toOpenAITools([
      toolWith({
        type: 'object',
        properties: { a: { type: 'text', 'x-order': 1 }, b: { type: 'string', minLength: '3' } },
      }),
    ]);
    expect(tools[0]?.function.parameters).toEqual({ type: 'object', properties: { a: {}, b: { type: 'string' } } });
    expect(String(report).split('\n')).toEqual([
      'tool › a › type › dropped: The value of "type" is not one JSON Schema allows. Correct it in the tool\'s schema.',
      'tool › b › minLength › dropped: The value of "minLength" is not one JSON Schema allows. Correct it in the tool\'s schema.',
      'tool › a › vendor keyword › dropped: "x-order" means nothing to a model.',
    ]);
  });

  test('quarantines tools with references that lead outside or nowhere', () => {
    const lines = ['https://example.com/x.json', '#/$defs/none'].map((reference) =>
      String(toOpenAITools([toolWith({ type: 'object', properties: { a: { $ref: reference } } })]).report),
    );
    expect(lines).toEqual([
      'tool › a › $ref › quarantined: "https://example.com/x.json" is not in the schema. Copy that schema under $defs: references are never fetched.',
      'tool › a › $ref › quarantined: "#/$defs/none" is not in the schema. Add it under $defs.',
    ]);
  });
});
