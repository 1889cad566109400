import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import type { AgentEvent } from './agent-result.ts';
import { defineAgent } from '../define/define-agent.ts';
import { runAgent } from './run-agent.ts';

const THINGS = ['invoice', 'customer', 'shipment', 'warehouse', 'calendar', 'contract'];
const VERBS = ['create', 'delete', 'list', 'archive', 'rename', 'translate', 'print', 'lock', 'merge', 'export'];

/** Sixty tools: every verb with every noun. */
const board = new ToolRegistry().registerMany(
  THINGS.flatMap((thing) =>
    VERBS.map((verb) =>
      defineTool({
        name: `${thing}.${verb}`,
        description: `${verb} a ${thing}`,
        schema: z.object({ id: z.string() }),
        execute: ({ id }) => `${verb} ${thing} ${id}`,
      }),
    ),
  ),
);

it('starts with pinned tools and a search, and appends found tools', async () => {
  const events: AgentEvent[] = [];
  const model = scriptedModel([
    { calls: [{ name: 'search_tools', input: { query: 'archive an invoice', limit: 1 } }] },
    {
      calls: [
        { name: 'invoice_archive', input: { id: '7' } },
        { name: 'search_tools', input: { queries: ['lock a contract', 'print a shipment'], limit: 1 } },
      ],
    },
    { calls: [{ name: 'contract_lock', input: { id: '8' } }] },
    'done',
  ]);
  const agent = defineAgent({ name: 'clerk', model, pinned: ['customer.list'] });
  const result = await runAgent(agent, 'Archive invoice 7, lock contract 8', {
    board,
    onEvent: (event) => events.push(event),
  });
  expect(result.ok).toBe(true);
  expect(model.requests.map(({ tools }) => tools)).toEqual([
    ['search_tools', 'customer_list'],
    ['search_tools', 'customer_list', 'invoice_archive'],
    ['search_tools', 'customer_list', 'invoice_archive', 'contract_lock', 'shipment_print'],
    ['search_tools', 'customer_list', 'invoice_archive', 'contract_lock', 'shipment_print'],
  ]);
  expect(
    result.steps
      .flatMap(({ calls }) => calls.map(({ result: { text } }) => text))
      .filter((text) => /^\w+ \w+ \d$/.test(text)),
  ).toEqual(['archive invoice 7', 'lock contract 8']);
  expect(events.filter(({ type }) => type === 'tools-added')).toEqual([
    { type: 'tools-added', agent: 'clerk', tools: ['invoice.archive'] },
    { type: 'tools-added', agent: 'clerk', tools: ['contract.lock', 'shipment.print'] },
  ]);
  // The provider's cached prefix must stay the same to the last character.
  const tools = model.requests.map(({ options }) => JSON.stringify(options.tools).slice(0, -1));
  expect(tools.every((text, index) => index === 0 || text.startsWith(tools[index - 1] ?? ''))).toBe(true);
});

it('runs a tool called by name without being shown, and shows it from then on', async () => {
  const model = scriptedModel([{ calls: [{ name: 'warehouse_merge', input: { id: '1' } }] }, 'done']);
  const result = await runAgent(defineAgent({ name: 'clerk', model }), 'go', { board });
  expect(result.steps[0]?.calls[0]?.result.text).toBe('merge warehouse 1');
  expect(model.requests[1]?.tools).toEqual(['search_tools', 'warehouse_merge']);
});

it('searches only among the tools of the agent', async () => {
  const model = scriptedModel([{ calls: [{ name: 'search_tools', input: { query: 'archive an invoice' } }] }, 'done']);
  const agent = defineAgent({ name: 'clerk', model, tools: ['contract.*', 'calendar.*'], discovery: 'always' });
  await runAgent(agent, 'go', { board });
  expect(model.requests[1]?.tools).not.toContain('invoice_archive');
  const refused = scriptedModel([{ calls: [{ name: 'invoice_archive', input: { id: '1' } }] }, 'done']);
  await runAgent({ ...agent, model: refused }, 'go', { board });
  expect(refused.requests[1]?.results[0]).toMatchObject({
    isError: true,
    text: expect.stringContaining('There is no tool "invoice_archive".'),
  });
});

it('shows all tools of a small board, and of any board on request', async () => {
  const model = scriptedModel(['done']);
  await runAgent(defineAgent({ name: 'clerk', model, discovery: 'never' }), 'go', { board });
  expect(model.requests[0]?.tools).toHaveLength(60);
});

it('rejects pinned tools that do not exist', async () => {
  const agent = defineAgent({ name: 'clerk', model: scriptedModel([]), pinned: ['customer.lst'] });
  await expect(runAgent(agent, 'go', { board })).rejects.toThrow(
    'asks for the tool "customer.lst", which is not on the board. Did you mean: customer.list',
  );
});

it('also shows tools pinned by the board', async () => {
  const model = scriptedModel(['done']);
  const agent = defineAgent({ name: 'clerk', model, pinned: ['invoice.list'] });
  await runAgent(agent, 'go', { board: { registry: board, pinned: ['calendar.list', 'gone'] } });
  expect(model.requests[0]?.tools).toEqual(['search_tools', 'calendar_list', 'invoice_list']);
});
