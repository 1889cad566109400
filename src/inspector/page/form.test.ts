import { describe, expect, it } from 'vitest';
import { type Draft, emptyDraft, toDraft, toValue } from './form-draft.ts';
import { type Field, toForm } from './form-field.ts';

const object = (properties: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
  toForm({ type: 'object', properties, ...rest });

/** The field of one property. */
function fieldOf(schema: unknown, root: Record<string, unknown> = {}): Field {
  const form = object({ it: schema }, root);
  const field = form.kind === 'group' ? form.fields.get('it') : undefined;
  if (field === undefined) throw new Error('no field');
  return field;
}

const typed = (members: Record<string, Draft>): Draft => ({ members });

describe('toForm', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['a', 'b', null] }, 'enum'],
    [{ const: 7 }, 'enum'],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'enum'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number'],
    [{ oneOf: [{ type: 'number' }, { type: 'string' }] }, 'variants'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
    [{ type: 'array' }, 'json'],
    [{ type: 'object', properties: { a: {} } }, 'group'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'json'],
    [{ type: ['string', 'number'] }, 'json'],
    [{}, 'json'],
    [true, 'json'],
    [{ allOf: [{ $ref: '#/$defs/word' }], description: 'A word' }, 'text'],
    [{ $ref: '#/$defs/missing' }, 'json'],
    [{ $ref: '#/$defs/circle' }, 'json'],
  ])('makes %j a field of the right kind', (schema, kind) => {
    const $defs = { word: { type: 'string' }, circle: { $ref: '#/$defs/circle' } };
    expect(fieldOf(schema, { $defs }).kind).toBe(kind);
  });

  it('puts required fields first, and ends on an endless schema', () => {
    const form = object({ a: { type: 'string' }, b: { type: 'string', description: 'B' } }, { required: ['b'] });
    expect(form.kind === 'group' && [...form.fields.keys()]).toEqual(['b', 'a']);
    const tree = { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } };
    expect(JSON.stringify(fieldOf(tree, { $defs: { tree } })).length).toBeLessThan(2_000);
  });
});

describe('the form of a union', () => {
  const create = {
    properties: { action: { const: 'create' }, path: { type: 'string' } },
    required: ['action', 'path'],
  };
  const remove = {
    properties: { action: { const: 'delete' }, path: { type: 'string' } },
    required: ['action', 'path'],
  };

  it.each([
    { anyOf: [create, remove] },
    { type: 'object', oneOf: [{ $ref: '#/$defs/c' }, { $ref: '#/$defs/r' }], $defs: { c: create, r: remove } },
    { $ref: '#/$defs/u', $defs: { u: { anyOf: [create, remove] } } },
    { allOf: [{ properties: { path: { type: 'string' } } }, { oneOf: [create, remove] }] },
  ])('has a group for each variant: %j', (schema) => {
    const form = toForm(schema);
    const labels = form.kind === 'variants' ? form.variants.map(({ kind, label }) => [kind, label]) : [];
    expect(labels).toEqual([
      ['group', 'action: create'],
      ['group', 'action: delete'],
    ]);
  });

  it('puts an example into its variant', () => {
    const form = toForm({ anyOf: [create, remove] });
    const draft = toDraft(form, { action: 'delete', path: '/tmp' });
    expect(draft).toMatchObject({ variant: 1 });
    expect(toValue(form, draft)).toEqual({ action: 'delete', path: '/tmp' });
  });
});

describe('toValue', () => {
  it('returns typed values, and omits empty fields', () => {
    const form = object({
      text: { type: 'string' },
      count: { type: 'integer' },
      flag: { type: 'boolean' },
      pick: { enum: [1, 'two'] },
      list: { type: 'array', items: { type: 'number' } },
      inner: { type: 'object', properties: { a: { type: 'string' } } },
      any: {},
    });
    expect(toValue(form, emptyDraft(form))).toEqual({});
    const draft = typed({
      text: 'a\nb',
      count: '-3',
      flag: 'false',
      pick: '0',
      list: ['1', '2.5'],
      inner: typed({ a: 'x' }),
      any: '{"deep":[1]}',
    });
    const value = {
      text: 'a\nb',
      count: -3,
      flag: false,
      pick: 1,
      list: [1, 2.5],
      inner: { a: 'x' },
      any: { deep: [1] },
    };
    expect(toValue(form, draft)).toEqual(value);
    expect(toValue(form, toDraft(form, value))).toEqual(value);
  });

  it('keeps invalid input as text, so that the board can report it', () => {
    expect(toValue(fieldOf({ type: 'integer' }), 'many')).toBe('many');
    expect(toValue(fieldOf({}), '{broken')).toBe('{broken');
  });

  it('recognizes variants by their values, and fills in their mark', () => {
    const field = fieldOf({
      oneOf: [
        { type: 'object', properties: { by: { const: 'name' }, name: { type: 'string' } }, required: ['by', 'name'] },
        { type: 'object', properties: { by: { const: 'id' }, id: { type: 'integer' } }, required: ['by', 'id'] },
      ],
    });
    expect(field.kind === 'variants' && field.variants.map(({ label }) => label)).toEqual(['by: name', 'by: id']);
    const draft = toDraft(field, { by: 'id', id: 4 });
    expect(draft).toMatchObject({ variant: 1 });
    expect(toValue(field, draft)).toEqual({ by: 'id', id: 4 });
    expect(toValue(field, { variant: 0, draft: typed({ name: 'ada' }) })).toEqual({ by: 'name', name: 'ada' });
  });

  it('sends an entry that was added and left empty', () => {
    expect(toValue(fieldOf({ type: 'array', items: { type: 'string' } }), ['', 'a'])).toEqual(['', 'a']);
  });
});
