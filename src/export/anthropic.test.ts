import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAnthropicTools } from './anthropic.ts';
import { anyTool, toolWith } from './schema-arbitrary.test-helper.ts';

describe('toAnthropicTools', () => {
  test('writes examples and deferred loading if they are set', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const examples = [
      { description: 'One', input: { city: 'Paris' }, output: 'Sun' },
      { description: 'Old', input: { town: 'Paris' } },
    ];
    const tool = {
      ...toolWith(schema),
      metadata: { name: 'weather', description: 'Tells.', examples, deferLoading: true },
    };
    const { tools, report } = toAnthropicTools([tool, toolWith(schema, 'plain')]);
    expect(tools).toEqual([
      {
        name: 'weather',
        description: 'Tells.',
        input_schema: schema,
        input_examples: [{ city: 'Paris' }],
        defer_loading: true,
      },
      { name: 'plain', description: 'Does something.', input_schema: schema },
    ]);
    expect(String(report)).toBe(
      'weather › examples › input_examples › dropped: 1 of 2 examples use an argument the schema does not list. Correct them.',
    );
  });

  test('renames keys that Anthropic rejects, also in examples, and maps them back in calls', () => {
    const schema = {
      type: 'object',
      properties: {
        'user id': { type: 'integer' },
        tags: { type: 'array', items: { type: 'object', properties: { täg: { type: 'string' } }, required: ['täg'] } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['user id'],
    };
    const examples = [{ description: 'One', input: { 'user id': 1, tags: [{ täg: 'a' }] } }];
    const exported = toAnthropicTools([
      { ...toolWith(schema), metadata: { name: 'tool', description: 'x', examples } },
    ]);
    expect(exported.tools[0]?.input_schema).toEqual({
      type: 'object',
      properties: {
        user_id: { type: 'integer' },
        tags: { type: 'array', items: { type: 'object', properties: { t_g: { type: 'string' } }, required: ['t_g'] } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['user_id'],
    });
    expect(exported.tools[0]?.input_examples).toEqual([{ user_id: 1, tags: [{ t_g: 'a' }] }]);
    expect(exported.restore('tool', { user_id: 1, tags: [{ t_g: 'a' }], map: { user_id: 'kept' } })).toEqual({
      name: 'tool',
      input: { 'user id': 1, tags: [{ täg: 'a' }], map: { user_id: 'kept' } },
    });
    expect(String(exported.report).split('\n')).toEqual([
      'tool › user id › property key › renamed: The key is sent as "user_id" and mapped back in calls.',
      'tool › tags[].täg › property key › renamed: The key is sent as "t_g" and mapped back in calls.',
    ]);
  });

  test('inlines definitions, and keeps recursive ones', () => {
    const schema = {
      type: 'object',
      properties: { home: { $ref: '#/$defs/address', description: 'Home' }, tree: { $ref: '#/$defs/node' } },
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' } } },
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
      },
    };
    expect(toAnthropicTools([toolWith(schema)]).tools[0]?.input_schema).toEqual({
      type: 'object',
      properties: {
        home: { description: 'Home', type: 'object', properties: { street: { type: 'string' } } },
        tree: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
      },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    });
  });

  test('exports every schema with an object on top and keys that Anthropic accepts', () => {
    const keysOf = (schema: unknown): string[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      return Object.entries(schema).flatMap(([keyword, value]) => {
        if (['enum', 'const', 'default'].includes(keyword)) return [];
        if (keyword !== 'properties' || typeof value !== 'object' || value === null) return keysOf(value);
        return Object.keys(value).concat(Object.values(value).flatMap(keysOf));
      });
    };
    fc.assert(
      fc.property(anyTool, (tool) => {
        for (const { input_schema } of toAnthropicTools([tool]).tools) {
          expect(input_schema['type']).toBe('object');
          for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref']) expect(input_schema).not.toHaveProperty([keyword]);
          expect(keysOf(input_schema).filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))).toEqual([]);
        }
      }),
    );
  });
});
