import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { StructuredTool, ToolInputParsingException } from '@langchain/core/tools';
import { createAgent, fakeModel } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../tool/define/define-tool.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { ToolResult } from '../tool/tool-result.ts';

const registry = new ToolRegistry().registerMany([
  defineTool({
    name: 'math.double',
    description: 'Double a number',
    // A transform: validating twice would fail, so LangChain must not validate.
    schema: z.object({
      n: z.number().describe('The number'),
      unit: z
        .string()
        .transform((text) => text.length)
        .optional(),
    }),
    execute: ({ n, unit }, context) => ({ doubled: n * 2, unit, user: context.getMeta('user') }),
  }),
  defineTool({
    name: 'fails',
    description: 'Always fails',
    schema: z.object({}),
    execute: () => {
      throw new Error('disk full');
    },
  }),
  defineTool({
    name: 'draw',
    description: 'Draw',
    schema: z.object({}),
    execute: () =>
      ToolResult.content([
        { type: 'text', text: 'a dot' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ]),
  }),
]);
const [double, fails, draw] = registry.toLangChainTools();
if (double === undefined || fails === undefined || draw === undefined) throw new Error('three tools expected');

describe('toLangChainTools', () => {
  it('creates structured tools with names that every provider accepts and the JSON Schema of the input', () => {
    expect(double).toBeInstanceOf(StructuredTool);
    expect(double.name).toBe('math_double');
    expect(double.description).toBe('Double a number');
    expect(double.schema).toMatchObject({
      type: 'object',
      properties: { n: { type: 'number', description: 'The number' } },
      required: ['n'],
    });
  });

  it('runs through the pipeline: transforms once, metadata from the config, events', async () => {
    const seen: string[] = [];
    const stop = registry.executor.on('call:finished', ({ tool, callId }) => seen.push(`${tool} ${callId}`));
    const output = await double.invoke({ n: 2, unit: 'abc' }, { configurable: { user: 'ada' } });
    expect(JSON.parse(String(output))).toEqual({ doubled: 4, unit: 3, user: 'ada' });
    const message = await double.invoke({ type: 'tool_call', id: 'call_7', name: 'math_double', args: { n: '4' } });
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({ content: '{"doubled":8}', tool_call_id: 'call_7', status: 'success' });
    expect((message as ToolMessage).artifact).toBeInstanceOf(ToolResult);
    expect(seen).toEqual([expect.stringMatching(/^math\.double /), 'math.double call_7']);
    stop();
  });

  it('answers invalid arguments with what to change: an error message for a tool call, LangChain’s exception for code', async () => {
    const message = await double.invoke({ type: 'tool_call', id: 'c', name: 'math_double', args: { n: 'two' } });
    expect(message).toMatchObject({ status: 'error', tool_call_id: 'c' });
    expect((message as ToolMessage).text).toContain('Invalid arguments for "math.double":\n- n: ');
    const thrown = await double.invoke({}).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ToolInputParsingException);
    expect(String(thrown)).toContain('It takes: n (number), unit (string, optional)');
  });

  it('tells the model about a failure and throws it to code', async () => {
    const message = await fails.invoke({ type: 'tool_call', id: 'c', name: 'fails', args: {} });
    expect(message).toMatchObject({ status: 'error', content: 'Tool "fails" failed: disk full' });
    await expect(fails.invoke({})).rejects.toMatchObject({ code: 'execution_failed' });
  });

  it('passes images on', async () => {
    const message = await draw.invoke({ type: 'tool_call', id: 'c', name: 'draw', args: {} });
    expect(message).toMatchObject({
      content: [
        { type: 'text', text: 'a dot' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    });
  });

  it('is cancelled with the config’s signal', async () => {
    const slow = new ToolRegistry()
      .register(
        defineTool({ name: 'slow', description: 'S', schema: z.object({}), execute: () => new Promise(() => {}) }),
      )
      .toLangChainTools()[0];
    const controller = new AbortController();
    const running = slow?.invoke({}, { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('works in a LangChain agent, which sees a mistake and fixes it', async () => {
    const model = fakeModel()
      .respondWithTools([{ id: '1', name: 'math_double', args: { n: 'two' } }])
      .respondWithTools([{ id: '2', name: 'math_double', args: { n: 2 } }])
      .respond(new AIMessage('It is 4.'));
    const agent = createAgent({ model, tools: registry.toLangChainTools() });
    const { messages } = await agent.invoke({ messages: [new HumanMessage('Double two')] });
    const answers = messages.filter((message) => message instanceof ToolMessage);
    expect(answers.map(({ status, text }) => [status, text.split('\n')[0]])).toEqual([
      ['error', 'Invalid arguments for "math.double":'],
      ['success', '{"doubled":4}'],
    ]);
    expect(messages.at(-1)?.text).toBe('It is 4.');
  });
});
