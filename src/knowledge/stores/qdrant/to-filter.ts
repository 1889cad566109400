import type { DocumentFilter } from '../../vector-store.ts';
import { isPattern } from '../match-path.ts';
import { toPointId } from './points.ts';

/** One condition of a Qdrant filter. */
type Condition =
  | { key: string; match: { value: string | number } }
  | { key: string; match: { any: string[] } }
  | { key: string; range: { gte: number } }
  | { has_id: string[] };

/** A filter whose conditions must all hold. */
export interface Filter {
  must: Condition[];
}

/** Converts a filter for Qdrant, except a path with wildcards: Qdrant has no patterns. */
export function toFilter(filter: DocumentFilter | undefined, among?: readonly string[]): Filter {
  const { type, tags = [], sourcePath, documentIds } = filter ?? {};
  const must: Condition[] = [is('kind', 'chunk')];
  if (type !== undefined) must.push(is('type', type.toWellFormed()));
  for (const tag of tags) must.push(is('tags', tag.toWellFormed()));
  if (sourcePath !== undefined && !isPattern(sourcePath))
    must.push(is(sourcePath.endsWith('/') ? 'folders' : 'path', sourcePath.toWellFormed()));
  if (documentIds !== undefined)
    must.push({ key: 'document', match: { any: documentIds.map((id) => id.toWellFormed()) } });
  if (among !== undefined) must.push({ has_id: among.map((id) => toPointId(id.toWellFormed())) });
  return { must };
}

/** Selects only the first chunk of each document, which has all facts of the document. */
export function firstChunks(filter: Filter): Filter {
  return { must: [...filter.must, is('position', 0)] };
}

function is(key: string, value: string | number): Condition {
  return { key, match: { value } };
}
