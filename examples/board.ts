// One board, nine tools: find them, make valid and invalid calls, watch the calls, pass the tools to a model.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CallOptions, toOpenAITools, ToolRegistry, type ToolResult } from '../src/index.ts';
import { bakeryTools } from './board/bakery-tools.ts';
import { bad, dim, good, printColumns, printHeading, printWrapped, strong } from './board/terminal.ts';

const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
await writeFile(join(folder, 'menu.txt'), 'Rye bread   4.20\nCroissant   1.90\nCarrot cake 3.80\n');
await writeFile(join(folder, 'notes.txt'), 'Order flour on Friday\nCarrot cake sells out by noon\n');
const database = new DatabaseSync(':memory:');
database.exec(`create table orders (customer text, item text, total real);
  insert into orders values ('Ada', 'Rye bread', 8.4), ('Ada', 'Carrot cake', 45.6), ('Grace', 'Croissant', 19)`);

const board = new ToolRegistry().registerMany(bakeryTools(folder, database));

const trail: string[][] = [];
board.executor.hooks.after(({ tool, args, result }) => {
  trail.push([tool.metadata.name, result.ok ? 'ok' : result.error.code, JSON.stringify(args)]);
});

async function call(name: string, args: object, options?: CallOptions): Promise<ToolResult> {
  const result = await board.call(name, args, options);
  console.log(`${result.ok ? good('✓') : bad('✗')} ${strong(name)} ${dim(JSON.stringify(args))}`);
  printWrapped(result.text, '  ');
  for (const notice of result.meta.notices ?? []) printWrapped(notice, '  ! ');
  return result;
}

printHeading('The board');
for (const [category, tools] of Map.groupBy(board.getAll(), (tool) => tool.metadata.category ?? 'other')) {
  console.log(dim(category));
  printColumns(
    tools.map(({ metadata, inputSchema }) => {
      const required = new Set(Array.isArray(inputSchema['required']) ? inputSchema['required'] : []);
      const names = Object.keys(inputSchema['properties'] ?? {}).map((key) => (required.has(key) ? key : `${key}?`));
      const note = metadata.deprecated === true ? ` (deprecated: use ${metadata.replacedBy})` : '';
      return [metadata.name.padEnd(13), names.join(', ').padEnd(20), metadata.description + note];
    }),
  );
}

printHeading('Search');
for (const query of ['text', 'orders', 'CHECKSUM']) {
  printColumns([
    [
      query.padEnd(8),
      board
        .search(query)
        .map((tool) => tool.metadata.name)
        .join(', '),
    ],
  ]);
}

printHeading('Calls');
await call('read_file', { path: 'menu.txt', lines: 2 });
const found = await call('find_in_files', { text: 'Carrot' });
const orders = await call('query_orders', { customer: 'Ada', min_total: '20' }, { coerce: true });
const price = await call('format_money', { amount: 45.6, currency: 'EUR' });
const time = await call('local_time', { at: '2026-05-01T06:30:00Z', zone: 'Asia/Tokyo' });
await call('write_file', { path: 'order.txt', text: '12 kg of flour' });
const old = await call('md5_text', { text: 'sourdough' });

printHeading('Wrong calls are answered with what to change');
const wrong = await call('read_file', { path: 'menu.txt', lines: 'all' });
const several = await call('hash_text', { txt: 'sourdough', algorithm: 'sha1' });
const unknown = await call('find_file', { text: 'Carrot' });
const outside = await call('read_file', { path: '../secrets.txt' });
const late = await call('wait_for_file', { path: 'delivery.txt' });

printHeading('What the audit hook saw: every call that reached a tool, defaults filled in');
printColumns(trail);

printHeading('As text for a system prompt');
console.log(board.generatePrompt({ categories: ['file-system'], includeExamples: true, includeNotes: true }));

printHeading('As an OpenAI tool');
const [definition] = toOpenAITools(board.only(['hash_text'])).tools;
console.dir(definition, { depth: null });

printHeading('Try next');
printColumns([
  ['npx node examples/yaml-board.ts', 'tools written as YAML: a dry run and real calls'],
  ['npx node examples/agent-finds-tools.ts', 'an agent that is shown three tools uses any of a thousand'],
  ['npm install pegboard && npx pegboard init', 'a board of your own, in a folder of your own'],
]);
console.log('\n  docs/start has your first ten minutes, and examples/README.md lists all examples.');

await rm(folder, { recursive: true });

assert.equal(found.text, 'menu.txt:3: Carrot cake 3.80\nnotes.txt:2: Carrot cake sells out by noon');
assert.equal(orders.text, '[{"item":"Carrot cake","total":45.6}]');
assert.equal(price.text, '€45.60');
assert.match(time.text, /Friday.*15:30/);
assert.deepEqual(old.meta.notices, ['Tool "md5_text" is deprecated: use "hash_text" instead.']);
assert.equal(wrong.error?.field, 'lines');
assert.equal(several.error?.issues.length, 3);
assert.match(unknown.text, /Did you mean: .*find_in_files/);
assert.equal(outside.error?.code, 'permission_denied');
assert.equal(late.error?.code, 'timeout');
assert.equal(trail.length, 9);
assert.equal(definition?.function.name, 'hash_text');
