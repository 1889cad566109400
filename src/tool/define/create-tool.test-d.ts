// Checked by `npm run types`: the compiler's knowledge of tools.
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../json.ts';
import type { ToolContext } from '../tool-context.ts';
import { ToolResult } from '../tool-result.ts';
import type { Tool } from '../tool.ts';
import { createTool } from './create-tool.ts';
import { defineTool } from './define-tool.ts';
import { ToolDefinition } from './tool-definition.ts';

const schema = z.object({ path: z.string(), encoding: z.enum(['utf-8', 'ascii']).default('utf-8') });

const built = createTool()
  .name('read')
  .description('Read')
  .schema(schema)
  .implement(async (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ path: string; encoding: 'utf-8' | 'ascii' }>();
    expectTypeOf(context).toEqualTypeOf<ToolContext>();
    return { length: input.path.length };
  })
  .build();

// A caller may omit defaults; the output is that of `implement`.
expectTypeOf(built).toEqualTypeOf<
  Tool<{ path: string; encoding?: 'utf-8' | 'ascii' | undefined }, { length: number }, 'read'>
>();
expectTypeOf(built.execute).returns.resolves.toEqualTypeOf<{ length: number }>();
// @ts-expect-error path is required
void built.execute({});
// @ts-expect-error path is a string
void built.execute({ path: 1 });

const steps = createTool()
  .name('x')
  .schema(z.object({ n: z.number() }));
// @ts-expect-error the schema has no such field
steps.implement(({ missing }) => missing);
// @ts-expect-error a risk of its own
steps.risk('huge');

const defined = defineTool({
  name: 'd',
  description: 'D',
  schema: v.object({ id: v.string(), limit: v.optional(v.number(), 5) }),
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ id: string; limit: number }>();
    return input.limit;
  },
});
expectTypeOf(defined).toEqualTypeOf<Tool<{ id: string; limit?: number | undefined }, number, 'd'>>();

const ark = defineTool({
  name: 'a',
  description: 'A',
  schema: type({ name: 'string' }),
  execute: ({ name }) => {
    expectTypeOf(name).toEqualTypeOf<string>();
    return Promise.resolve(name);
  },
});
expectTypeOf(ark).toEqualTypeOf<Tool<{ name: string }, string, 'a'>>();

const json = defineTool({ name: 'j', description: 'J', schema: { type: 'object' }, execute: () => 1 });
expectTypeOf(json).toEqualTypeOf<Tool<Record<string, unknown>, number, 'j'>>();

class Search extends ToolDefinition<{ query: string }> {
  name() {
    return 'search';
  }
  description() {
    return 'Search';
  }
  handle(args: { query: string }): ToolResult {
    expectTypeOf(args.query).toEqualTypeOf<string>();
    throw new Error(args.query);
  }
}
expectTypeOf(new Search()).toExtend<Tool>();

// Any tool is assignable to `Tool`.
expectTypeOf([built, defined, ark, json, new Search()]).toExtend<Tool[]>();

// `build()` exists once its steps were called, in any order.
// @ts-expect-error name, description, schema and implement are missing
createTool().build();
// @ts-expect-error implement is missing
createTool().name('a').description('A').schema(schema).build();
// @ts-expect-error description is missing
createTool().name('a').schema(schema).implement(String).build();
createTool().implement(String).description('A').tags([]).schema(schema).name('a').build();

