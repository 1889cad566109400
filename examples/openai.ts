// A board and OpenAI: definitions out, a response with two calls in, tool messages back.
// The response is made up; with the `openai` package it is what `chat.completions.create` returns.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineTool, parseOpenAICalls, toOpenAIToolMessages, toOpenAITools, ToolRegistry } from '../src/index.ts';

const orders: Record<string, string> = { 'A-17': 'shipped on Monday', 'A-18': 'waiting for payment' };

const orderStatus = defineTool({
  name: 'orders.status',
  description: 'Tell where an order is.',
  schema: z.object({ order: z.string().describe('Order number, for example A-17') }),
  execute: ({ order }) => orders[order] ?? `No order ${order}. Known orders: ${Object.keys(orders).join(', ')}.`,
});
const board = new ToolRegistry().register(orderStatus);

const exported = toOpenAITools(board);
console.log('What OpenAI gets:');
console.dir(exported.tools, { depth: null });
console.log(`What had to change:\n  ${exported.report.toString()}`);

// OpenAI takes no dots in names, so the model calls orders_status. One of the two calls is cut off.
const completion = {
  choices: [
    {
      message: {
        role: 'assistant',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'orders_status', arguments: '{"order":"A-17"}' } },
          { id: 'call_2', type: 'function', function: { name: 'orders_status', arguments: '{"order":"A-1' } },
        ],
      },
    },
  ],
};

const calls = parseOpenAICalls(completion, exported);
const results = await board.callAll(calls);
const messages = toOpenAIToolMessages(calls, results);
console.log('What goes back:');
console.dir(messages, { depth: null });

assert.equal(exported.tools[0]?.function.name, 'orders_status');
assert.deepEqual(
  calls.map(({ id, name }) => [id, name]),
  [
    ['call_1', 'orders.status'],
    ['call_2', 'orders.status'],
  ],
);
assert.deepEqual(messages[0], { role: 'tool', tool_call_id: 'call_1', content: 'shipped on Monday' });
assert.equal(results[1]?.error?.code, 'invalid_arguments');
assert.match(messages[1]?.content ?? '', /are not valid JSON/);
