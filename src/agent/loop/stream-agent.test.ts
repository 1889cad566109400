import { APICallError } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { defineAgent } from '../define/define-agent.ts';
import type { ModelV4, StreamPart } from '../model/ai-types.ts';
import { runAgent, streamAgent } from './run-agent.ts';

const board = new ToolRegistry().register(
  defineTool({
    name: 'add',
    description: 'Add.',
    schema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  }),
);

it('streams events in order, and the text alone', async () => {
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

it('retries when a stream breaks off in the middle of a call, and runs no incomplete call', async () => {
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

it.each([
  ['goes on where it was', ['Let me see. Three.'], 'Let me see. Three.'],
  [
    'is dropped twice',
    [{ text: 'Let me see. Th', finishReason: 'interrupted' as const }, 'Let me see. Three.'],
    'Let me see. Three.',
  ],
  ['answers otherwise', ['It is three.'], 'Let me see\nIt is three.'],
])('does not repeat the text of a dropped stream when the model %s', async (_, later, expected) => {
  const model = scriptedModel([{ text: 'Let me see', finishReason: 'interrupted' }, ...later]);
  const stream = streamAgent(defineAgent({ name: 'adder', model, retryDelay: 1 }), 'go', { board });
  let text = '';
  for await (const piece of stream.text) text += piece;
  expect(text).toBe(expected);
});

it("streams only the agent's own answer, not those of sub-agents", async () => {
  const helper = defineAgent({ name: 'helper', description: 'Helps.', model: scriptedModel(['Below.']) });
  const model = scriptedModel([{ calls: [{ name: 'helper', input: { task: 'x' } }] }, 'Above.']);
  const stream = streamAgent(defineAgent({ name: 'boss', model, agents: [helper] }), 'go', { board });
  let text = '';
  for await (const piece of stream.text) text += piece;
  expect(text).toBe('Above.');
});

it('ends with an outcome when the provider fails permanently', async () => {
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

const END: StreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
};

/** A model that streams these parts, one list for each request. */
function streamingModel(...answers: readonly (readonly StreamPart[])[]): ModelV4 & { readonly prompts: unknown[] } {
  const prompts: unknown[] = [];
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    prompts,
    doGenerate: () => Promise.reject(new Error('not streamed')),
    doStream: ({ prompt }) => {
      prompts.push(prompt);
      return Promise.resolve({ stream: ReadableStream.from(answers[prompts.length - 1] ?? []) });
    },
  };
}

it('sends provider metadata back, such as signatures', async () => {
  const signed = { anthropic: { signature: 'abc' } };
  const model = streamingModel(
    [
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Add ' },
      { type: 'ping' },
      { type: 'reasoning-delta', id: '0', delta: 'them.' },
      { type: 'reasoning-end', id: '0', providerMetadata: signed },
      { type: 'tool-input-start', id: 'c', toolName: 'add' },
      { type: 'tool-input-end', id: 'c' },
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 'add',
        input: '{"a":1,"b":2}',
        providerMetadata: { x: { id: 7 } },
      },
      END,
    ],
    [{ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: '3' }, { type: 'text-end', id: '0' }, END],
  );
  const result = await streamAgent(defineAgent({ name: 'adder', model }), 'go', { board }).result;
  expect(result).toMatchObject({ ok: true, text: '3', steps: [{ reasoning: 'Add them.' }, {}] });
  expect(model.prompts[1]).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Add them.', providerOptions: signed },
        { type: 'tool-call', toolCallId: 'c', input: { a: 1, b: 2 }, providerOptions: { x: { id: 7 } } },
      ],
    },
    { role: 'tool', content: [{ toolCallId: 'c' }] },
  ]);
});

it('retries when a stream ends before the provider has finished', async () => {
  const piece: StreamPart[] = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'whole' },
  ];
  const model = streamingModel(piece, [...piece, END]);
  const agent = defineAgent({ name: 'talker', model, retryDelay: 1 });
  expect(await streamAgent(agent, 'go', { board }).result).toMatchObject({ ok: true, text: 'whole' });
});

it.each(['streamed', 'whole'])(
  'does not wait for a model that falls silent in the middle of a call (%s)',
  async (mode) => {
    let stopped = 0;
    const silent = (signal: AbortSignal | undefined): Promise<never> =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          stopped++;
          reject(signal.reason);
        });
      });
    const inner = streamingModel();
    const model: ModelV4 = {
      ...inner,
      doGenerate: ({ abortSignal }) => silent(abortSignal),
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream<StreamPart>({
            start: (controller) => controller.enqueue({ type: 'tool-input-start', id: 'c', toolName: 'add' }),
            cancel: () => void stopped++,
          }),
        }),
    };
    const agent = defineAgent({ name: 'talker', model, modelRetries: 1, retryDelay: 1, maxSilence: 20 });
    const run = mode === 'whole' ? runAgent(agent, 'go', { board }) : streamAgent(agent, 'go', { board }).result;
    expect(await run).toMatchObject({
      outcome: 'model_failed',
      reason: 'The model failed: The provider sent nothing for 0.02 seconds.',
      usage: { uncounted: 2 },
    });
    expect(stopped).toBe(2);
  },
);

it('ends with the error that the provider sends in its stream', async () => {
  const model = streamingModel([
    { type: 'text-start', id: '0' },
    { type: 'error', error: new Error('quota used up') },
  ]);
  expect(await streamAgent(defineAgent({ name: 'talker', model }), 'go', { board }).result).toMatchObject({
    outcome: 'model_failed',
    reason: 'The model failed: quota used up',
  });
});

it('streams images through the AI SDK', async () => {
  const model = streamingModel([
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'a cat' },
    { type: 'text-end', id: '0' },
    END,
  ]);
  const picture = { type: 'file' as const, data: new Uint8Array([1, 2, 3]), mediaType: 'image/png' };
  const stream = streamAgent(defineAgent({ name: 'seer', model }), [{ role: 'user', content: [picture] }], { board });
  const said: string[] = [];
  for await (const piece of stream.text) said.push(piece);
  expect(said).toEqual(['a cat']);
  expect(model.prompts).toMatchObject([[{ role: 'user', content: [{ type: 'file', mediaType: 'image/png' }] }]]);
});
