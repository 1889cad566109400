import { describe, expect, it } from 'vitest';
import { createTestContext } from '../cli-context.test-helper.ts';
import { readArguments } from './read-arguments.ts';

const tool = {
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      count: { type: 'integer' },
      loud: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      filter: { type: 'object' },
      mode: { enum: ['Fast', 'slow'] },
    },
  },
};

describe('readArguments', () => {
  it('types each value by the schema', async () => {
    const arg = ['text=42', 'count=42', 'loud=true', 'tags=a', 'filter={"x":1}', 'mode=fast'];
    expect(await readArguments(tool, { arg, args: undefined }, createTestContext())).toEqual({
      text: '42',
      count: 42,
      loud: true,
      tags: ['a'],
      filter: { x: 1 },
      mode: 'Fast',
    });
  });

  it('makes a list of a name that is given several times, and keeps what stands after the first =', async () => {
    const arg = ['tags=a', 'tags=b=c', 'text='];
    expect(await readArguments(tool, { arg, args: undefined }, createTestContext())).toEqual({
      tags: ['a', 'b=c'],
      text: '',
    });
  });

  it('leaves JSON as it is, from stdin too, and lets single values win', async () => {
    const context = createTestContext({ input: '{"count":"7","text":"a"}' });
    expect(await readArguments(tool, { arg: ['text=b'], args: '-' }, context)).toEqual({ count: '7', text: 'b' });
  });

  it('leaves a value that does not fit for the pipeline to explain', async () => {
    expect(await readArguments(tool, { arg: ['count=many'], args: undefined }, createTestContext())).toEqual({
      count: 'many',
    });
  });
});
