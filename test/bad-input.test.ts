// Everything a careless author or a confused model may send: a clear typed error each, nothing half-done.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTool, defineTool, ToolError, ToolRegistry } from '../src/index.ts';

function catchError(run: () => unknown): ToolError {
  try {
    run();
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

function define(more: Record<string, unknown>): unknown {
  return defineTool({ name: 'ok', description: 'Fine', schema: { type: 'object' }, execute: () => '', ...more });
}

describe('a tool that cannot be made', () => {
  it.each([
    [
      'spaces in the name',
      { name: 'two words' },
      'name',
      'Tool "two words" cannot be made: name must be 1 to 128 of A-Z a-z 0-9 _ . - (no spaces); got "two words".',
    ],
    [
      'an empty name',
      { name: '' },
      'name',
      'Tool "" cannot be made: name must be 1 to 128 of A-Z a-z 0-9 _ . - (no spaces); got "".',
    ],
    [
      'a name of 129',
      { name: 'x'.repeat(129) },
      'name',
      `name must be 1 to 128 of A-Z a-z 0-9 _ . - (no spaces); got "${'x'.repeat(60)}…"`,
    ],
    [
      'no description',
      { description: undefined },
      'description',
      'Tool "ok" cannot be made: description must say what the tool does, in a non-empty string; got undefined.',
    ],
    ['a blank description', { description: '  ' }, 'description', 'got "  "'],
    ['a risk of its own', { risk: 'huge' }, 'risk', 'risk must be one of: read, write, destructive; got "huge"'],
    ['a timeout of nothing', { timeout: 0 }, 'timeout', 'timeout must be milliseconds above 0'],
    [
      'tags that are not texts',
      { tags: ['a', 1] },
      'tags',
      'tags must be an array of non-empty strings; got an array of 2',
    ],
    [
      'an example without input',
      { examples: [{ description: 'x' }] },
      'examples',
      'examples [0] must be { description: string, input: object }',
    ],
    [
      'no code',
      { execute: 'rm -rf' },
      'execute',
      'execute must be a function (input, context) => output; got "rm -rf"',
    ],
    ['a schema that is none', { schema: 'object' }, 'schema', 'Tool "ok" cannot be made: '],
    [
      'a schema with a fault',
      { schema: { type: 'object', properties: { n: { type: 'integer', minimum: 'one' } } } },
      'schema',
      'properties.n.minimum',
    ],
    [
      'a schema with an unknown type',
      { schema: { type: 'object', properties: { n: { type: 'str' } } } },
      'schema',
      'properties.n.type',
    ],
    [
      'a schema that looks elsewhere',
      { schema: { type: 'object', properties: { n: { $ref: 'https://example.com/x.json' } } } },
      'schema',
      'properties.n.$ref',
    ],
  ])('says what is wrong with %s', (_, more, field, message) => {
    const error = catchError(() => define(more));
    expect(error.code).toBe('invalid_arguments');
    expect(error.field).toBe(field);
    expect(error.message).toContain(message);
  });

  it('names every fault at once', () => {
    const error = catchError(() => define({ name: 'a b', description: '', retries: -1 }));
    expect(error.issues.map(({ path }) => path[0])).toEqual(['name', 'description', 'retries']);
  });

  it('says which steps of the builder are missing', () => {
    // @ts-expect-error the compiler says so too
    const error = catchError(() => createTool().name('half').schema(z.object({})).build());
    expect(error.message).toBe(
      'Tool "half" cannot be made: description is missing: call .description(…) before .build(). implement is missing: call .implement(…) before .build().',
    );
  });

  it('is not registered', () => {
    const registry = new ToolRegistry();
    const bad = { metadata: { name: 'bad name', description: '' }, schema: { type: 'object' }, execute: () => '' };
    expect(() => registry.register(bad)).toThrow(ToolError);
    expect(registry.size).toBe(0);
  });
});

describe('arguments', () => {
  let received: unknown[] = [];
  const registry: ToolRegistry = new ToolRegistry().registerMany([
    defineTool({
      name: 'open',
      description: 'Takes anything',
      schema: { type: 'object' },
      execute: (input) => void received.push(input),
    }),
    defineTool({
      name: 'zod',
      description: 'Takes what zod takes',
      schema: z.looseObject({ a: z.unknown() }),
      execute: (input) => void received.push(input),
    }),
  ]);

  function nested(levels: number): unknown {
    let value: unknown = 'deep';
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
    return { a: value };
  }

  const cyclic: Record<string, unknown> = {};
  cyclic['again'] = cyclic;

  it.each(['open', 'zod'])('that no tool should see never reach the tool "%s"', async (name) => {
    received = [];
    const cases: [unknown, string][] = [
      [null, 'arguments: must be an object such as {"name": "value"}, got null.'],
      [[1, 2], 'arguments: must be an object such as {"name": "value"}, got array.'],
      [7, 'arguments: must be an object such as {"name": "value"}, got number.'],
      ['{"a": 1}', 'arguments: must be an object, got a string of JSON. Send the object itself.'],
      [
        { a: 'x'.repeat(10_000_000) },
        'arguments: are larger than 4194304 characters, at a. Send less, or a path or URL to it.',
      ],
      [
        { a: Array.from({ length: 5_000_000 }, () => 1) },
        'arguments: contain more than 10,000 values (keys and items).',
      ],
      [nested(1000), 'is nested more than 100 levels deep. Send a flatter value.'],
      [cyclic, 'is nested more than 100 levels deep.'],
      [JSON.parse('{"__proto__": {"polluted": true}}'), '__proto__: is a key that no tool accepts. Leave it out.'],
      [JSON.parse('{"a": [{"__proto__": {"polluted": true}}]}'), 'a[0].__proto__: is a key that no tool accepts.'],
      [{ constructor: { prototype: { polluted: true } } }, 'constructor: is a key that no tool accepts.'],
    ];
    for (const [args, message] of cases) {
      const result = await registry.call(name, args);
      expect(result.error?.code).toBe('invalid_arguments');
      expect(result.text).toContain(message);
      expect(result.text.length).toBeLessThan(1000);
    }
    expect(received).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('given as a string of JSON are read where the caller allows it, and still guarded', async () => {
    received = [];
    expect((await registry.call('open', '{"a": 1}', { coerce: true })).ok).toBe(true);
    expect(received).toEqual([{ a: 1 }]);
    await registry.call('open', '{"a": {"__proto__": {"polluted": true}}}', { coerce: true });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect((await registry.call('open', '{"a": ', { coerce: true })).error?.code).toBe('invalid_arguments');
    expect((await registry.call('open', JSON.stringify(nested(1000)), { coerce: true })).error?.code).toBe(
      'invalid_arguments',
    );
  });

  it('that are missing count as {}', async () => {
    expect((await registry.call('open')).ok).toBe(true);
    expect((await registry.call('open', undefined)).ok).toBe(true);
  });

  it('may use a tool or key named like a property every object has', async () => {
    expect((await registry.call('constructor')).error?.code).toBe('not_found');
    expect((await registry.call('__proto__')).error?.code).toBe('not_found');
    expect(registry.get('toString')).toBeUndefined();
  });
});
