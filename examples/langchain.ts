// A board in a real LangChain agent. Only the model is a fake: it asks for two tools, then answers.
import assert from 'node:assert/strict';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { createAgent } from 'langchain';
import { z } from 'zod';
import { defineTool, ToolRegistry } from '../src/index.ts';

const rooms = [
  { room: 'Elm', seats: 4 },
  { room: 'Oak', seats: 12 },
];

const findRoom = defineTool({
  name: 'find_room',
  description: 'Find meeting rooms with enough seats.',
  schema: z.object({ seats: z.int().min(1) }),
  execute: ({ seats }) => rooms.filter((room) => room.seats >= seats),
});
const bookRoom = defineTool({
  name: 'book_room',
  description: 'Book a meeting room.',
  risk: 'write',
  schema: z.object({ room: z.enum(['Elm', 'Oak']), from: z.iso.time() }),
  execute: ({ room, from }, context) => `${room} is booked from ${from} for ${context.getMeta('user', 'somebody')}`,
});

const board = new ToolRegistry().registerMany([findRoom, bookRoom]);
board.executor.on('call:finished', ({ tool, result }) =>
  console.log(`[audit] ${tool} ${result.ok ? 'ok' : result.error.code}`),
);

const model = fakeModel()
  .respondWithTools([{ name: 'find_room', args: { seats: '10' }, id: 'call_1' }])
  .respondWithTools([{ name: 'book_room', args: { room: 'Maple', from: '14:00' }, id: 'call_2' }])
  .respondWithTools([{ name: 'book_room', args: { room: 'Oak', from: '14:00' }, id: 'call_3' }])
  .respond(new AIMessage('Oak is yours at two.'));

const agent = createAgent({ model, tools: board.toLangChainTools() });
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: 'A room for ten at two, please.' }] },
  { configurable: { user: 'Ada' } },
);

// "10" was repaired to 10; "Maple" was refused with a list of the rooms, and the model corrected itself.
const answers = messages.filter((message) => ToolMessage.isInstance(message));
for (const { status, text } of answers) console.log(`\n${status ?? 'success'}: ${text}`);
console.log(`\n${messages.at(-1)?.text}`);

assert.deepEqual(
  answers.map((message) => message.status),
  ['success', 'error', 'success'],
);
assert.equal(answers[0]?.text, '[{"room":"Oak","seats":12}]');
assert.match(answers[1]?.text ?? '', /room: .*"Elm"\|"Oak"/);
assert.equal(answers[2]?.text, 'Oak is booked from 14:00 for Ada');
