import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { listSessions, openSession } from './agent-session.ts';
import { type AgentSpec, defineAgent } from '../define/define-agent.ts';
import { runAgent } from '../loop/run-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-session-'));
let store: BoardStore;
beforeEach(() => {
  store = openBoardStore({ folder });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const board = new ToolRegistry().register(
  defineTool({
    name: 'note',
    description: 'Note.',
    schema: z.object({ text: z.string() }),
    execute: ({ text }) => `noted ${text}`,
  }),
);
const agentOf = (model: AgentSpec['model'], rest: Partial<AgentSpec> = {}) =>
  defineAgent({ name: 'keeper', model, ...rest });

it('continues a conversation after a restart', async () => {
  const first = scriptedModel([{ calls: [{ name: 'note', input: { text: 'milk' } }] }, 'Noted.']);
  await runAgent(agentOf(first, { prices: { input: 1, output: 1 } }), 'Note milk', {
    board,
    session: openSession(store, 'shopping'),
  });
  await store.close();
  store = openBoardStore({ folder });
  const second = scriptedModel(['You noted milk.']);
  await runAgent(agentOf(second), 'What did I note?', { board, session: openSession(store, 'shopping') });
  expect(second.requests[0]?.options.prompt.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ]);
  expect(await listSessions(store)).toMatchObject([{ name: 'shopping', messages: 6 }]);
  expect((await openSession(store, 'shopping').read()).usage).toMatchObject({ totalTokens: 45, cost: undefined });
  await openSession(store, 'shopping').clear();
  expect(await listSessions(store)).toEqual([]);
});

it('keeps every finished step, so that a crash loses at most the last one', async () => {
  const model = scriptedModel([{ calls: [{ name: 'note', input: { text: 'milk' } }] }]);
  await expect(runAgent(agentOf(model), 'Note milk', { board, session: openSession(store, 's') })).rejects.toThrow(
    'asked a 2nd time',
  );
  expect((await openSession(store, 's').read()).messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
  ]);
});

it('keeps both turns when one continues after its lease has expired', async () => {
  const other = openBoardStore({ folder, clock: { now: () => Date.now() + 60_000 } });
  const second = scriptedModel([{ calls: [{ name: 'note', input: { text: 'eggs' } }] }, 'Eggs noted.']);
  const first = scriptedModel([
    { calls: [{ name: 'note', input: { text: 'milk' } }] },
    async () => {
      await runAgent(agentOf(second), 'Note eggs', { board, session: openSession(other, 's') });
      return { calls: [{ name: 'note', input: { text: 'more milk' } }] };
    },
    'Milk noted.',
  ]);
  await openSession(store, 's').save([{ role: 'user', content: 'Hello' }]);
  await runAgent(agentOf(first), 'Note milk', { board, session: openSession(store, 's') });
  await other.close();
  const { messages, usage } = await openSession(store, 's').read();
  expect(messages.map(({ role }) => role).join(' ')).toBe(
    'user user assistant tool user assistant tool assistant assistant tool assistant',
  );
  expect(JSON.stringify(messages)).toMatch(
    /Hello.*Note milk.*noted milk.*Note eggs.*Eggs noted.*more milk.*Milk noted/,
  );
  expect(usage.totalTokens).toBe(75);
});

it('starts again with the whole turn when the conversation was deleted meanwhile', async () => {
  const model = scriptedModel([
    { calls: [{ name: 'note', input: { text: 'milk' } }] },
    async () => {
      await openSession(store, 's').clear();
      return 'Noted.';
    },
  ]);
  await openSession(store, 's').save([{ role: 'user', content: 'Hello' }]);
  await runAgent(agentOf(model), 'Note milk', { board, session: openSession(store, 's') });
  expect((await openSession(store, 's').read()).messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
});

it('answers the open calls of an interrupted run', async () => {
  const call = { type: 'tool-call' as const, toolCallId: 'a', toolName: 'note', input: {} };
  const session = openSession(store, 's');
  await session.save([
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [call, { ...call, toolCallId: 'b' }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'b', toolName: 'note', output: { type: 'text', value: 'ok' } }],
    },
  ]);
  expect((await session.read()).messages.at(-1)).toMatchObject({
    role: 'tool',
    content: [
      { toolCallId: 'a', output: { type: 'error-text', value: expect.stringContaining('interrupted') } },
      { toolCallId: 'b', output: { type: 'text', value: 'ok' } },
    ],
  });
});

it('summarizes a history over its budget and keeps calls and results together', async () => {
  const long = 'word '.repeat(300);
  const steps = Array.from({ length: 12 }, () => ({ text: long, calls: [{ name: 'note', input: { text: 'x' } }] }));
  const prompts: string[][] = [];
  // The model is also asked for a summary; that request has no tools.
  const model = scriptedModel(
    Array.from({ length: 40 }, () => ({ tools, options }) => {
      if (tools.length === 0) return 'The user wants notes.';
      prompts.push(options.prompt.map(({ role }) => role));
      const calls = new Set<string>();
      for (const message of options.prompt) {
        if (message.role === 'assistant')
          for (const part of message.content) if (part.type === 'tool-call') calls.add(part.toolCallId);
        if (message.role === 'tool')
          for (const part of message.content)
            if (part.type === 'tool-result') expect(calls.delete(part.toolCallId)).toBe(true);
      }
      expect(calls.size).toBe(0);
      return steps[prompts.length - 1] ?? 'done';
    }),
  );
  const removed: number[] = [];
  const result = await runAgent(agentOf(model, { historyTokens: 1500 }), 'Take notes', {
    board,
    session: openSession(store, 'long'),
    onEvent: (event) => event.type === 'compacted' && removed.push(event.removed),
  });
  expect(result).toMatchObject({ ok: true, text: 'done' });
  expect(removed.length).toBeGreaterThan(1);
  expect(Math.max(...prompts.map(({ length }) => length))).toBeLessThan(12);
  const { messages: kept } = await openSession(store, 'long').read();
  expect(kept[0]).toEqual({ role: 'user', content: 'Summary of the conversation so far:\n\nThe user wants notes.' });
  expect(kept[1]).toEqual({ role: 'user', content: 'Take notes' });
});

it('continues without a summary when the model cannot write one', async () => {
  const messages = Array.from({ length: 10 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: 'x'.repeat(2000),
  }));
  const model = scriptedModel([new Error('no'), 'done']);
  const result = await runAgent(agentOf(model, { historyTokens: 2000 }), 'go', { messages });
  expect(result.text).toBe('done');
  expect(JSON.stringify(model.requests[1]?.options.prompt)).toContain('Earlier messages are no longer available.');
});
