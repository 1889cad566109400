// Stores documents one by one, and prints each id once it is acknowledged: node store-many.test-helper.ts FILE NAME
// COUNT
import { writeSync } from 'node:fs';
import { openSqliteStore } from './sqlite-store.ts';

const [file = '', name = '', count = '0'] = process.argv.slice(2);
const store = openSqliteStore({ file });
const embedding = { embedder: 'test', dimension: 16, distance: 'cosine' } as const;
await store.ensureCollection('notes', embedding);
for (let n = 0; n < Number(count); n++) {
  const chunks = [0, 1, 2].map((part) => ({
    text: `word${n} common part${part} of ${name}`,
    headings: [],
    lines: undefined,
    embedding: Float32Array.from({ length: 16 }, (_, place) => Math.sin(n * 16 + place + part)),
  }));
  const facts = { contentHash: `${n}`, type: 'general', tags: ['x'], sourcePath: undefined, stamp: undefined };
  await store.upsert('notes', [{ id: `${name}-${n}`, ...facts, chunks }]);
  // Unbuffered: the output survives when this process is killed next.
  writeSync(1, `${name}-${n}\n`);
}
await store.close();
