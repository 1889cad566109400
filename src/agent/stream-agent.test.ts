import { APICallError } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../define/define-tool.ts';
import { ToolRegistry } from '../registry/tool-registry.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { defineAgent } from './define-agent.ts';
import { streamAgent } from './stream-agent.ts';

const board = new ToolRegistry().register(
  defineTool({
    name: 'add',
    description: 'Add.',
    schema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  }),
);

it('tells what happens in order, and the text alone', async () => {
  const model = scriptedModel([
    { reasoning: 'I should add.', text: 'One moment. ', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
    'It is three.',
  ]);
  const stream = streamAgent(defineAgent({ name: 'adder', model }), 'What is 1 + 2?', { board });
  const kinds: string[] = [];
  for await (const event of stream) kinds.push(event.type === 'text' ? `text:${event.text}` : event.type);
  expect(kinds).toEqual([
    'run-start',
    'step-start',
    'reasoning',
    'reasoning',
    'reasoning',
    'text:One ',
    'text:moment. ',
    'call-start',
    'call-end',
    'step-end',
    'step-start',
    'text:It ',
    'text:is ',
    'text:three.',
    'step-end',
    'run-end',
  ]);
  let text = '';
  for await (const piece of stream.text) text += piece;
  expect(text).toBe('One moment. It is three.');
  expect(await stream.result).toMatchObject({
    ok: true,
    text: 'It is three.',
    steps: [{ reasoning: 'I should add.' }, {}],
  });
});

it('asks again when a stream dies in the middle of a call, and runs no half of it', async () => {
  const model = scriptedModel([
    { text: 'Let me', calls: [{ name: 'add', input: '{"a": 1, "b' }], finishReason: 'interrupted' },
    { calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
    'three',
  ]);
  const stream = streamAgent(defineAgent({ name: 'adder', model, retryDelay: 1 }), 'go', { board });
  const result = await stream.result;
  expect(result).toMatchObject({ ok: true, text: 'three' });
  expect(result.steps.flatMap(({ calls }) => calls.map(({ input }) => input))).toEqual([{ a: 1, b: 2 }]);
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect(types.filter((type) => type === 'retry')).toHaveLength(1);
});

it('ends with an outcome when the provider fails for good', async () => {
  const failure = new APICallError({
    message: 'No such model',
    url: 'http://x',
    requestBodyValues: {},
    isRetryable: false,
  });
  const stream = streamAgent(defineAgent({ name: 'adder', model: scriptedModel([failure]) }), 'go', { board });
  expect(await stream.result).toMatchObject({
    ok: false,
    outcome: 'model_failed',
    reason: 'The model failed: No such model',
  });
});

it('throws misuse where the events are read', async () => {
  const stream = streamAgent(defineAgent({ name: 'adder', model: scriptedModel(['x']), tools: ['nothing'] }), 'go', {
    board,
  });
  const read = async (): Promise<void> => {
    for await (const event of stream) expect(event.type).toBe('never');
  };
  await expect(read()).rejects.toThrow('asks for the tool "nothing"');
  await expect(stream.result).rejects.toThrow('asks for the tool "nothing"');
});

it('stops in the middle of an answer when it is cancelled', async () => {
  const stop = new AbortController();
  const said: string[] = [];
  const stream = streamAgent(defineAgent({ name: 'talker', model: scriptedModel(['one two three four five']) }), 'go', {
    board,
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type === 'text') said.push(event.text);
      if (said.length === 2) stop.abort();
    },
  });
  expect(await stream.result).toMatchObject({ ok: false, outcome: 'cancelled', steps: [] });
  expect(said.length).toBeLessThan(5);
});
