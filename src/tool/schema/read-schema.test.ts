import { execFileSync } from 'node:child_process';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as zm from 'zod/mini';
import { ToolError } from '../tool-error.ts';
import { readSchema } from './read-schema.ts';

/** Returns the relevant fields of the thrown `ToolError`. */
function thrown(run: () => unknown): Pick<ToolError, 'code' | 'field' | 'message'> | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { code: error.code, field: error.field, message: error.message };
  }
}

describe('zod', () => {
  const schema = z.object({ city: z.string(), days: z.number().default(3) });

  test('returns the parsed value', () => {
    expect(readSchema(schema).validate({ city: 'Oslo' })).toEqual({ ok: true, value: { city: 'Oslo', days: 3 } });
  });

  test('returns issues with the ZodError as cause', () => {
    const result = readSchema(schema).validate({ city: 1 });
    expect(result).toMatchObject({
      ok: false,
      issues: [{ path: ['city'], message: 'Invalid input: expected string, received number' }],
    });
    expect(result).toHaveProperty('cause', expect.any(z.ZodError));
  });

  test('returns the JSON Schema of the input, once', () => {
    const reader = readSchema(schema);
    expect(reader.jsonSchema()).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, days: { default: 3, type: 'number' } },
      required: ['city'],
    });
    expect(reader.jsonSchema()).toBe(reader.jsonSchema());
  });

  test('accepts anything for parts that JSON Schema cannot express', () => {
    const reader = readSchema(z.object({ when: z.date(), name: z.string().transform((text) => text.length) }));
    expect(reader.jsonSchema()).toMatchObject({ properties: { when: {}, name: { type: 'string' } } });
  });

  test('waits for asynchronous refinements, and only for those', async () => {
    const reader = readSchema(z.object({ id: z.string().refine(async (id) => id === 'known', 'is not known') }));
    const first = reader.validate({ id: 'known' });
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toEqual({ ok: true, value: { id: 'known' } });
    const second = await reader.validate({ id: 'x' });
    expect(second).toMatchObject({ ok: false, issues: [{ path: ['id'], message: 'is not known' }] });
    expect(second).toHaveProperty('cause', expect.any(z.ZodError));
  });

  test('converts an error of a refinement to an issue', async () => {
    const fail = (): never => {
      throw new Error('database is down');
    };
    const issues = [{ path: [], message: 'could not be checked: database is down' }];
    expect(readSchema(z.object({ a: z.string().refine(fail) })).validate({ a: '' })).toMatchObject({
      ok: false,
      issues,
    });
    const reader = readSchema(z.object({ a: z.string().refine(async () => fail()) }));
    expect(await reader.validate({ a: '' })).toMatchObject({ ok: false, issues });
  });

  test('reads zod mini the same way', async () => {
    const reader = readSchema(zm.object({ city: zm.string(), when: zm.optional(zm.date()) }));
    expect(reader.validate({ city: 'Oslo' })).toEqual({ ok: true, value: { city: 'Oslo' } });
    expect(reader.validate({ city: 1 })).toMatchObject({ ok: false, issues: [{ path: ['city'] }] });
    expect(reader.validate({ city: 1 })).toHaveProperty('cause', expect.any(z.core.$ZodError));
    expect(reader.jsonSchema()).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, when: {} },
      required: ['city'],
    });
    const slow = readSchema(zm.object({ id: zm.string().check(zm.refine(async (id) => id === 'known')) }));
    expect(await slow.validate({ id: 'known' })).toEqual({ ok: true, value: { id: 'known' } });
  });
});

describe('valibot', () => {
  const schema = v.object({ city: v.string(), tags: v.optional(v.array(v.string()), []) });

  test('is read through Standard Schema, with plain paths', () => {
    expect(readSchema(schema).validate({ city: 'Oslo' })).toEqual({ ok: true, value: { city: 'Oslo', tags: [] } });
    expect(readSchema(schema).validate({ city: 'Oslo', tags: ['a', 1] })).toEqual({
      ok: false,
      issues: [{ path: ['tags', 1], message: 'Invalid type: Expected string but received 1' }],
    });
  });

  test('converts to JSON Schema with its own converter', () => {
    expect(readSchema(schema).jsonSchema()).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, tags: { type: 'array', items: { type: 'string' }, default: [] } },
      required: ['city'],
    });
    expect(readSchema(v.object({ when: v.date() })).jsonSchema()).toMatchObject({ properties: { when: {} } });
  });

  test('may be asynchronous', async () => {
    const check = v.checkAsync(async (id: string) => id === 'known', 'is not known');
    const reader = readSchema(v.objectAsync({ id: v.pipeAsync(v.string(), check) }));
    expect(await reader.validate({ id: 'known' })).toEqual({ ok: true, value: { id: 'known' } });
    expect(await reader.validate({ id: 'x' })).toEqual({
      ok: false,
      issues: [{ path: ['id'], message: 'is not known' }],
    });
  });
});

describe('arktype', () => {
  const schema = type({ city: 'string', 'days?': 'number.integer' });

  test('is read although its schemas are functions', () => {
    expect(readSchema(schema).validate({ city: 'Oslo' })).toEqual({ ok: true, value: { city: 'Oslo' } });
    expect(readSchema(schema).validate({ city: 'Oslo', days: 'x' })).toEqual({
      ok: false,
      issues: [{ path: ['days'], message: 'days must be a number (was a string)' }],
    });
  });

  test('returns its JSON Schema', () => {
    expect(readSchema(schema).jsonSchema()).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    });
    expect(readSchema(type({ when: 'Date' })).jsonSchema()).toMatchObject({ properties: { when: {} } });
  });
});

