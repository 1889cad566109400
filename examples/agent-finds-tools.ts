// An agent that is shown three tools finds and calls any of a thousand. The "model" below is a script; everything else is real.
import assert from 'node:assert/strict';
import { createDiscoveryTools, createTokenLedger, defineTool, ToolIndex, ToolRegistry } from '../src/index.ts';

const shelves = new Map([['flour', 12]]);
const board = new ToolRegistry();
for (let number = 0; number < 998; number++) {
  board.register(
    defineTool({
      name: `archive_${number}`,
      description: `Reads page ${number} of the archive of the town council.`,
      source: 'archive',
      schema: { type: 'object', properties: { line: { type: 'integer', description: 'The first line to read' } } },
      execute: () => 'an old page',
    }),
  );
}
board.registerMany([
  defineTool({
    name: 'stock_level',
    description: 'Tells how much of an ingredient is in store.',
    source: 'bakery',
    risk: 'read',
    schema: { type: 'object', properties: { ingredient: { type: 'string' } }, required: ['ingredient'] },
    execute: ({ ingredient }) => `${shelves.get(ingredient) ?? 0} kg of ${ingredient}`,
  }),
  defineTool({
    name: 'order_ingredient',
    description: 'Orders an ingredient from the mill.',
    source: 'bakery',
    risk: 'write',
    schema: {
      type: 'object',
      properties: { ingredient: { type: 'string' }, kilograms: { type: 'integer', minimum: 1, maximum: 50 } },
      required: ['ingredient', 'kilograms'],
    },
    execute: ({ ingredient, kilograms }) => `ordered ${kilograms} kg of ${ingredient}`,
  }),
]);
board.registerMany(createDiscoveryTools({ registry: board, index: ToolIndex.from(board) }));

const calls: string[] = [];
board.executor.on('call:finished', ({ tool, result }) => calls.push(`${tool} ${result.ok ? 'ok' : result.error.code}`));

async function turn(name: string, input: Record<string, unknown>): Promise<string> {
  const { text } = await board.call(name, input);
  console.log(`\n> ${name} ${JSON.stringify(input)}\n${text}`);
  return text;
}

// One search for the whole task, one query for each step of it.
const found = await turn('search_tools', { queries: ['how much flour is left', 'order more of it'], limit: 1 });
const level = await turn('call_tool', { name: 'stock_level', arguments: { ingredient: 'flour' } });
// A wrong name and wrong arguments are answered with what the next call needs.
const missed = await turn('call_tool', { name: 'orderIngredients', arguments: '{"ingredient": "flour"}' });
const refused = await turn('call_tool', { name: 'order_ingredient', arguments: { ingredient: 'flour', kg: 20 } });
const ordered = await turn('call_tool', {
  name: 'order_ingredient',
  arguments: { ingredient: 'flour', kilograms: 20 },
});

const [classic, discovery] = createTokenLedger(board).modes;
console.log(`\nIn the prompt: ${discovery?.tokens.mcp} tokens instead of ${classic?.tokens.mcp}`);
console.log(`What the board saw: ${calls.join(', ')}`);

assert.match(found, /^1\. how much flour is left\nstock_level\(ingredient: string\)/);
assert.match(found, /\norder_ingredient\(ingredient: string, kilograms: integer\)/);
assert.equal(level, '12 kg of flour');
assert.match(missed, /Nearest:\norder_ingredient\(ingredient: string, kilograms: integer\)/);
assert.match(refused, /Signature: order_ingredient\(ingredient: string, kilograms: integer\)$/);
assert.equal(ordered, 'ordered 20 kg of flour');
assert.ok((discovery?.tokens.mcp ?? Infinity) < 700);
assert.ok((classic?.tokens.mcp ?? 0) > 40_000);
assert.deepEqual(calls, [
  'search_tools ok',
  'stock_level ok',
  'orderIngredients not_found',
  'order_ingredient invalid_arguments',
  'order_ingredient ok',
]);
