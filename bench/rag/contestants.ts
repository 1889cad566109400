import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect, Index } from '@lancedb/lancedb';
import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';
import { STOP_WORDS } from '../../src/text/stop-words.ts';
import { type Given, type Opened, textOf } from './contestant.ts';
import { openOwn } from './own-store.ts';

/** Every way that is compared. */
export const CONTESTANTS: Readonly<Record<string, (given: Given) => Promise<Opened>>> = {
  MiniSearch: openMiniSearch,
  Orama: openOrama,
  'LanceDB, full text': (given) => openLance(given, 'words'),
  'FTS5, plain': (given) => openFts5(given, { tokenizer: 'unicode61', stop: new Set() }),
  'FTS5, porter and stop words': (given) => openFts5(given, { tokenizer: 'porter unicode61', stop: STOP_WORDS }),
  'Pegboard, words': (given) => openOwn(given, 'words'),
  'LanceDB, vectors': (given) => openLance(given, 'vectors'),
  'Pegboard, vectors': (given) => openOwn(given, 'vectors'),
  'LanceDB, hybrid (its rank fusion)': (given) => openLance(given, 'hybrid'),
  'Pegboard, hybrid': (given) => openOwn(given, 'hybrid'),
};

const LIMIT = 100;

async function openMiniSearch({ set }: Given): Promise<Opened> {
  const mini = new MiniSearch({ fields: ['text'] });
  mini.addAll(set.documents);
  return {
    search: (query) =>
      mini
        .search(textOf(set, query))
        .slice(0, LIMIT)
        .map(({ id }: { id: unknown }) => String(id)),
  };
}

async function openOrama({ set }: Given): Promise<Opened> {
  const orama = create({ schema: { id: 'string', text: 'string' } as const });
  await insertMultiple(
    orama,
    set.documents.map(({ id, text }) => ({ id, text })),
  );
  return {
    async search(query) {
      const { hits } = await search(orama, { term: textOf(set, query), properties: ['text'], limit: LIMIT });
      return hits.map(({ document }: { document: { id: string } }) => document.id);
    },
  };
}

async function openFts5(
  { set, folder }: Given,
  options: { tokenizer: string; stop: ReadonlySet<string> },
): Promise<Opened> {
  const database = new DatabaseSync(join(folder, 'fts.db'));
  database.exec(
    `pragma journal_mode = wal; create virtual table docs using fts5(id unindexed, text, tokenize='${options.tokenizer}')`,
  );
  const insert = database.prepare('insert into docs values (?, ?)');
  database.exec('begin');
  for (const { id, text } of set.documents) insert.run(id, text);
  database.exec('commit');
  const find = database.prepare('select id from docs where docs match ? order by rank limit ?');
  return {
    search(query) {
      const words =
        textOf(set, query)
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu) ?? [];
      const asked = words.filter((word) => !options.stop.has(word)).map((word) => `"${word}"`);
      return asked.length === 0 ? [] : find.all(asked.join(' OR '), LIMIT).map(({ id }) => String(id));
    },
    close: () => database.close(),
  };
}

async function openLance({ set, vectors, folder }: Given, by: 'words' | 'vectors' | 'hybrid'): Promise<Opened> {
  const database = await connect(join(folder, 'lance'));
  const rows = set.documents.map(({ id, text }, row) => ({
    id,
    text,
    vector: Array.from(vectors.documents[row] ?? []),
  }));
  const table = await database.createTable('docs', rows);
  if (by !== 'vectors') await table.createIndex('text', { config: Index.fts() });
  return {
    async search(query) {
      const vector = vectors.queries[query] ?? new Float32Array();
      const text = textOf(set, query);
      const asked =
        by === 'words'
          ? table.query().fullTextSearch(text)
          : by === 'vectors'
            ? table.vectorSearch(vector)
            : table.query().nearestTo(vector).fullTextSearch(text);
      // Asked for by name where it can be: LanceDB warns of each query that leaves them out.
      const columns = { words: ['id', '_score'], vectors: ['id', '_distance'], hybrid: ['id'] }[by];
      return (await asked.select(columns).limit(LIMIT).toArray()).map((row: { id: string }) => row.id);
    },
  };
}

/** Returns the size of a folder in bytes. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
