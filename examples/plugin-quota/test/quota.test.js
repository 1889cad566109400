import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineTool, openBoard } from 'pegboard';
import plugin, { quota } from '../src/index.js';

const hello = defineTool({
  name: 'hello',
  description: 'Say hello',
  schema: { type: 'object' },
  execute: () => 'hello',
});

test('counts calls, and refuses those above the limit', async () => {
  const board = await openBoard({ tools: [hello], plugins: [plugin], sections: { quota: { calls_per_day: 2 } } });
  const outcomes = [];
  for (let calls = 0; calls < 3; calls++) outcomes.push(await board.call('hello'));
  assert.deepEqual(
    outcomes.map((result) => (result.ok ? result.text : result.error.code)),
    ['hello', 'hello', 'permission_denied'],
  );
  const api = board.feature(quota);
  assert.deepEqual(await api?.today(), [{ caller: 'the board itself', calls: 2, limit: 2 }]);
  await board.close();
});
