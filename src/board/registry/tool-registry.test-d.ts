// Checked by `npm run types`: what the compiler knows about the tools of a registry.
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { createTool } from '../../tool/define/create-tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { ToolRegistry } from './tool-registry.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds',
  schema: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }) => ({ sum: a + b }),
});
const greet = createTool()
  .name('greet')
  .description('Greets')
  .schema({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] })
  .implement(({ name }) => `Hello, ${name}`)
  .build();
const find = defineTool({
  name: 'find',
  description: 'Finds',
  schema: z.object({ limit: z.number().optional() }),
  execute: () => (Math.random() > 1 ? ToolResult.error('Nothing.') : ToolResult.json(['a'])),
});

const registry = new ToolRegistry().register(add).registerMany([greet, find]);

const sum = await registry.call('add', { a: 1 });
if (sum.ok) expectTypeOf(sum.data).toEqualTypeOf<{ sum: number }>();
const greeted = await registry.call('greet', { name: 'Ada' }, { timeout: 10 });
// A text has no data.
if (greeted.ok) expectTypeOf(greeted.data).toEqualTypeOf<undefined>();
const found = await registry.call('find');
if (found.ok) expectTypeOf(found.data).toEqualTypeOf<string[]>();
expectTypeOf(registry.get('add')).toEqualTypeOf<typeof add | undefined>();

// @ts-expect-error a is missing
void registry.call('add');
// @ts-expect-error a is a number
void registry.call('add', { a: '1' });
// @ts-expect-error there is no c
void registry.call('add', { a: 1, c: 1 });
// @ts-expect-error add has no such field
if (sum.ok) void sum.data.difference;

// The names are completed: they are what `call` proposes besides any other text.
expectTypeOf<'add' | 'greet' | 'find'>().toEqualTypeOf<keyof (typeof registry)['~tools']>();

// @ts-expect-error no tool has this name
void registry.call('ad', { a: 1 });
// @ts-expect-error nor this one
void registry.call(Math.random() > 1 ? 'add' : 'greeting', { a: 1, name: 'x' });

// A name that is known at run time is called with anything, and so is every name of a registry that is only known as one.
declare const someName: string;
expectTypeOf(registry.call(someName, { anything: 1 })).resolves.toEqualTypeOf<ToolResult>();
const another: string = 'another';
expectTypeOf(registry.call(another)).resolves.toEqualTypeOf<ToolResult>();
const loose: ToolRegistry = registry;
expectTypeOf(loose.call('add', 'anything')).resolves.toEqualTypeOf<ToolResult>();
expectTypeOf(loose.get('add')).toEqualTypeOf<Tool | undefined>();

// Tools whose names are only known at run time change nothing.
declare const tools: Tool[];
const mixed = new ToolRegistry().registerMany(tools).register(add);
expectTypeOf(mixed.call('add', { a: 1 })).resolves.toEqualTypeOf<ToolResult<{ sum: number }>>();
void mixed.call('other', 1);
const later = new ToolRegistry();
later.register(add);
void later.call('add', { a: 1 });
void later.call('other', 1);
