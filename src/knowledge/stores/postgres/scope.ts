import type { DocumentFilter } from '../../vector-store.ts';
import type { CollectionRow } from './collections.ts';
import type { Database } from './tables.ts';
import { toWhere } from './where.ts';

/** The scope of a search. */
export interface ServerSearch {
  readonly collection: CollectionRow;
  readonly filter: DocumentFilter | undefined;
  readonly among: readonly string[] | undefined;
  readonly limit: number;
}

/** Counts the chunks that a filter selects; stops soon above `most`. */
export async function countMeant(
  { query, tables }: Database,
  { collection, filter }: ServerSearch,
  most: number,
): Promise<number> {
  const values: unknown[] = [collection.key, most + 1];
  const where = toWhere(filter, values);
  const [row] = await query<{ chunks: string | null }>(
    `select sum(count) as chunks from (select count from ${tables.documents} d
      where d.collection = $1 and d.count > 0 and ${where} limit $2) as meant`,
    values,
  );
  return Number(row?.chunks ?? 0);
}
