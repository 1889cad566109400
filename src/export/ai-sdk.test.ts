import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toAiSdkTools } from '../ai-sdk.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';

const registry = new ToolRegistry().registerMany([
  defineTool({
    name: 'math.double',
    description: 'Double a number',
    schema: z.object({
      n: z.number(),
      unit: z
        .string()
        .transform((text) => text.length)
        .optional(),
    }),
    execute: ({ n, unit }) => ({ doubled: n * 2, unit }),
  }),
  defineTool({
    name: 'draw',
    description: 'Draw',
    schema: z.object({}),
    execute: () => ToolResult.content([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]),
  }),
]);

type Generated = Awaited<ReturnType<InstanceType<typeof MockLanguageModelV4>['doGenerate']>>;

/** A model that makes these calls in one step, then stops. */
function scripted(calls: readonly { id: string; name: string; input: string }[]): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const steps: Generated[] = [
    {
      content: calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input })),
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    },
    {
      content: [{ type: 'text', text: 'done' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    },
  ];
  return new MockLanguageModelV4({
    doGenerate: async () => steps.shift() ?? Promise.reject(new Error('no more steps')),
  });
}

/** Runs the loop, and returns the results that the model got in the second step. */
async function toldTo(model: MockLanguageModelV4): Promise<unknown[]> {
  const { text } = await generateText({ model, prompt: 'go', tools: toAiSdkTools(registry), stopWhen: isStepCount(3) });
  expect(text).toBe('done');
  const messages = model.doGenerateCalls[1]?.prompt ?? [];
  return messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => ('output' in part ? part.output : undefined)) : [],
  );
}

describe('toAiSdkTools', () => {
  it('exports every tool under a name that every provider accepts, with its JSON Schema', async () => {
    const model = scripted([]);
    await generateText({ model, prompt: 'go', tools: toAiSdkTools(registry) });
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      { name: 'math_double', description: 'Double a number', inputSchema: { required: ['n'], type: 'object' } },
      { name: 'draw' },
    ]);
  });

  it('runs parallel calls through the pipeline, repairs what can be repaired, and tells the model what cannot', async () => {
    const seen: string[] = [];
    const stop = registry.executor.on('call:finished', ({ tool, callId }) => seen.push(`${tool} ${callId}`));
    const told = await toldTo(
      scripted([
        { id: 'a', name: 'math_double', input: '{"n": 2, "unit": "abc"}' },
        { id: 'b', name: 'math_double', input: '{"n": "4"}' },
        { id: 'c', name: 'math_double', input: '{"n": "four"}' },
      ]),
    );
    expect(told).toEqual([
      { type: 'json', value: { doubled: 4, unit: 3 } },
      { type: 'json', value: { doubled: 8 } },
      { type: 'error-text', value: expect.stringContaining('Invalid arguments for "math.double":\n- n: ') },
    ]);
    expect(seen.toSorted()).toEqual(['math.double a', 'math.double b', 'math.double c']);
    stop();
  });

  it('sends images to the model', async () => {
    expect(await toldTo(scripted([{ id: 'a', name: 'draw', input: '{}' }]))).toEqual([
      { type: 'content', value: [{ type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' }] },
    ]);
  });

  it('exports a part of the board, on the same pipeline, with a context', async () => {
    const board = new ToolRegistry().registerMany([
      defineTool({
        name: 'who',
        description: 'Who',
        schema: z.object({}),
        execute: (_, context) => String(context.getMeta('user')),
      }),
      defineTool({ name: 'other', description: 'Other', schema: z.object({}), execute: () => '' }),
    ]);
    board.executor.hooks.before(({ context }) => {
      if (!context.hasMeta('user')) throw new ToolError({ code: 'permission_denied', message: 'Who are you?' });
    });
    const tools = toAiSdkTools(board, { only: ['who'], context: { user: 'ada' } });
    expect(Object.keys(tools)).toEqual(['who']);
    const run = (set: typeof tools): unknown =>
      set['who']?.execute?.({}, { toolCallId: 'c', messages: [], context: {} });
    expect(await run(tools)).toBe('ada');
    await expect(run(toAiSdkTools(board, { only: ['who'] }))).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
