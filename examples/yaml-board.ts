// Tools written as YAML around command lines and requests, opened as a board.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openBoard } from '../src/index.ts';

const board = await openBoard(join(import.meta.dirname, 'yaml/pegboard.yaml'));
for (const { name, description } of board.registry.list()) console.log(`${name.padEnd(16)} ${description}`);

// Shows the command that a call would start, without starting it: a value is one element, and none can be read as a flag.
const { steps } = await board.dryRun('recent_commits', { count: 2, author: '--all' });
console.log(`\n${JSON.stringify(steps[0], undefined, 2)}`);

const found = await board.call('find_text', { text: 'a text that stands in this file only' });
console.log(`\n${found.text}`);
const nothing = await board.call('find_text', { text: ['not', 'in', 'any', 'file', '9f3'].join('-') });
console.log(nothing.text);
await board.close();

assert.deepEqual(steps[0]?.type === 'command' && steps[0].argv.slice(3), ['-n', '2', '--author=--all']);
assert.equal(found.ok, true);
assert.equal(nothing.text, '[exit code 1: nothing found]');
