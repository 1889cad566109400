// Checked by `npm run types`: what the compiler knows about tools.
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { ToolContext } from '../tool-context.ts';
import type { ToolResult } from '../tool-result.ts';
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

// What a caller sends may leave out defaults; what comes back is what `implement` gives.
expectTypeOf(built).toEqualTypeOf<
  Tool<{ path: string; encoding?: 'utf-8' | 'ascii' | undefined }, { length: number }>
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
expectTypeOf(defined).toEqualTypeOf<Tool<{ id: string; limit?: number | undefined }, number>>();

const ark = defineTool({
  name: 'a',
  description: 'A',
  schema: type({ name: 'string' }),
  execute: ({ name }) => {
    expectTypeOf(name).toEqualTypeOf<string>();
    return Promise.resolve(name);
  },
});
expectTypeOf(ark).toEqualTypeOf<Tool<{ name: string }, string>>();

const json = defineTool({ name: 'j', description: 'J', schema: { type: 'object' }, execute: () => 1 });
expectTypeOf(json).toEqualTypeOf<Tool<Record<string, unknown>, number>>();

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

// Any tool fits where any tool is wanted.
expectTypeOf([built, defined, ark, json, new Search()]).toExtend<Tool[]>();
