// Agents of other frameworks, each with its own loop, use a board's tools through the one pipeline.
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents';
import { ToolLoopAgent } from 'ai';
import { createAgent } from 'langchain';
import OpenAI from 'openai';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startProvider } from '../src/agent/loop/loopback-provider.test-helper.ts';
import { toAiSdkTools } from '../src/ai-sdk.ts';
import { defineTool, ToolRegistry, toOpenAITools } from '../src/index.ts';
import { scriptedModel } from '../src/testing.ts';

const finished: string[] = [];
const board = new ToolRegistry().registerMany([
  defineTool({
    name: 'stock.level',
    description: 'Tell how much of an item there is.',
    schema: z.object({ item: z.string(), count: z.int().default(1) }),
    execute: ({ item, count }, context) => `${count} x 12 kg of ${item} for ${context.getMeta('user', 'a guest')}`,
  }),
  defineTool({
    name: 'order',
    description: 'Order.',
    schema: z.object({ item: z.enum(['milk']) }),
    execute: () => 'ordered',
  }),
]);
board.executor.on('call:finished', ({ tool: name, callId, result }) =>
  finished.push(`${name} ${callId} ${result.ok ? 'ok' : result.error.code}`),
);
beforeEach(() => void finished.splice(0));

it('LangChain: createAgent with its fake chat model', async () => {
  const model = fakeModel()
    .respondWithTools([
      { name: 'stock_level', args: { item: 'flour', count: '2' }, id: 'call_1' },
      { name: 'order', args: { item: 'gold' }, id: 'call_2' },
    ])
    .respond(new AIMessage('Done.'));
  const agent = createAgent({ model, tools: board.toLangChainTools() });
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: 'go' }] },
    { configurable: { user: 'Ada' } },
  );
  const texts = messages.map((message) => message.text);
  expect(texts).toContain('2 x 12 kg of flour for Ada');
  expect(texts.some((text) => text.startsWith('Invalid arguments for "order"'))).toBe(true);
  expect(texts.at(-1)).toBe('Done.');
  expect(finished.toSorted()).toEqual(['order call_2 invalid_arguments', 'stock.level call_1 ok']);
});

it('AI SDK: its own ToolLoopAgent, streamed', async () => {
  const model = scriptedModel([
    {
      calls: [
        { name: 'stock_level', input: { item: 'flour' } },
        { name: 'order', input: { item: 'gold' } },
      ],
    },
    ({ results }) => `${results[0]?.text}, ${results[1]?.isError}`,
  ]);
  const agent = new ToolLoopAgent({ model, tools: toAiSdkTools(board, { context: { user: 'Grace' } }) });
  const stream = await agent.stream({ prompt: 'go' });
  expect(await stream.text).toBe('1 x 12 kg of flour for Grace, true');
  expect(finished.toSorted()).toEqual(['order call_2 invalid_arguments', 'stock.level call_1 ok']);
});

it('OpenAI agents SDK: over the wire', async () => {
  setTracingDisabled(true);
  const provider = await startProvider((_, number) =>
    number === 1
      ? {
          calls: [
            { id: 'call_1', name: 'stock_level', input: { item: 'flour' } },
            { id: 'call_2', name: 'order', input: { item: 'gold' } },
          ],
        }
      : { text: 'Done.' },
  );
  try {
    const client = new OpenAI({ baseURL: provider.url, apiKey: 'test' });
    const { tools } = toOpenAITools(board);
    const agent = new Agent({
      name: 'baker',
      model: new OpenAIChatCompletionsModel(client, 'loop-1'),
      tools: tools.map(({ function: { name, description, parameters } }) =>
        tool({
          name,
          description,
          strict: false,
          // A tool's schema is always that of an object.
          parameters: { ...parameters, additionalProperties: true } as never,
          execute: async (input, _, details) =>
            (
              await board.call(name, input, {
                coerce: true,
                callId: details?.toolCall?.callId,
                context: { user: 'Alan' },
              })
            ).text,
        }),
      ),
    });
    const { finalOutput } = await run(agent, 'How much flour is there?');
    expect(finalOutput).toBe('Done.');
    const told = JSON.stringify(provider.requests[1]?.body.messages);
    expect(told).toContain('1 x 12 kg of flour for Alan');
    expect(told).toContain('Invalid arguments for');
    expect(finished.toSorted()).toEqual(['order call_2 invalid_arguments', 'stock.level call_1 ok']);
  } finally {
    await provider.close();
  }
});
