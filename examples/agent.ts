// An agent on a large board: it searches for tools, is refused, asks a person, and continues after a restart.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineAgent, openSession, runAgent, streamAgent } from '../src/agent.ts';
import { defineTool, openBoard } from '../src/index.ts';
import { scriptedModel } from '../src/testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-example-'));
const board = await openBoard(join(import.meta.dirname, 'yaml/pegboard.yaml'), { data: folder });

// More tools than can be shown: a drawer for each letter and week, and one useful tool.
board.registry.registerMany(
  Array.from({ length: 50 }, (_, week) =>
    defineTool({
      name: `archive_week_${week}`,
      description: `Read the archive of week ${week}.`,
      risk: 'read',
      schema: z.object({}),
      execute: () => `Nothing happened in week ${week}.`,
    }),
  ),
);
board.registry.register(
  defineTool({
    name: 'water_plants',
    description: 'Water the plants in the office.',
    risk: 'write',
    schema: z.object({ litres: z.number().positive().max(10) }),
    execute: ({ litres }) => `The plants got ${litres} l.`,
  }),
);

const model = scriptedModel([
  { calls: [{ name: 'search_tools', input: { query: 'water the plants', limit: 1 } }] },
  { calls: [{ name: 'water_plants', input: { litres: 50 } }] },
  { calls: [{ name: 'water_plants', input: { litres: '5' } }] },
  ({ results }) => `Done: ${results[0]?.text}`,
]);
const asked: string[] = [];
const gardener = defineAgent({ name: 'gardener', model, system: 'You look after the office.', approval: 'write' });

const stream = streamAgent(gardener, 'Please water the plants', {
  board,
  session: openSession(board.store, 'office'),
  approve: ({ message }) => asked.push(message) > 0,
});
for await (const event of stream) {
  if (event.type === 'tools-added') console.log(`found   ${event.tools.join(', ')}`);
  if (event.type === 'call-end')
    console.log(`${event.result.ok ? 'ok     ' : 'refused'} ${event.tool} ${JSON.stringify(event.input)}`);
}
const first = await stream.result;
console.log(first.text);
assert.equal(first.outcome, 'completed');
assert.equal(first.text, 'Done: The plants got 5 l.');
assert.deepEqual(model.requests[0]?.tools, ['search_tools']);
assert.deepEqual(model.requests[1]?.tools, ['search_tools', 'water_plants']);
// Only the call that could run was asked about, with the text "5" repaired to 5.
assert.equal(asked.length, 1);
assert.match(asked[0] ?? '', /water_plants.*\n  litres: 5$/s);

// The store is closed and opened again, as after a restart; it still has the conversation.
await board.close();
const again = await openBoard(join(import.meta.dirname, 'yaml/pegboard.yaml'), { data: folder });
const later = scriptedModel([({ options }) => `We have exchanged ${options.prompt.length - 1} messages.`]);
const second = await runAgent({ ...gardener, model: later, tools: [] }, 'What did we say?', {
  board: again,
  session: openSession(again.store, 'office'),
});
console.log(second.text);
assert.equal(second.text, 'We have exchanged 9 messages.');
await again.close();
rmSync(folder, { recursive: true, force: true });
