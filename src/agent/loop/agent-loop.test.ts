import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import type { AgentEvent } from './agent-result.ts';
import { type AgentSpec, defineAgent } from '../define/define-agent.ts';
import { runAgent, streamAgent } from './run-agent.ts';

/** A board with three tools: read a counter, increment it, fail. */
function createBoard(): { board: ToolRegistry; ran: string[] } {
  const ran: string[] = [];
  let count = 0;
  const board = new ToolRegistry().registerMany([
    defineTool({
      name: 'count.read',
      description: 'Read a counter.',
      risk: 'read',
      schema: z.object({ name: z.string() }),
      execute: ({ name }) => {
        ran.push(`read ${name}`);
        return `${name}=${count}`;
      },
    }),
    defineTool({
      name: 'count_up',
      description: 'Raise the counter.',
      schema: z.object({ by: z.int() }),
      execute: ({ by }) => {
        ran.push(`up ${by}`);
        count += by;
        return { count };
      },
    }),
    defineTool({
      name: 'broken',
      description: 'Always fails.',
      schema: z.object({}),
      execute: () => {
        ran.push('broken');
        throw new Error('the disk is full');
      },
    }),
  ]);
  return { board, ran };
}

const agentOf = (model: AgentSpec['model'], rest: Partial<AgentSpec> = {}) =>
  defineAgent({ name: 'tester', model, retryDelay: 1, ...rest });

