import type { CollectionInfo, Distance } from '../../vector-store.ts';
import { unknownCollection } from '../collection-errors.ts';
import type { Database } from './tables.ts';

/** A row of the table of collections. */
export interface CollectionRow {
  readonly key: number;
  readonly info: CollectionInfo;
  readonly documents: number;
  readonly chunks: number;
  readonly words: number;
  readonly changed: number;
  /** The `TERMS_VERSION` its words were read with. */
  readonly terms: number;
}

interface RawRow {
  key: number;
  name: string;
  embedder: string | null;
  dimension: number | null;
  distance: string | null;
  documents: string;
  chunks: string;
  words: string;
  changed: string;
  terms: number;
}

/** Finds a collection. `lock` keeps other writers out until the transaction ends. */
export async function findCollection(
  { query, tables }: Database,
  name: string,
  lock = false,
): Promise<CollectionRow | undefined> {
  const sql = `select * from ${tables.collections} where name = $1 ${lock ? 'for update' : ''}`;
  // No collection has such a name, and PostgreSQL rejects it.
  if (name.includes('\0')) return undefined;
  const [row] = await query<RawRow>(sql, [name]);
  if (row !== undefined) return toCollection(row);
  // A statement that waited for a row that was renamed meanwhile finds nothing; the next one sees the row with that
  // name.
  const [other] = lock ? await query<RawRow>(sql, [name]) : [];
  return other === undefined ? undefined : toCollection(other);
}

/** Finds a collection, or throws an error that lists the existing ones. */
export async function getCollection(database: Database, name: string, lock = false): Promise<CollectionRow> {
  const found = await findCollection(database, name, lock);
  if (found !== undefined) return found;
  throw unknownCollection(name, await listCollections(database));
}

export async function listCollections({ query, tables }: Database): Promise<CollectionInfo[]> {
  const rows = await query<RawRow>(`select * from ${tables.collections} order by name`);
  return rows.map((row) => toCollection(row).info);
}

function toCollection(row: RawRow): CollectionRow {
  const { key, name, embedder, dimension, distance, terms } = row;
  const embedding =
    embedder === null || dimension === null
      ? undefined
      : // Settings are checked before they are written.
        { embedder, dimension, distance: distance as Distance };
  return {
    key,
    info: { name, embedding },
    documents: Number(row.documents),
    chunks: Number(row.chunks),
    words: Number(row.words),
    changed: Number(row.changed),
    terms,
  };
}
