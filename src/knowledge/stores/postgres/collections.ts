import type { CollectionInfo, Distance, EmbeddingSettings } from '../../vector-store.ts';
import { checkEmbeddingSettings, checkSameEmbedding, otherWords, unknownCollection } from '../check-input.ts';
import type { CollectionRow, Database } from './tables.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { TERMS_VERSION } from '../../../text/read-terms.ts';
import type { Query } from '../../../platform/postgres/postgres-server.ts';
import { dropVectors } from './vectors/vector-index.ts';

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

interface Wanted {
  readonly name: string;
  readonly embedding: EmbeddingSettings | undefined;
  readonly now: number;
}

/** Creates a collection, or checks that the existing one has these settings. Runs inside a transaction. */
export async function makeCollection(database: Database, wanted: Wanted): Promise<CollectionInfo> {
  const { query, tables } = database;
  const { name, embedding, now } = wanted;
  if (embedding !== undefined) checkEmbeddingSettings(name, embedding);
  const settings = [embedding?.embedder ?? null, embedding?.dimension ?? null, embedding?.distance ?? null];
  const [made] = await query<{ key: number }>(
    `insert into ${tables.collections} (name, embedder, dimension, distance, changed, terms)
      values ($1, $2, $3, $4, $5, $6) on conflict (name) do nothing returning key`,
    [name, ...settings, now, TERMS_VERSION],
  );
  if (made !== undefined) {
    if (embedding !== undefined) await makeVectors(database, made.key, embedding);
    return { name, embedding };
  }
  const known = await findCollection(database, name, embedding !== undefined);
  if (known === undefined) return makeCollection(database, wanted);
  if (known.terms !== TERMS_VERSION) throw otherWords(name);
  if (embedding === undefined) return known.info;
  if (known.documents > 0) {
    checkSameEmbedding(known.info, embedding);
    return known.info;
  }
  await query(`update ${tables.collections} set embedder = $2, dimension = $3, distance = $4 where key = $1`, [
    known.key,
    ...settings,
  ]);
  await dropVectors(database, known.key);
  await makeVectors(database, known.key, embedding);
  return { name, embedding };
}

async function makeVectors({ query, tables }: Database, key: number, embedding: EmbeddingSettings): Promise<void> {
  await makeExtension(query);
  // Creates no index yet: building it once there are many vectors is faster than adding them one by one.
  await query(
    `create table ${tables.vectors(key)} (chunk bigint primary key, vector vector(${embedding.dimension}) not null)`,
  );
}

/** Looks for pgvector: installed in this database (`made`), only available on the server (`possible`), or `missing`. */
async function findExtension(query: Query): Promise<'made' | 'possible' | 'missing'> {
  const [there] = await query(`select 1 from pg_extension where extname = 'vector'`);
  if (there !== undefined) return 'made';
  const [possible] = await query(`select 1 from pg_available_extensions where name = 'vector'`);
  return possible === undefined ? 'missing' : 'possible';
}

/** Returns the reason that no vectors can be stored, or `undefined` if they can. */
export async function explainMissingExtension(query: Query): Promise<string | undefined> {
  if ((await findExtension(query)) !== 'missing') return undefined;
  const advice = 'Install it on the server, or take rag.vectorizer out of the config to search by words alone';
  return `The PostgreSQL server has no pgvector, which vectors need. ${advice}.`;
}

async function makeExtension(query: Query): Promise<void> {
  const message = await explainMissingExtension(query);
  if (message !== undefined)
    throw new ToolError({ code: 'invalid_arguments', message, field: 'driver', reason: 'no pgvector' });
  if ((await findExtension(query)) === 'possible') await query('create extension if not exists vector');
}
