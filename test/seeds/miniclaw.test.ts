// The acceptance criteria of the miniclaw tool registry story (its agent loop aside).
import { describe, expect, it } from 'vitest';
import { defineTool, ToolAlreadyExistsError, ToolError, ToolRegistry } from '../../src/index.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Say it again',
  schema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'What to say' }, times: { type: 'integer' } },
    required: ['text'],
  },
  execute: ({ text }) => text,
});

describe('tool registry', () => {
  it('stores tools by their unique names', () => {
    const registry = new ToolRegistry();
    registry.register(echo);
    expect(registry.get('echo')).toBe(echo);
    expect(registry.get('other')).toBeUndefined();
  });

  it('refuses a duplicate and suggests another name', () => {
    const registry = new ToolRegistry();
    registry.register(echo);
    const failure = catchError(() => registry.register(echo));
    expect(failure).toBeInstanceOf(ToolAlreadyExistsError);
    expect(failure).toMatchObject({ suggestion: 'echo_2', toolName: 'echo', code: 'already_exists' });
    expect(registry.size).toBe(1);
  });

  it('lists name, description and parameter schema', () => {
    const registry = new ToolRegistry().register(echo);
    expect(registry.list()).toEqual([
      { name: 'echo', description: 'Say it again', parameters: expect.objectContaining({ required: ['text'] }) },
    ]);
  });

  it('gives the OpenAI function format, cached until the board changes', () => {
    const registry = new ToolRegistry().register(echo);
    const definitions = registry.definitions();
    expect(definitions).toEqual([
      {
        type: 'function',
        function: {
          name: 'echo',
          description: 'Say it again',
          parameters: {
            type: 'object',
            properties: { text: { type: 'string', description: 'What to say' }, times: { type: 'integer' } },
            required: ['text'],
          },
          strict: false,
        },
      },
    ]);
    expect(registry.definitions()).toBe(definitions);
    registry.remove('echo');
    expect(registry.definitions()).toEqual([]);
  });
});

describe('execution', () => {
  const registry = new ToolRegistry().register(echo);

  it('validates arguments against the schema', async () => {
    const result = await registry.call('echo', { text: 1 as never });
    expect(result.error).toMatchObject({
      code: 'invalid_arguments',
      field: 'text',
      toolName: 'echo',
      recoverable: false,
    });
  });

  it('times out', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Never ends',
      schema: { type: 'object' },
      execute: () => new Promise<string>(() => {}),
    });
    const result = await new ToolRegistry().register(slow).call('slow', {}, { timeout: 5 });
    expect(result.error).toMatchObject({ code: 'timeout', recoverable: true, toolName: 'slow' });
  });

  it('says which tool is not there', async () => {
    const misspelt: string = 'ecko';
    const result = await registry.call(misspelt);
    expect(result.error?.code).toBe('not_found');
    expect(result.text).toBe('There is no tool "ecko". Did you mean: echo?');
  });

  it('names an unnamed tool', () => {
    expect(new ToolError({ code: 'not_found', message: 'x', toolName: ' ' }).toolName).toBe('<unnamed>');
  });

  it('is safe to use from many calls at once', async () => {
    const results = await Promise.all(Array.from({ length: 500 }, (_, n) => registry.call('echo', { text: `${n}` })));
    expect(results.map((result) => result.text)).toEqual(Array.from({ length: 500 }, (_, n) => `${n}`));
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
