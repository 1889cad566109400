import {
  chunkId,
  type KnowledgeDocument,
  type LineRange,
  parseChunkId,
  type SearchHit,
  type StoredChunk,
  type StoredDocument,
} from '../../vector-store.ts';
import type { Row, Statements } from './connection.ts';
import type { NumberedScore } from '../scoring/top-scores.ts';

const DOCUMENT_OF =
  'select id, first, count from documents where collection = ? and first <= ? order by first desc limit 1';

/** Converts the numbers of found chunks to ids; skips chunks without a document. */
export function toHits(connection: Statements, collection: number, best: readonly NumberedScore[]): SearchHit[] {
  return best.flatMap(({ key: number, score }) => {
    const row = connection.get(DOCUMENT_OF, collection, number);
    const position = number - Number(row?.['first']);
    return row !== undefined && position < Number(row['count'])
      ? [{ chunkId: chunkId(String(row['id']), position), score }]
      : [];
  });
}

export function readChunks(connection: Statements, collection: number, ids: readonly string[]): StoredChunk[] {
  return ids.flatMap((id) => {
    const { documentId, position } = parseChunkId(id);
    if (!Number.isInteger(position)) return [];
    const row = connection.get(
      `select documents.*, chunks.* from documents join chunks on number = first + ?
        where collection = ? and id = ? and ? < count`,
      position,
      collection,
      documentId,
      position,
    );
    if (row === undefined) return [];
    const { contentHash, type, tags, sourcePath } = toDocument(row);
    return [{ id, documentId, position, ...toChunk(row), contentHash, type, tags, sourcePath }];
  });
}

export function readNumbers(connection: Statements, collection: number, ids: readonly string[]): number[] {
  return ids.flatMap((id) => {
    const { documentId, position } = parseChunkId(id);
    const sql = 'select first, count from documents where collection = ? and id = ?';
    const row = connection.get(sql, collection, documentId);
    return row === undefined || !(position < Number(row['count'])) ? [] : [Number(row['first']) + position];
  });
}

export function toDocument(row: Row): StoredDocument {
  return {
    id: String(row['id']),
    contentHash: String(row['hash']),
    type: String(row['type']),
    tags: JSON.parse(String(row['tags'])),
    sourcePath: row['path'] === null ? undefined : String(row['path']),
    stamp: row['stamp'] === null ? undefined : String(row['stamp']),
    chunkCount: Number(row['count']),
  };
}

export function readWhole(connection: Statements, row: Row): KnowledgeDocument {
  const { chunkCount, ...facts } = toDocument(row);
  const first = Number(row['first']);
  const rows = connection.all(
    `select chunks.*, vector from chunks left join vectors using (number)
      where chunks.number >= ? and chunks.number < ? order by number`,
    first,
    first + chunkCount,
  );
  return { ...facts, chunks: rows.map((chunk) => ({ ...toChunk(chunk), embedding: toVector(chunk['vector']) })) };
}

/** Copies the numbers of a blob, because SQLite's memory need not be aligned. */
export function toVector(blob: unknown): Float32Array | undefined {
  return blob instanceof Uint8Array ? new Float32Array(blob.slice().buffer) : undefined;
}

function toChunk(row: Row): { text: string; headings: string[]; lines: LineRange | undefined } {
  const { line_from: from, line_to: to } = row;
  return {
    text: String(row['text']),
    headings: JSON.parse(String(row['headings'])),
    lines: from === null || to === null ? undefined : { from: Number(from), to: Number(to) },
  };
}