// A tool takes an object.
const execute = () => 1;
// @ts-expect-error a text is no object
defineTool({ name: 'x', description: 'X', schema: z.string(), execute });
// @ts-expect-error nor is an array
defineTool({ name: 'x', description: 'X', schema: v.array(v.string()), execute });
// @ts-expect-error in JSON Schema too
defineTool({ name: 'x', description: 'X', schema: { type: 'string' }, execute });
// @ts-expect-error nor is the name of a type a schema
defineTool({ name: 'x', description: 'X', schema: 'object', execute });
// @ts-expect-error in the builder as well
createTool().schema(z.array(z.string()));
// @ts-expect-error an output is an object too
createTool().outputSchema({ type: 'array', items: { type: 'string' } });
defineTool({ name: 'x', description: 'X', schema: z.union([z.object({ a: z.string() }), z.object({})]), execute });
declare const unknownSchema: StandardSchemaV1;
defineTool({ name: 'x', description: 'X', schema: unknownSchema, execute });
declare const looseSchema: JsonSchema;
defineTool({ name: 'x', description: 'X', schema: looseSchema, execute: (input: { a: string }) => input.a });

// The return type must match the output schema.
const outputSchema = z.object({ sum: z.number() });
const base = { name: 'x', description: 'X', schema, outputSchema } as const;
defineTool({ ...base, execute: () => ({ sum: 1 }) });
defineTool({ ...base, execute: async () => ToolResult.json({ sum: 1 }) });
defineTool({ ...base, execute: ({ path }) => (path === '' ? ToolResult.error('No path.') : { sum: 1 }) });
// @ts-expect-error sum is a number
defineTool({ ...base, execute: () => ({ sum: 'one' }) });
// @ts-expect-error in a promise too
defineTool({ ...base, execute: async () => ({ sum: 'one' }) });
// @ts-expect-error and in a result
defineTool({ ...base, execute: () => ToolResult.json({ sum: 'one' }) });
// @ts-expect-error a text is no structured answer
defineTool({ ...base, execute: () => 'one' });
createTool()
  .outputSchema(outputSchema)
  // @ts-expect-error the builder holds `implement` to it
  .implement(() => ({ sum: 'one' }));
createTool()
  .implement(() => ({ sum: 'one' }))
  // @ts-expect-error whichever step comes first
  .outputSchema(outputSchema);
createTool()
  .implement(() => ({ sum: 1 }))
  .outputSchema(outputSchema);

// The compiler infers types from literal JSON Schema.
const written = defineTool({
  name: 'written',
  description: 'W',
  schema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      limit: { type: 'integer', default: 10 },
      mode: { enum: ['fast', 'exact'] },
      version: { const: 2 },
      note: { type: ['string', 'null'] },
      tags: { type: 'array', items: { type: 'string' } },
      place: {
        type: 'object',
        properties: { city: { type: 'string' }, zip: { type: 'number' } },
        required: ['city'],
      },
      counts: { type: 'object', additionalProperties: { type: 'number' } },
      either: {
        anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }],
      },
      any: {},
    },
    required: ['text', 'limit', 'mode', 'note'],
  },
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{
      text: string;
      limit: number;
      mode: 'fast' | 'exact';
      version?: 2;
      note: string | null;
      tags?: string[];
      place?: { city: string; zip?: number };
      counts?: Record<string, number>;
      either?: string | { id: string };
      any?: unknown;
    }>();
    return input.text;
  },
});
expectTypeOf(written.execute).parameter(0).toEqualTypeOf<{
  text: string;
  limit?: number;
  mode: 'fast' | 'exact';
  version?: 2;
  note: string | null;
  tags?: readonly string[];
  place?: { city: string; zip?: number };
  counts?: Record<string, number>;
  either?: string | { id: string };
  any?: unknown;
}>();

// Metadata is unknown until a fallback gives its type.
declare const context: ToolContext;
expectTypeOf(context.getMeta('x')).toEqualTypeOf<unknown>();
expectTypeOf(context.getMeta('x', 'a')).toEqualTypeOf<string>();
expectTypeOf(context.getMeta('x', 1)).toEqualTypeOf<number>();
expectTypeOf(context.getMeta<'a' | 'b'>('x', 'a')).toEqualTypeOf<'a' | 'b'>();
expectTypeOf(context.getMeta<string[]>('x', [])).toEqualTypeOf<string[]>();
// @ts-expect-error without a fallback there may be nothing
context.getMeta<number>('x');
