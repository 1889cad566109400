import { type DocumentFilter, parseChunkId } from '../../vector-store.ts';
import { fixedPrefix, isPattern, toExpressionSource } from '../match-path.ts';
import type { CollectionRow } from './collections.ts';
import { type Database, toPlainText } from './tables.ts';

const LAST_CHARACTER = '\u{10ffff}';

/** Returns the SQL condition for a filter on the table of documents, named `d`. Appends the bound values. */
export function toWhere(filter: DocumentFilter | undefined, values: unknown[]): string {
  const { type, tags = [], sourcePath, documentIds } = filter ?? {};
  const parts: string[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  if (type !== undefined) parts.push(`d.type = ${bind(toPlainText(type))}`);
  if (tags.length > 0) parts.push(`d.tags @> ${bind(JSON.stringify(tags.map(toPlainText)))}::jsonb`);
  if (sourcePath !== undefined) parts.push(toPathCondition(toPlainText(sourcePath), bind));
  if (documentIds !== undefined) parts.push(`d.id = any(${bind(documentIds.map(toPlainText))}::text[])`);
  return parts.length === 0 ? 'true' : parts.join(' and ');
}

/** Returns the SQL condition that selects these chunks, named `c`. Appends the bound values. */
export function toAmong(ids: readonly string[] | undefined, values: unknown[]): string {
  if (ids === undefined) return 'true';
  const chunks = ids.map((id) => parseChunkId(toPlainText(id))).filter(({ position }) => position < 2 ** 31);
  const names = values.push(chunks.map(({ documentId }) => documentId));
  const positions = values.push(chunks.map(({ position }) => position));
  return `(d.id, c.position) in (select * from unnest($${names}::text[], $${positions}::integer[]))`;
}

/** Returns true if a filter excludes anything. */
export function hasConditions(filter: DocumentFilter | undefined): boolean {
  return toWhere(filter, []) !== 'true';
}

function toPathCondition(path: string, bind: (value: unknown) => string): string {
  if (!isPattern(path) && !path.endsWith('/')) return `d.path = ${bind(path)}`;
  const prefix = fixedPrefix(path);
  const range = `d.path >= ${bind(prefix)} and d.path < ${bind(prefix + LAST_CHARACTER)}`;
  return isPattern(path) ? `${range} and d.path ~ ${bind(toExpressionSource(path))}` : range;
}

/** The scope of a search. */
export interface ServerSearch {
  readonly collection: CollectionRow;
  readonly filter: DocumentFilter | undefined;
  readonly among: readonly string[] | undefined;
  readonly limit: number;
}

/** Counts the chunks that a filter selects; stops soon above `most`. */
export async function countSelected(
  { query, tables }: Database,
  { collection, filter }: ServerSearch,
  most: number,
): Promise<number> {
  const values: unknown[] = [collection.key, most + 1];
  const where = toWhere(filter, values);
  const [row] = await query<{ chunks: string | null }>(
    `select sum(count) as chunks from (select count from ${tables.documents} d
      where d.collection = $1 and d.count > 0 and ${where} limit $2) as selected`,
    values,
  );
  return Number(row?.chunks ?? 0);
}