describe('other Standard Schemas', () => {
  const standard = (validate: (value: unknown) => unknown): unknown => ({
    '~standard': { version: 1, vendor: 'homemade', validate },
  });

  test('have plain paths, including symbols', () => {
    const issues = [{ message: 'bad', path: [{ key: 'a' }, 0, Symbol('s')] }];
    expect(readSchema(standard(() => ({ issues }))).validate(1)).toEqual({
      ok: false,
      issues: [{ path: ['a', 0, 'Symbol(s)'], message: 'bad' }],
    });
  });

  test('never throw and never reject', async () => {
    const issues = [{ path: [], message: 'could not be checked: no' }];
    const refuse = (): never => {
      throw new Error('no');
    };
    expect(readSchema(standard(refuse)).validate(1)).toMatchObject({ ok: false, issues });
    expect(await readSchema(standard(async () => refuse())).validate(1)).toMatchObject({ ok: false, issues });
    const broken = readSchema(standard(() => undefined)).validate(1);
    expect(broken).toMatchObject({ ok: false, issues: [{ path: [] }] });
  });

  test('say how to get a JSON Schema when there is none', () => {
    expect(thrown(() => readSchema(standard(() => ({ value: 1 }))).jsonSchema())).toEqual({
      code: 'invalid_arguments',
      field: 'schema',
      message:
        'Schemas of homemade cannot be turned into JSON Schema. Use a version that implements Standard JSON Schema ' +
        '(`~standard.jsonSchema`), or write the schema with zod 4, arktype, valibot or as plain JSON Schema.',
    });
  });

  test('pass as zod 3 schemas, which have no JSON Schema', () => {
    const old = { '~standard': { version: 1, vendor: 'zod', validate: (value: unknown) => ({ value }) }, _def: {} };
    expect(readSchema(old).validate(1)).toEqual({ ok: true, value: 1 });
    expect(thrown(() => readSchema(old).jsonSchema())).toEqual({
      code: 'invalid_arguments',
      field: 'schema',
      message: 'A zod 3 schema has no JSON Schema. Use zod 4: npm install zod@4',
    });
  });
});

describe('plain JSON Schema', () => {
  test('is checked at once and returned as its own JSON Schema', () => {
    const schema = { type: 'object', properties: { limit: { type: 'integer', minimum: 1, default: 10 } } };
    const reader = readSchema(schema);
    expect(reader.jsonSchema()).toBe(schema);
    expect(reader.validate({})).toEqual({ ok: true, value: { limit: 10 } });
    expect(reader.validate({ limit: 0 })).toEqual({
      ok: false,
      issues: [{ path: ['limit'], message: 'must be at least 1, got 0' }],
    });
  });

  test('throws every fault with its place', () => {
    expect(thrown(() => readSchema({ type: 'object', properties: { limit: { minimum: 'ten' } } }))).toEqual({
      code: 'invalid_arguments',
      field: 'schema',
      message: 'Schema fault at properties.limit.minimum: must be a number; got "ten".',
    });
    expect(thrown(() => readSchema({ required: 'a', properties: 1 }))?.message).toBe(
      'Schema fault at required: must be an array of different strings; got "a". ' +
        'Schema fault at properties: must be an object of schemas; got 1.',
    );
  });

  test('must describe an object', () => {
    expect(thrown(() => readSchema({ type: 'string' }))?.message).toBe(
      'Schema fault at type: a tool\'s input is an object: use type: "object"; got "string".',
    );
    expect(thrown(() => readSchema({ type: ['string', 'null'] }))?.message).toBe(
      'Schema fault at type: a tool\'s input is an object: use type: "object"; got an array of 2.',
    );
    expect(readSchema({}).validate({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    expect(readSchema({ type: ['object', 'null'] }).validate({})).toEqual({ ok: true, value: {} });
    expect(readSchema({ anyOf: [{ required: ['a'] }] }).validate({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
  });
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [true, 'true'],
  ['string', '"string"'],
  [[], 'an array of 0'],
  [() => 1, 'a function'],
  [new Map(), 'an object'],
  [{ _def: {}, safeParse: () => 1 }, 'a zod 3 schema'],
])('refuses %s and says what is accepted', (schema, given) => {
  expect(thrown(() => readSchema(schema))).toEqual({
    code: 'invalid_arguments',
    field: 'schema',
    message:
      "A tool's schema must be a zod 4 schema, another Standard Schema (valibot, arktype) or a JSON Schema object " +
      `such as { type: "object", properties: { … } }; got ${given}.`,
  });
});

test('loads no package for plain JSON Schemas of any draft', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { readSchema } = await import(process.argv[1]);
    readSchema({ type: 'object', properties: { a: { type: 'string' } } }).validate({ a: 1 });
    readSchema({ type: 'object', dependencies: { a: ['b'] } }).validate({ a: 1 });
    console.log(loaded.filter((url) => url.includes('/node_modules/')).length);
  `;
  const entry = new URL('./read-schema.ts', import.meta.url).href;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script, entry], { encoding: 'utf8' });
  expect(output.trim()).toBe('0');
});
