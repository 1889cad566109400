import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePlugin } from '../load/plugins/define-plugin.ts';
import { defineKind } from './define-kind.ts';

const good = { type: 'note', schema: z.object({ file: z.string() }), tools: () => [] };

/** Defines a kind like untyped code. */
function define(changes: Readonly<Record<string, unknown>>): ReturnType<typeof defineKind> {
  return defineKind({ ...good, ...changes });
}

describe('defineKind', () => {
  it.each([
    [
      'no type',
      { type: undefined },
      'The type of a kind is 1 to 40 of a-z 0-9 _ -, and begins with a letter; got undefined.',
    ],
    [
      'no schema',
      { schema: undefined },
      'The kind "note" needs a schema: zod, another Standard Schema, or JSON Schema.',
    ],
    [
      'a misspelt part',
      { pathArgument: () => undefined },
      'The kind "note" has a part "pathArgument". Use: type, schema',
    ],
    [
      'no tools',
      { tools: undefined },
      'The kind "note" needs tools(entry, host), which returns the tools of an entry.',
    ],
  ])('refuses a kind with %s', (_, changes, message) => {
    expect(() => define(changes)).toThrow(message);
  });

  it.each([
    [
      'a schema that is no object',
      { schema: z.string() },
      'The schema of the kind "note" must be an object; it is "string".',
    ],
    [
      'a key that all kinds share',
      { schema: z.object({ name: z.string() }) },
      'The kind "note" has a key "name", which all kinds share. Give it another name.',
    ],
    [
      'a path that is no key',
      { paths: ['flie'] },
      'The kind "note" says that "flie" is a path, and its schema has no such key. Use one of: file.',
    ],
  ])('refuses %s when the first entry is read', (_, changes, message) => {
    expect(() => define(changes).entrySchema).toThrow(message);
  });
});

describe('definePlugin', () => {
  it.each([
    [
      'a part that there is not',
      { kind: [] },
      'A plugin has no "kind". Use: name, kinds, features, stores, embedders, exporters, providers.',
    ],
    ['a kind that is none', { kinds: [{ type: 'a' }] }, 'kinds[0] is not a kind. Create it with defineKind({ … }).'],
    ['kinds that are no list', { kinds: defineKind(good) }, 'kinds must be a list. Write kinds: [kind].'],
  ])('refuses %s', (_, definition, message) => {
    expect(() => definePlugin(definition as never)).toThrow(message);
  });
});
