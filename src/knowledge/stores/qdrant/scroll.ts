import { chunkId, type DocumentFilter, MAX_LIMIT, type PageRequest } from '../../vector-store.ts';
import { isPattern, readPathFilter } from '../match-path.ts';
import { type ChunkPayload, toPayload, toPointId } from './points.ts';
import type { QdrantServer } from './qdrant-server.ts';
import { firstChunks, toFilter } from './to-filter.ts';

/** Reads a page of documents by the payloads of their first chunks, ordered by point id. */
export async function scrollDocuments(
  server: QdrantServer,
  collection: string,
  { filter, after, limit = MAX_LIMIT }: PageRequest,
): Promise<ChunkPayload[]> {
  const path = filter?.sourcePath;
  const matches = path !== undefined && isPattern(path) ? readPathFilter(path) : undefined;
  const found: ChunkPayload[] = [];
  const last = after === undefined ? undefined : toPointId(chunkId(after.toWellFormed(), 0));
  let offset = last;
  for (;;) {
    const { points, next_page_offset: next } = await server.run((client) =>
      client.scroll(collection, {
        filter: firstChunks(toFilter(filter)),
        limit: limit + 1,
        with_payload: { exclude: ['text', 'headings'] },
        ...(offset === undefined ? {} : { offset }),
      }),
    );
    for (const { id, payload } of points) {
      // An offset is the first point of a page, here the last document of the previous page.
      if (id === last) continue;
      const facts = toPayload(payload);
      if (matches === undefined || matches(facts.path ?? undefined)) found.push(facts);
      if (found.length === limit) return found;
    }
    if (typeof next !== 'string') return found;
    offset = next;
  }
}

/** Replaces a path with wildcards, which Qdrant cannot apply, by the ids of the matching documents. */
export async function resolvePatterns(
  server: QdrantServer,
  collection: string,
  filter: DocumentFilter | undefined,
): Promise<DocumentFilter | undefined> {
  if (filter?.sourcePath === undefined || !isPattern(filter.sourcePath)) return filter;
  const documentIds: string[] = [];
  for (;;) {
    const page = await scrollDocuments(server, collection, { filter, after: documentIds.at(-1), limit: MAX_LIMIT });
    documentIds.push(...page.map(({ document }) => document));
    if (page.length < MAX_LIMIT) return { ...filter, sourcePath: undefined, documentIds };
  }
}
