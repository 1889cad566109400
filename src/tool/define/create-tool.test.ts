import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ToolContext } from '../tool-context.ts';
import { ToolExecutionError } from '../tool-error.ts';
import { ToolParameter } from '../tool-parameter.ts';
import { ToolResult } from '../tool-result.ts';
import { createTool } from './create-tool.ts';
import { defineTool } from './define-tool.ts';
import { ToolDefinition } from './tool-definition.ts';

describe('createTool', () => {
  it('never changes a builder: a half-written tool can be shared', () => {
    const base = createTool().description('Shared').schema(z.object({})).tags(['shared']);
    const one = base.name('one').implement(() => 1);
    const two = base
      .name('two')
      .tags(['other'])
      .example({ description: 'x', input: {} })
      .implement(() => 2);
    expect(one.build().metadata).toEqual({ name: 'one', description: 'Shared', tags: ['shared'] });
    expect(two.build().metadata).toMatchObject({
      name: 'two',
      tags: ['other'],
      examples: [{ description: 'x', input: {} }],
    });
    expect(one.build().metadata.examples).toBeUndefined();
  });

  it('has a step for all metadata', () => {
    const tool = createTool()
      .name('all')
      .description('All')
      .schema(z.object({}))
      .category('own category')
      .source('code.ts')
      .risk('destructive')
      .timeout(5)
      .concurrency(2)
      .retries(1)
      .maxOutput(10)
      .paths(['file'])
      .deferLoading()
      .outputSchema({ type: 'object', properties: { n: { type: 'number' } } })
      .implement(() => ({ n: 1 }))
      .build();
    expect(tool.metadata).toEqual({
      name: 'all',
      description: 'All',
      category: 'own category',
      source: 'code.ts',
      risk: 'destructive',
      timeout: 5,
      concurrency: 2,
      retries: 1,
      maxOutput: 10,
      paths: ['file'],
      deferLoading: true,
    });
    expect(tool.outputSchema).toEqual({ type: 'object', properties: { n: { type: 'number' } } });
  });

  it('makes metadata that cannot be changed', () => {
    const { metadata } = createTool()
      .name('a')
      .description('A')
      .schema(z.object({}))
      .implement(() => 1)
      .build();
    expect(() => Object.assign(metadata, { name: 'b' })).toThrow(TypeError);
  });
});

describe('a Tool, however it was defined', () => {
  const schema = z.object({ n: z.int(), times: z.int().default(2) });
  class Times extends ToolDefinition<{ n: number; times: number }> {
    name() {
      return 'times';
    }
    description() {
      return 'Multiply';
    }
    override parameters() {
      return [ToolParameter.integer('n', ''), ToolParameter.integer('times', '', { default: 2 })];
    }
    handle({ n, times }: { n: number; times: number }) {
      return ToolResult.json(n * times);
    }
  }
  const tools = [
    createTool()
      .name('times')
      .description('Multiply')
      .schema(schema)
      .implement(({ n, times }) => n * times)
      .build(),
    defineTool({ name: 'times', description: 'Multiply', schema, execute: ({ n, times }) => n * times }),
    new Times(),
  ];

  it.each(tools)('has the same members and behaviour', async (tool) => {
    expect(tool.metadata).toEqual({ name: 'times', description: 'Multiply' });
    expect(tool.inputSchema).toMatchObject({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } });
    const output = await tool.execute({ n: 21 });
    expect(output instanceof ToolResult ? output.data : output).toBe(42);
    await expect(tool.execute({ n: 'x' } as never)).rejects.toThrow();
    expect(tool.validate({ n: 1 })).toEqual({ ok: true, value: { n: 1, times: 2 } });
    expect(tool.toLangChainTool().name).toBe('times');
  });
});

describe('tool.execute', () => {
  it('throws the faults of the input when the schema is not zod', async () => {
    const tool = defineTool({
      name: 'json',
      description: 'J',
      schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      execute: () => 1,
    });
    const error = await tool.execute({} as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({ code: 'invalid_arguments', field: 'n', reason: 'is required' });
  });

  it('passes a context to the code, from a context or plain metadata', async () => {
    const tool = defineTool({
      name: 'who',
      description: 'Who',
      schema: { type: 'object' },
      execute: (_, context) => [context.getMeta('user', 'nobody'), context.signal.aborted],
    });
    expect(await tool.execute({}, { user: 'ada' })).toEqual(['ada', false]);
    expect(await tool.execute({}, new ToolContext({ user: 'grace' }))).toEqual(['grace', false]);
    expect(await tool.execute({})).toEqual(['nobody', false]);
  });

  it('keeps `this` for a definition that uses it', async () => {
    const spec = {
      name: 'self',
      description: 'Self',
      schema: { type: 'object' } as const,
      greeting: 'hello',
      execute(this: { greeting: string }) {
        return this.greeting;
      },
    };
    expect(await defineTool(spec).execute({})).toBe('hello');
  });
});
