import type { Query } from '../../../platform/postgres/postgres-server.ts';
import type { Distance } from '../../vector-store.ts';
import { refuse } from '../check-input.ts';

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

/** A connection and the names of the tables. */
export interface Database {
  readonly query: Query;
  readonly tables: Tables;
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
