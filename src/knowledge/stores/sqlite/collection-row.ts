import type { CollectionInfo, Distance, EmbeddingSettings } from '../../vector-store.ts';
import { unknownCollection } from '../collection-errors.ts';
import type { Row, Statements } from './connection.ts';

/** A row of the table of collections. */
export interface CollectionRow {
  readonly key: number;
  readonly info: CollectionInfo;
  readonly documents: number;
  readonly chunks: number;
  /** The number of words in all chunks. */
  readonly words: number;
  readonly changed: number;
  /** Rises with every write. */
  readonly version: number;
  /** The `TERMS_VERSION` its words were read with. */
  readonly terms: number;
}

/** Finds a collection, or throws an error that lists the existing ones. */
export function getCollection(connection: Statements, name: string): CollectionRow {
  const row = findCollection(connection, name);
  if (row !== undefined) return row;
  throw unknownCollection(name, listCollections(connection));
}

export function findCollection(connection: Statements, name: string): CollectionRow | undefined {
  const row = connection.get('select * from collections where name = ?', name);
  return row === undefined ? undefined : toCollection(row);
}

export function listCollections(connection: Statements): CollectionInfo[] {
  return connection.all('select * from collections order by name').map((row) => toCollection(row).info);
}

function toCollection(row: Row): CollectionRow {
  const count = (column: string): number => Number(row[column]);
  return {
    key: count('key'),
    info: { name: String(row['name']), embedding: toSettings(row) },
    documents: count('documents'),
    chunks: count('chunks'),
    words: count('words'),
    changed: count('changed'),
    version: count('version'),
    terms: count('terms'),
  };
}

function toSettings({ embedder, dimension, distance }: Row): EmbeddingSettings | undefined {
  if (embedder === null) return undefined;
  // Settings are checked before they are written.
  return { embedder: String(embedder), dimension: Number(dimension), distance: String(distance) as Distance };
}
