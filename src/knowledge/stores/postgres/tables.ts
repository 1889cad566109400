import type { Query } from '../../../platform/postgres/postgres-server.ts';
import type { CollectionInfo, Distance } from '../../vector-store.ts';
import { refuse } from '../check-input.ts';
import { ToolError } from '../../../tool/tool-error.ts';

/** The quoted names of a store's tables. Tenants are separated by schema or prefix. */
export interface Tables {
  readonly schema: string;
  readonly facts: string;
  readonly collections: string;
  readonly documents: string;
  readonly chunks: string;
  /** The chunks that contain each word, in blocks. */
  readonly words: string;
  /** Returns the table with the vectors of one collection, whose dimension is fixed. */
  readonly vectors: (collection: number) => string;
  /** Returns the name of an index, which PostgreSQL puts into the schema of its table. */
  readonly index: (name: string) => string;
}

export interface Database {
  readonly query: Query;
  readonly tables: Tables;
}

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

const NAME = /^[a-z_][a-z0-9_]{0,30}$/;

/** Names the tables. Throws if schema or prefix cannot be used in SQL. */
export function nameTables(schema: string, prefix: string): Tables {
  for (const [field, value] of [
    ['schema', schema],
    ['prefix', `${prefix}_`],
  ] as const) {
    if (NAME.test(value) && !value.startsWith('pg_')) continue;
    const reason = 'use up to 30 small letters, digits and "_", beginning with a letter';
    throw refuse(field, `The ${field} "${field === 'prefix' ? prefix : value}" cannot be used: ${reason}.`);
  }
  const table = (name: string): string => `"${schema}"."${prefix}${name}"`;
  return {
    schema: `"${schema}"`,
    facts: table('facts'),
    collections: table('collections'),
    documents: table('documents'),
    chunks: table('chunks'),
    words: table('words'),
    vectors: (collection) => table(`vectors_${collection}`),
    index: (name) => `"${prefix}${name}"`,
  };
}

/** The operators of pgvector: for the order, for the index, and the score computed from the distance. */
export const OPERATORS: Readonly<Record<Distance, { operator: string; index: string; score: string }>> = {
  cosine: { operator: '<=>', index: 'cosine_ops', score: '1 - distance' },
  dot: { operator: '<#>', index: 'ip_ops', score: '-distance' },
  euclidean: { operator: '<->', index: 'l2_ops', score: '-distance' },
};

/** Replaces characters that PostgreSQL cannot store: NUL, and halves of surrogate pairs. */
export function toPlainText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** The version of the tables. Tables of another version are rejected and never changed. */
const SHAPE = 2;
/** The number of the advisory lock; other programs must not use the same. */
const LOCK = 7_347_204_621;

/** Creates the tables, once even if several processes try. Runs inside a transaction. */
export async function migrate(database: Database): Promise<void> {
  const { query, tables } = database;
  // Creating the same table twice at once fails, even with "if not exists".
  await query('select pg_advisory_xact_lock($1)', [LOCK]);
  if (!(await hasFacts(database))) {
    await query(`create schema if not exists ${tables.schema}`);
    await query(`create table if not exists ${tables.facts} (name text primary key, value bigint not null)`);
  }
  if (await hasShape(database)) return;
  for (const statement of statements(tables)) await query(statement);
  await query(`insert into ${tables.facts} values ('shape', $1)`, [SHAPE]);
}

/** Returns true if the tables exist. Throws if another version created them; creates nothing. */
export async function hasTables(database: Database): Promise<boolean> {
  return (await hasFacts(database)) && (await hasShape(database));
}

async function hasFacts({ query, tables }: Database): Promise<boolean> {
  const [row] = await query<{ there: string | null }>('select to_regclass($1)::text as there', [tables.facts]);
  return (row?.there ?? undefined) !== undefined;
}

async function hasShape({ query, tables }: Database): Promise<boolean> {
  const [fact] = await query<{ value: string }>(`select value from ${tables.facts} where name = 'shape'`);
  const shape = fact === undefined ? undefined : Number(fact.value);
  if (shape === undefined || shape === SHAPE) return shape === SHAPE;
  const message =
    shape > SHAPE
      ? `The tables in schema ${tables.schema} were made by a later version of Pegboard. Update this one, or use another schema.`
      : `The tables in schema ${tables.schema} were made by an earlier version of Pegboard. Use another schema, and index again.`;
  throw new ToolError({ code: 'execution_failed', message });
}

function statements({ collections, documents, chunks, words, index }: Tables): string[] {
  // "C" compares bytes: the same order, and usable for prefixes, in databases of every language.
  const text = 'text collate "C" not null';
  return [
    `create table ${collections} (
      key integer generated always as identity primary key, name ${text} unique, embedder text, dimension integer,
      distance text, documents bigint not null default 0, chunks bigint not null default 0,
      words bigint not null default 0, changed bigint not null, terms integer not null)`,
    `create table ${documents} (
      key bigint generated always as identity primary key, collection integer not null, id ${text}, hash text not null,
      type ${text}, tags jsonb not null, path text collate "C", stamp text, count integer not null,
      unique (collection, id))`,
    `create index ${index('documents_type')} on ${documents} (collection, type)`,
    `create index ${index('documents_path')} on ${documents} (collection, path)`,
    `create index ${index('documents_tags')} on ${documents} using gin (tags jsonb_path_ops)`,
    `create table ${chunks} (
      key bigint generated always as identity primary key, document bigint not null, position integer not null,
      headings jsonb not null, line_from integer, line_to integer, text text not null, unique (document, position))`,
    // Most writes grow the last block of a word: free space on its page avoids updates of the key's index.
    `create table ${words} (
      collection integer not null, term text collate "C" not null, first bigint not null, last bigint not null,
      count integer not null, block bytea not null, primary key (collection, term, first)) with (fillfactor = 80)`,
  ];
}
