import type { CollectionInfo, Distance, EmbeddingSettings } from '../../vector-store.ts';
import { unknownCollection } from '../collection-errors.ts';
import type { Row, Statements } from './connection.ts';

/** A collection with what the file counts. */
export interface CollectionRow {
  readonly key: number;
  readonly info: CollectionInfo;
  readonly documents: number;
  readonly chunks: number;
  /** How many words all chunks have together. */
  readonly words: number;
  readonly changed: number;
  /** Rises with every write. */
  readonly version: number;
  /** The `TERMS_VERSION` its words were read with. */
  readonly terms: number;
}

/** Finds a collection, or throws the error that names those there are. */
export function getCollection(connection: Statements, name: string): CollectionRow {
  const row = findCollection(connection, name);
  if (row !== undefined) return row;
  throw unknownCollection(name, listCollections(connection));
}

/** Finds a collection by name. */
export function findCollection(connection: Statements, name: string): CollectionRow | undefined {
  const row = connection.get('select * from collections where name = ?', name);
  return row === undefined ? undefined : toCollection(row);
}

/** Every collection, by name. */
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
  // Only checked settings are ever written.
  return { embedder: String(embedder), dimension: Number(dimension), distance: String(distance) as Distance };
}
