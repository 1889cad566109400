// Models that write programs: in agents of the board, in the AI SDK's and in LangChain's loops.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { ToolLoopAgent } from 'ai';
import { createAgent } from 'langchain';
import { expect, it, onTestFinished } from 'vitest';
import { defineAgent, resumeRun, runAgent } from '../../src/agent.ts';
import { toAiSdkTools } from '../../src/ai-sdk.ts';
import { type Board, defineTool, openBoard, type OpenBoardOptions } from '../../src/index.ts';
import { toLangChainTools } from '../../src/langchain.ts';
import { scriptedModel } from '../../src/testing.ts';

async function open(done: string[], options: Partial<OpenBoardOptions> = {}): Promise<Board> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-agents-code-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const make = (name: string): ReturnType<typeof defineTool> =>
    defineTool({
      name,
      description: `Does ${name}.`,
      risk: 'write',
      schema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      execute({ to }) {
        done.push(`${name} ${to}`);
        return `${name} ${to}`;
      },
    });
  const board = await openBoard({
    data: join(folder, 'data'),
    policy: { approval: { global: 'none', tools: { send: true } } },
    tools: [make('note'), make('send'), make('secret')],
    ...options,
  });
  onTestFinished(() => board.close());
  return board;
}

const CODE = `await tools.note({ to: 'x' });
return (await Promise.all(['a', 'b'].map((to) => tools.send({ to })))).join(', ');`;

it('an agent with code: true writes programs, within its own tools', async () => {
  const done: string[] = [];
  const board = await open(done, { approve: () => true });
  const model = scriptedModel([
    { calls: [{ name: 'run_code', input: { code: CODE } }] },
    { calls: [{ name: 'run_code', input: { code: `return await tools['sec' + 'ret']({ to: 'y' });` } }] },
    'Done.',
  ]);
  const agent = defineAgent({ name: 'coder', model, code: true, tools: ['note', 'send'] });
  const result = await runAgent(agent, 'go', { board });
  expect(result.text).toBe('Done.');
  expect(done).toEqual(['note x', 'send a', 'send b']);
  expect(model.requests[0]?.tools).toEqual(['search_tools', 'run_code']);
  const results = model.requests.flatMap((request) => request.results.map(({ text }) => text));
  expect(results).toEqual(['send a, send b', expect.stringContaining('There is no tool')]);
});

it('a kept run whose program waits for people goes on with it, and does nothing twice', async () => {
  const done: string[] = [];
  const board = await open(done);
  const model = scriptedModel([{ calls: [{ name: 'run_code', input: { code: CODE } }] }, 'Done.']);
  const agent = defineAgent({ name: 'coder', model, code: true });
  const first = await runAgent(agent, 'go', { board, run: 'mails', onApproval: 'suspend' });
  expect(first).toMatchObject({ outcome: 'waiting' });
  expect(done).toEqual(['note x']);
  for (let round = 0; round < 2; round++) {
    for (const { id } of await board.approvals.list()) await board.approvals.answer(id, { allow: true });
  }
  const result = await resumeRun(board, 'mails', { agent });
  expect(result.text).toBe('Done.');
  expect(done).toEqual(['note x', 'send a', 'send b']);
});

it('AI SDK: its own loop with code: true', async () => {
  const done: string[] = [];
  const board = await open(done, { approve: () => true });
  const model = scriptedModel([{ calls: [{ name: 'run_code', input: { code: CODE } }] }, 'Done.']);
  const tools = toAiSdkTools(board, { code: true });
  expect(Object.keys(tools)).toEqual(['search_tools', 'run_code']);
  const { text, steps } = await new ToolLoopAgent({ model, tools }).generate({ prompt: 'go' });
  expect(text).toBe('Done.');
  expect(JSON.stringify(steps[0]?.toolResults)).toContain('send a, send b');
  expect(done).toEqual(['note x', 'send a', 'send b']);
});

it('LangChain: createAgent with code: true, over some of the tools', async () => {
  const done: string[] = [];
  const board = await open(done, { approve: () => true });
  const model = fakeModel()
    .respondWithTools([{ name: 'run_code', args: { code: CODE }, id: 'call_1' }])
    .respondWithTools([
      { name: 'run_code', args: { code: `return await tools['sec' + 'ret']({ to: 'y' })` }, id: 'call_2' },
    ])
    .respond(new AIMessage('Done.'));
  const agent = createAgent({ model, tools: toLangChainTools(board, { code: true, only: ['note', 'send'] }) });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });
  const texts = messages.map((message) => message.text);
  expect(texts).toContain('send a, send b');
  expect(texts.some((text) => text.includes('There is no tool'))).toBe(true);
  expect(done).toEqual(['note x', 'send a', 'send b']);
});
