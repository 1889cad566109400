import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { defineAgent } from '../define/define-agent.ts';
import { runAgent } from './run-agent.ts';
import type { ToolPick } from '../define/agent.ts';
import type { RunOptions } from '../define/run-options.ts';
import type { Tool } from '../../tool/tool.ts';

async function approvals(approve: RunOptions['approve'], by: unknown = 3): Promise<{ ran: string[]; told: string[] }> {
  const ran: string[] = [];
  const board = new ToolRegistry().registerMany([
    defineTool({
      name: 'look',
      description: 'Look.',
      risk: 'read',
      schema: z.object({}),
      execute: () => void ran.push('look'),
    }),
    defineTool({
      name: 'drop',
      description: 'Drop.',
      risk: 'destructive',
      schema: z.object({ by: z.int() }),
      execute: ({ by: count }) => void ran.push(`drop ${count}`),
    }),
  ]);
  const model = scriptedModel([{ calls: [{ name: 'look' }, { name: 'drop', input: { by } }] }, 'done']);
  await runAgent(defineAgent({ name: 'a', model, approval: 'write' }), 'go', { board, approve });
  return { ran, told: (model.requests[1]?.results ?? []).map(({ text }) => text.split('.')[0] ?? '') };
}

it('asks a person about calls that may change things, in plain words', async () => {
  const asked: string[] = [];
  const { ran } = await approvals((request) => {
    asked.push(`${request.tool} ${request.risk} ${JSON.stringify(request.args)}`);
    return true;
  }, '3');
  expect(asked).toEqual(['drop destructive {"by":3}']);
  expect(ran).toEqual(['look', 'drop 3']);
});

it('tells the model when a person denies a call or nobody can be asked', async () => {
  expect(await approvals(() => false)).toEqual({
    ran: ['look'],
    told: ['(no output)', 'The user was asked about this call of "drop" and said no'],
  });
  expect((await approvals(undefined)).told[1]).toBe(
    'A person must approve calls of "drop" (risk: destructive), and no one can be asked here',
  );
});

it('asks nobody about a call that could not run anyway', async () => {
  const asked: string[] = [];
  const { told } = await approvals(({ tool }) => asked.push(tool) > 0, 'many');
  expect(asked).toEqual([]);
  expect(told[1]).toContain('Invalid arguments for "drop"');
});

it('asks nobody about delegating to a read-only agent, but asks about one that can write', async () => {
  const tool = (name: string, more: object): Tool =>
    defineTool({
      name,
      description: 'x',
      schema: z.object({ all: z.boolean().optional() }),
      execute: () => name,
      ...more,
    });
  const board = new ToolRegistry().registerMany([
    tool('look', { risk: 'read' }),
    tool('list', { risk: 'read', argumentRisks: { all: 'write' } }),
    tool('drop', { risk: 'destructive' }),
  ]);
  const task = async (tools: readonly ToolPick[], below: readonly ToolPick[] = ['look']): Promise<string[]> => {
    const asked: string[] = [];
    const lowest = defineAgent({ name: 'lowest', model: scriptedModel(['ok']), tools: below });
    const helper = defineAgent({ name: 'helper', model: scriptedModel(['ok']), tools, agents: [lowest] });
    const model = scriptedModel([{ calls: [{ name: 'helper', input: { task: 'x' } }] }, 'done']);
    const boss = defineAgent({ name: 'boss', model, approval: 'write', tools: ['look'], agents: [helper] });
    await runAgent(boss, 'go', { board, approve: (request) => asked.push(`${request.tool} ${request.risk}`) > 0 });
    return asked;
  };
  expect(await task(['look'])).toEqual([]);
  expect(await task([{ risk: 'read' }])).toEqual([]);
  // With one of its arguments it writes.
  expect(await task(['list'])).toEqual(['helper write']);
  expect(await task(['drop'])).toEqual(['helper write']);
  expect(await task(['look'], ['drop'])).toEqual(['helper write']);
});
