// A knowledge base from code: a folder of documents indexed, searched, and added to; all on this machine.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolRegistry } from '../src/index.ts';
import { knowledgeTools, openKnowledge } from '../src/rag.ts';

const root = join(import.meta.dirname, '..');
const data = mkdtempSync(join(tmpdir(), 'pegboard-example-'));
const knowledge = openKnowledge({ data, base: root, collections: { docs: { description: 'How Pegboard is used' } } });

// Indexes files: only new and changed ones are read.
const docs = knowledge.collection('docs');
const first = await docs.index(['docs'], { cwd: root, type: 'reference' });
console.log(`${first.indexed} documents, ${first.chunks} chunks`);
const second = await docs.index(['docs'], { cwd: root, type: 'reference' });
console.log(`${second.unchanged} unchanged, ${second.indexed} indexed again`);

// Finds passages.
const { hits } = await docs.search('which environment variables does a command see', { limit: 3 });
const [best] = hits;
console.log(`\n${best?.sourcePath}:${best?.lines?.from}-${best?.lines?.to} (${best?.headings.join(' > ')})`);

// The same as tools on a board, for an agent.
const board = new ToolRegistry().registerMany(
  knowledgeTools(knowledge, { name: 'docs', description: 'Search and store what the team knows', collection: 'docs' }),
);
console.log(`\n${board.names().join(', ')}`);
const note = 'The staging server is restarted every night at three; deployments started then fail.';
console.log((await board.call('docs-store', { content: note, type: 'convention', tags: 'staging,deploy' })).text);
const found = await board.call('docs-search', { query: 'why do deployments fail at night', tags: ['staging'] });
console.log(`\n${found.text}`);

await knowledge.close();
rmSync(data, { recursive: true });

assert.ok(first.indexed > 10 && first.chunks > first.indexed);
assert.deepEqual([second.indexed, second.unchanged], [0, first.indexed]);
assert.match(best?.sourcePath ?? '', /^docs\//);
assert.ok(found.ok && found.text.includes(note));
