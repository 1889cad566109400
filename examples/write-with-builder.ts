// A tool written step by step. Each step is typed by the ones before it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { createTool, ToolCategory, ToolRegistry } from '../src/index.ts';

const readLines = createTool()
  .name('read_lines')
  .description('Read some lines of a text file.')
  .category(ToolCategory.FILE_SYSTEM)
  .tags(['file', 'text'])
  .schema(z.object({ path: z.string(), from: z.int().min(1).default(1), count: z.int().max(200).default(20) }))
  .example({ description: 'The first three lines', input: { path: 'notes.txt', count: 3 } })
  .implement(async ({ path, from, count }) => {
    const lines = (await readFile(path, 'utf8')).split('\n');
    return lines.slice(from - 1, from - 1 + count).join('\n');
  })
  .build();

// Directly: typed input, typed output, throws when something is wrong.
const firstLine = await readLines.execute({ path: import.meta.filename, count: 1 });
console.log(firstLine);

// On a board: never throws, and a wrong call is answered with what to change.
const board = new ToolRegistry().register(readLines);
const refused = await board.call('read_lines', { path: import.meta.filename, count: 5000 });
console.log(`\n${refused.text}`);

assert.equal(firstLine, '// A tool written step by step. Each step is typed by the ones before it.');
assert.equal(refused.error?.code, 'invalid_arguments');
assert.equal(refused.error?.field, 'count');
