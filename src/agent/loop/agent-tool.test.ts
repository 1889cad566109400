import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import type { AgentEvent } from './agent-result.ts';
import { defineAgent } from '../define/define-agent.ts';
import { agentAsTool, runAgent } from './run-agent.ts';

const board = new ToolRegistry().register(
  defineTool({
    name: 'look_up',
    description: 'Look up.',
    schema: z.object({ word: z.string() }),
    execute: ({ word }) => `${word}: a thing`,
  }),
);

it('delegates to another agent, whose events and tokens count', async () => {
  const helper = defineAgent({
    name: 'researcher',
    description: 'Finds things out.',
    model: scriptedModel([
      { calls: [{ name: 'look_up', input: { word: 'peg' } }] },
      ({ results }) => `Found: ${results[0]?.text}`,
    ]),
  });
  const lead = scriptedModel([
    { calls: [{ name: 'researcher', input: { task: 'What is a peg?' } }] },
    ({ results }) => String(results[0]?.text),
  ]);
  const events: AgentEvent[] = [];
  const agent = defineAgent({ name: 'lead', model: lead, tools: [], agents: [helper] });
  const result = await runAgent(agent, 'go', { board, onEvent: (event) => events.push(event) });
  expect(result.text).toBe('Found: peg: a thing');
  expect(lead.requests[0]?.tools).toEqual(['researcher']);
  expect(result.usage.totalTokens).toBe(60);
  expect(events.filter(({ type }) => type === 'call-end').map(({ agent: name }) => name)).toEqual([
    'researcher',
    'lead',
  ]);
});

it('rejects cycles of agents', async () => {
  const tools = new ToolRegistry();
  const echo = (name: string, other: string) =>
    defineAgent({
      name,
      model: scriptedModel([
        { calls: [{ name: other, input: { task: 'your turn' } }] },
        ({ results }) => String(results[0]?.text),
      ]),
    });
  const [one, two] = [echo('one', 'two'), echo('two', 'one')];
  tools.registerMany([agentAsTool(one, { board: tools }), agentAsTool(two, { board: tools })]);
  // The caller is known although a hook replaced the metadata.
  tools.executor.hooks.before(({ context }) => ({ context: context.withMetadata({ tenant: 'acme' }) }));
  const result = await runAgent(one, 'go', { board: tools });
  expect(result.text).toBe('"one" is already working on this (one → two → one). Do this part yourself.');
});

it('limits the depth of delegation', async () => {
  const tools = new ToolRegistry();
  const names = ['a', 'b', 'c', 'd'];
  const agents = names.map((name, index) =>
    defineAgent({
      name,
      model: scriptedModel([
        { calls: [{ name: names[index + 1] ?? 'a', input: { task: 'go on' } }] },
        ({ results }) => String(results[0]?.text),
      ]),
    }),
  );
  tools.registerMany(agents.map((agent) => agentAsTool(agent, { board: tools })));
  const [first] = agents;
  if (first === undefined) throw new Error('no agent');
  const result = await runAgent(first, 'go', { board: tools, maxDepth: 2 });
  expect(result.text).toBe('Tasks may be delegated 2 times (a → b → c → d). Do this part yourself.');
});

it('returns the failure of a sub-agent as a result', async () => {
  const helper = defineAgent({
    name: 'helper',
    maxSteps: 1,
    model: scriptedModel([{ text: 'Hm.', calls: [{ name: 'look_up', input: { word: 'x' } }] }]),
  });
  const lead = scriptedModel([
    { calls: [{ name: 'helper', input: { task: 'x' } }] },
    ({ results }) => String(results[0]?.text),
  ]);
  const result = await runAgent(defineAgent({ name: 'lead', model: lead, agents: [helper] }), 'go', { board });
  expect(result.text).toContain('The agent "helper" did not finish: The agent used all of its 1 steps');
  expect(result.text).toContain('Its last message: Hm.');
});
