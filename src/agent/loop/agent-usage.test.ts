import { APICallError } from 'ai';
import { expect, it } from 'vitest';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { createMemorySession } from '../session/agent-session.ts';
import { defineAgent } from '../define/define-agent.ts';
import { runAgent } from './run-agent.ts';

const agentOf = (model: ReturnType<typeof scriptedModel>) =>
  defineAgent({ name: 'tester', model, prices: { input: 1, output: 1 }, retryDelay: 1 });

it('counts model calls without reported usage, and gives no cost then', async () => {
  const stop = new AbortController();
  const cancelled = scriptedModel([
    'done',
    () => {
      stop.abort();
      return new Promise<never>(() => {});
    },
  ]);
  const session = createMemorySession();
  const run = (model: ReturnType<typeof scriptedModel>) =>
    runAgent(agentOf(model), 'go', { session, signal: stop.signal });
  expect((await run(cancelled)).usage).toMatchObject({ totalTokens: 15, uncounted: 0, cost: 15e-6 });
  expect(await run(cancelled)).toMatchObject({
    outcome: 'cancelled',
    usage: { totalTokens: 0, uncounted: 1, cost: undefined },
  });
  // The unanswered question is not stored, but its usage is.
  const { messages, usage } = await session.read();
  expect(messages).toHaveLength(2);
  expect(usage).toMatchObject({ totalTokens: 15, uncounted: 1, cost: undefined });
  const refused = new APICallError({ message: 'no', url: 'http://x', requestBodyValues: {}, statusCode: 401 });
  const half = scriptedModel([{ finishReason: 'interrupted', text: 'half' }, 'whole', refused]);
  const again = agentOf(half);
  expect((await runAgent(again, 'go')).usage).toMatchObject({
    totalTokens: 15,
    uncounted: 1,
    cost: undefined,
  });
  expect((await runAgent(again, 'go')).usage).toMatchObject({ totalTokens: 0, uncounted: 0, cost: 0 });
});
