import type { Query } from '../../../platform/postgres/postgres-server.ts';
import type { Distance } from '../../vector-store.ts';
import { refuse } from '../check-input.ts';

/** The names of a store's tables, quoted: a schema and a prefix of its own for each tenant. */
export interface Tables {
  readonly schema: string;
  readonly facts: string;
  readonly collections: string;
  readonly documents: string;
  readonly chunks: string;
  /** For each word the chunks that have it, in blocks. */
  readonly words: string;
  /** The table for the vectors of one collection, whose dimension is fixed. */
  readonly vectors: (collection: number) => string;
  /** The name of an index, which PostgreSQL puts into the schema of its table. */
  readonly index: (name: string) => string;
}

/** A database at work: how a statement is run, and what its tables are called. */
export interface Database {
  readonly query: Query;
  readonly tables: Tables;
}

const NAME = /^[a-z_][a-z0-9_]{0,30}$/;

/** Names tables. Throws unless schema and prefix can stand in SQL. */
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

/** How pgvector compares: the operator that orders by nearness, the index's operators, and the score from the operator. */
export const OPERATORS: Readonly<Record<Distance, { operator: string; index: string; score: string }>> = {
  cosine: { operator: '<=>', index: 'cosine_ops', score: '1 - distance' },
  dot: { operator: '<#>', index: 'ip_ops', score: '-distance' },
  euclidean: { operator: '<->', index: 'l2_ops', score: '-distance' },
};

/** Text as PostgreSQL can keep it: it knows no NUL, and halves of characters have no UTF-8 form. */
export function toPlainText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