describe('runAgent', () => {
  it('calls tools until there is an answer, and returns every step', async () => {
    const { board } = createBoard();
    const model = scriptedModel([
      { text: 'Let me see.', calls: [{ name: 'count_up', input: { by: 2 } }] },
      ({ results }) => `It is ${results[0]?.text}.`,
    ]);
    const result = await runAgent(agentOf(model, { system: 'Be brief.' }), 'Raise it by two', { board });
    expect(result).toMatchObject({
      ok: true,
      outcome: 'completed',
      text: 'It is {"count":2}.',
      output: 'It is {"count":2}.',
    });
    expect(result.steps.map(({ calls }) => calls.map(({ tool, input }) => [tool, input]))).toEqual([
      [['count_up', { by: 2 }]],
      [],
    ]);
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(model.requests[0]).toMatchObject({
      system: 'Be brief.',
      said: 'Raise it by two',
      tools: ['count_read', 'count_up', 'broken'],
      toolChoice: 'auto',
    });
    model.assertDone();
  });

  it('runs parallel calls at once and returns results in call order', async () => {
    const gate = Promise.withResolvers<string>();
    const board = new ToolRegistry().registerMany([
      defineTool({ name: 'slow', description: 'S', schema: z.object({}), execute: () => gate.promise }),
      defineTool({
        name: 'fast',
        description: 'F',
        schema: z.object({}),
        execute: () => (gate.resolve('slow done'), 'fast done'),
      }),
    ]);
    const model = scriptedModel([
      {
        calls: [
          { id: 'a', name: 'slow' },
          { id: 'b', name: 'fast' },
        ],
      },
      'ok',
    ]);
    expect((await runAgent(agentOf(model), 'go', { board })).ok).toBe(true);
    expect(model.requests[1]?.results).toEqual([
      { id: 'a', tool: 'slow', text: 'slow done', isError: false },
      { id: 'b', tool: 'fast', text: 'fast done', isError: false },
    ]);
  });

  it('reuses the result of an identical read until something changes', async () => {
    const { board, ran } = createBoard();
    const read = { name: 'count_read', input: { name: 'x' } };
    const model = scriptedModel([
      { calls: [read, read] },
      { calls: [{ ...read, input: { name: 'y' } }, read] },
      { calls: [{ name: 'count_up', input: { by: 1 } }] },
      { calls: [read] },
      'done',
    ]);
    const result = await runAgent(agentOf(model), 'go', { board });
    expect(ran).toEqual(['read x', 'read y', 'up 1', 'read x']);
    const note = '(You made this call before, as call_1, and nothing has changed since. Its result again:)\nx=0';
    expect(model.requests[1]?.results.map(({ text }) => text)).toEqual(['x=0', note]);
    expect(model.requests[2]?.results.map(({ text }) => text)).toEqual(['y=0', note]);
    expect(model.requests[4]?.results.map(({ text }) => text)).toEqual(['x=1']);
    expect(result.steps[0]?.calls[1]?.answeredFrom).toBe('call_1');
  });

  it('repeats identical reads when reuseReads is off', async () => {
    const { board, ran } = createBoard();
    const read = { name: 'count_read', input: { name: 'x' } };
    await runAgent(
      agentOf(scriptedModel([{ calls: [read] }, { calls: [read] }, 'done']), { reuseReads: false }),
      'go',
      { board },
    );
    expect(ran).toEqual(['read x', 'read x']);
  });

  it('returns failures, unknown tools and invalid arguments as results that say what to change', async () => {
    const { board } = createBoard();
    const model = scriptedModel([
      {
        calls: [
          { name: 'broken' },
          { name: 'count_dwn', input: { by: 1 } },
          { name: 'count_up', input: '{"by": 1' },
          { name: 'count_up', input: { by: 'many' } },
          { name: 'count_up', input: '[1]' },
          { name: 'count_up', input: { by: '3' } },
        ],
      },
      'I see.',
    ]);
    const result = await runAgent(agentOf(model), 'go', { board });
    expect(result.ok).toBe(true);
    expect(model.requests[1]?.results.map(({ text, isError }) => [isError, text.split('\n')[0]])).toEqual([
      [true, 'Tool "broken" failed: the disk is full'],
      [true, 'There is no tool "count_dwn". Did you mean: count_up, count_read?'],
      [true, expect.stringMatching(/^Arguments of "count_up" \(call "call_3"\) are not valid JSON: /)],
      [true, 'Invalid arguments for "count_up":'],
      [true, 'Invalid arguments for "count_up":'],
      [false, '{"count":3}'],
    ]);
  });

  it.for(['whole', 'streamed'])('distinguishes calls that the provider gave the same id (%s)', async (mode) => {
    const { board } = createBoard();
    const calls = [1, 2].map((by) => ({ id: 'call', name: 'count_up', input: { by } }));
    const model = scriptedModel([{ calls }, 'done']);
    const agent = agentOf(model);
    if (mode === 'whole') await runAgent(agent, 'go', { board });
    else await streamAgent(agent, 'go', { board }).result;
    expect(model.requests[1]?.results).toMatchObject([
      { id: 'call', text: '{"count":1}' },
      { id: 'call_2', text: '{"count":3}' },
    ]);
    expect(JSON.stringify(model.requests[1]?.options.prompt[1])).toContain('"toolCallId":"call_2"');
  });

  it('sends images through the AI SDK, and continues with the whole history', async () => {
    const { board } = createBoard();
    const model = scriptedModel([{ calls: [{ name: 'count_up', input: { by: 1 } }] }, 'a cat']);
    const picture = { type: 'file' as const, data: new Uint8Array([137, 80]), mediaType: 'image/png' };
    const input = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'What is this?' }, picture] }];
    const result = await runAgent(agentOf(model), input, { board });
    expect(result).toMatchObject({ ok: true, text: 'a cat' });
    expect(model.requests[1]?.options.prompt[0]).toMatchObject({
      role: 'user',
      content: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }],
    });
  });

  it('ends a run that repeats the same failure', async () => {
    const { board, ran } = createBoard();
    const model = scriptedModel(Array.from({ length: 20 }, () => ({ calls: [{ name: 'broken' }] })));
    const result = await runAgent(agentOf(model, { maxSameFailures: 3 }), 'go', { board });
    expect(result).toMatchObject({
      ok: false,
      outcome: 'stuck',
      reason: expect.stringContaining('The same call of "broken" failed 3 times'),
    });
    expect(ran).toHaveLength(3);
    expect(model.requests[2]?.results[0]?.text).toContain('This same call has now failed 2 times. Do not repeat it');
  });

  it('ends after maxSteps with every call answered', async () => {
    const { board } = createBoard();
    const model = scriptedModel(
      Array.from({ length: 3 }, (_, by) => ({ calls: [{ name: 'count_up', input: { by } }] })),
    );
    const result = await runAgent(agentOf(model, { maxSteps: 3 }), 'go', { board });
    expect(result).toMatchObject({
      ok: false,
      outcome: 'max_steps',
      reason: expect.stringContaining('all of its 3 steps'),
    });
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    model.assertDone();
  });

  it('limits the calls of one step and asks the model to repeat the rest', async () => {
    const { board, ran } = createBoard();
    const calls = Array.from({ length: 500 }, (_, by) => ({ name: 'count_up', input: { by } }));
    const model = scriptedModel([{ calls }, 'done']);
    const result = await runAgent(agentOf(model, { maxCallsPerStep: 20 }), 'go', { board });
    expect(result.ok).toBe(true);
    expect(ran).toHaveLength(20);
    const told = model.requests[1]?.results ?? [];
    expect(told.map(({ id }) => id)).toEqual(calls.map((_, index) => `call_${index + 1}`));
    expect(told[20]?.text).toBe(
      'Not run: 500 calls were made at once; the limit is 20. Repeat those that are still needed.',
    );
  });

  it('retries a busy provider and reports it', async () => {
    const busy = new APICallError({
      message: 'Overloaded',
      url: 'http://x',
      requestBodyValues: {},
      statusCode: 529,
      isRetryable: true,
    });
    const events: AgentEvent[] = [];
    const model = scriptedModel([busy, { finishReason: 'interrupted', text: 'half' }, 'whole']);
    const result = await runAgent(agentOf(model), 'go', { onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({ ok: true, text: 'whole' });
    expect(events.filter(({ type }) => type === 'retry')).toEqual([
      { type: 'retry', agent: 'tester', step: 1, attempt: 1, reason: 'Overloaded' },
      {
        type: 'retry',
        agent: 'tester',
        step: 1,
        attempt: 2,
        reason: 'The provider ended the connection in the middle of an answer.',
      },
    ]);
  });

  it("ends with the provider's message when retries fail or would not help", async () => {
    const failure = (isRetryable: boolean): APICallError =>
      new APICallError({
        message: isRetryable ? 'Overloaded' : 'Invalid key',
        url: 'http://x',
        requestBodyValues: {},
        isRetryable,
      });
    const busy = scriptedModel([failure(true), failure(true), failure(true)]);
    expect(await runAgent(agentOf(busy), 'go')).toMatchObject({
      ok: false,
      outcome: 'model_failed',
      reason: 'The model failed: Overloaded',
    });
    const wrong = scriptedModel([failure(false)]);
    expect(await runAgent(agentOf(wrong), 'go')).toMatchObject({
      outcome: 'model_failed',
      reason: 'The model failed: Invalid key',
    });
    busy.assertDone();
  });

  it('stops the model and the tools when it is cancelled', async () => {
    const stop = new AbortController();
    let seen: AbortSignal | undefined;
    const board = new ToolRegistry().register(
      defineTool({
        name: 'wait',
        description: 'W',
        schema: z.object({}),
        execute: (_, context) => {
          seen = context.signal;
          stop.abort();
          return new Promise<string>(() => {});
        },
      }),
    );
    const result = await runAgent(agentOf(scriptedModel([{ calls: [{ name: 'wait' }] }])), 'go', {
      board,
      signal: stop.signal,
    });
    expect(result).toMatchObject({ ok: false, outcome: 'cancelled', reason: 'The run was cancelled.' });
    expect(seen?.aborted).toBe(true);
    expect(result.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ output: { type: 'error-text' } }] });
  });

  it('stops a model that does not answer', async () => {
    const stop = new AbortController();
    const model = scriptedModel([
      ({ options }) => {
        const gone = Promise.withResolvers<Error>();
        options.abortSignal?.addEventListener('abort', () => gone.resolve(new Error('stopped')));
        stop.abort();
        return gone.promise;
      },
    ]);
    const result = await runAgent(agentOf(model), 'go', { signal: stop.signal });
    expect(result).toMatchObject({ ok: false, outcome: 'cancelled', steps: [] });
    expect(await runAgent(agentOf(scriptedModel([])), 'go', { signal: AbortSignal.abort() })).toMatchObject({
      outcome: 'cancelled',
    });
    const late = scriptedModel([() => new Promise<string>(() => {})]);
    expect(await runAgent(agentOf(late), 'go', { timeout: 5 })).toMatchObject({
      reason: 'The run took longer than 5 ms.',
    });
  });

  it('continues when a listener throws', async () => {
    const warned = new Promise((settle) => process.once('warning', settle));
    const result = await runAgent(agentOf(scriptedModel(['fine'])), 'go', {
      onEvent: ({ type }) => {
        if (type === 'run-start') throw new Error('listener broke');
      },
    });
    expect(result.ok).toBe(true);
    expect(await warned).toMatchObject({ message: 'listener broke' });
  });

  it('distinguishes cut-off and filtered answers from complete ones', async () => {
    const ends = async (finishReason: 'length' | 'content-filter') =>
      (await runAgent(agentOf(scriptedModel([{ text: 'It is', finishReason }])), 'go')).outcome;
    expect([await ends('length'), await ends('content-filter')]).toEqual(['cut_off', 'filtered']);
  });

  it('forces a tool in the first step only', async () => {
    const { board } = createBoard();
    const model = scriptedModel([{ calls: [{ name: 'count_read', input: { name: 'x' } }] }, 'done']);
    await runAgent(agentOf(model, { toolChoice: { tool: 'count.read' } }), 'go', { board });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['count_read', 'auto']);
  });

  it('returns data that matches the output schema, asking again if it does not', async () => {
    const model = scriptedModel(['no idea', '{"total": "much"}', '```json\n{"total": 3}\n```']);
    const result = await runAgent(agentOf(model, { output: z.object({ total: z.number() }) }), 'go');
    expect(result).toMatchObject({ ok: true, output: { total: 3 } });
    expect(model.requests[2]?.said).toContain('Your answer does not fit the schema: total: ');
    expect(model.requests[0]?.options.responseFormat).toMatchObject({ type: 'json', schema: { required: ['total'] } });
    const never = scriptedModel(['a', 'b', 'c']);
    expect((await runAgent(agentOf(never, { output: z.object({}) }), 'go')).outcome).toBe('bad_output');
  });

  it('adds up tokens and cost', async () => {
    const { board } = createBoard();
    const model = scriptedModel([
      { calls: [{ name: 'count_up', input: { by: 1 } }], usage: { inputTokens: 1000, outputTokens: 10 } },
      { text: 'done', usage: { inputTokens: 1500, cachedInputTokens: 1000, outputTokens: 20 } },
    ]);
    const prices = { input: 2, output: 10, cachedInput: 0.2 };
    const { usage } = await runAgent(agentOf(model, { prices }), 'go', { board });
    expect(usage).toEqual({
      inputTokens: 2500,
      cachedInputTokens: 1000,
      cacheWriteTokens: 0,
      outputTokens: 30,
      reasoningTokens: 0,
      totalTokens: 2530,
      uncounted: 0,
      cost: expect.closeTo((1500 * 2 + 1000 * 0.2 + 30 * 10) / 1e6, 12),
    });
  });

  it('keeps the text of a model that did not make its required call', async () => {
    const { board } = createBoard();
    const model = scriptedModel(['I would rather not.', 'No.']);
    expect(await runAgent(agentOf(model, { toolChoice: { tool: 'count_up' } }), 'go', { board })).toMatchObject({
      ok: false,
      outcome: 'model_failed',
      reason:
        'The model had to call the tool "count_up" first but answered without it. Use a model that obeys toolChoice, or set it to auto.',
      text: 'I would rather not.',
      usage: { totalTokens: 15 },
    });
    await expect(runAgent(agentOf(model, { toolChoice: { tool: 'cuont_up' } }), 'go', { board })).rejects.toThrow(
      'The agent "tester" must call "cuont_up" first, which is not one of its tools. Did you mean: count_up?',
    );
  });

  it('rejects for misuse: a script that is too short, a missing tool', async () => {
    const { board } = createBoard();
    const short = scriptedModel([{ calls: [{ name: 'count_up', input: { by: 1 } }] }]);
    await expect(runAgent(agentOf(short), 'go', { board })).rejects.toThrow(
      'The script has 1 step, and the model was asked a 2nd time after these results:\n- count_up: {"count":1}',
    );
    await expect(runAgent(agentOf(short, { tools: ['cuont_up'] }), 'go', { board })).rejects.toThrow(
      'The agent "tester" asks for the tool "cuont_up", which is not on the board. Did you mean: count_up?',
    );
  });
});
