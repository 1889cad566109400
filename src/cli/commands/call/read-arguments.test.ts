import { describe, expect, it } from 'vitest';
import { createTestContext } from '../../shared/cli-context.test-helper.ts';
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
  it('converts each value by the schema', async () => {
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

  it('makes a list of a repeated name, and keeps everything after the first =', async () => {
    const arg = ['tags=a', 'tags=b=c', 'text='];
    expect(await readArguments(tool, { arg, args: undefined }, createTestContext())).toEqual({
      tags: ['a', 'b=c'],
      text: '',
    });
  });

  it('makes an object of pairs if the tool takes one', async () => {
    const read = async (...arg: string[]) => readArguments(tool, { arg, args: undefined }, createTestContext());
    expect(await read('filter=LOG=debug')).toEqual({ filter: { LOG: 'debug' } });
    expect(await read('filter=A=1', 'filter=B=x=y', 'text=C=1')).toEqual({ filter: { A: '1', B: 'x=y' }, text: 'C=1' });
    expect(await read('filter={"a":"b=c"}')).toEqual({ filter: { a: 'b=c' } });
    expect(await read('filter=word')).toEqual({ filter: 'word' });
  });

  it('keeps JSON unchanged, also from stdin, and lets single values win', async () => {
    const context = createTestContext({ input: '{"count":"7","text":"a"}' });
    expect(await readArguments(tool, { arg: ['text=b'], args: '-' }, context)).toEqual({ count: '7', text: 'b' });
  });

  it('wraps a single value in JSON that is typed, but not in that of a program', async () => {
    const typed = '{"tags":"a","text":"b","count":[1]}';
    const lists = { tags: ['a'], text: 'b', count: [1] };
    expect(await readArguments(tool, { words: [typed], arg: [], args: undefined }, createTestContext())).toEqual(lists);
    expect(await readArguments(tool, { arg: [], args: typed }, createTestContext())).toEqual(lists);
    const context = createTestContext({ input: typed });
    expect(await readArguments(tool, { arg: [], args: '-' }, context)).toEqual({ ...lists, tags: 'a' });
  });

  it('leaves an invalid value for the pipeline to explain', async () => {
    expect(await readArguments(tool, { arg: ['count=many'], args: undefined }, createTestContext())).toEqual({
      count: 'many',
    });
  });
});
