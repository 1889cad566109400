import type { WriteTarget } from './indexing/batch-writer.ts';
import { checkDocumentType } from './document-type.ts';
import { checkSourcePath, checkTags } from './note.ts';
import { refuseInput } from './refuse-input.ts';
import type { DocumentFilter, LineRange } from './vector-store.ts';

/** What is looked for, and where. */
export interface SearchOptions {
  readonly type?: string | undefined;
  /** A path, or a folder with all below it; `*`, `**` and `?` as in a shell. */
  readonly sourcePath?: string | undefined;
  /** The document has all of them. */
  readonly tags?: readonly string[] | undefined;
  /** 1 to 50; 10 unless told. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A passage that was found. */
export interface KnowledgeHit {
  /** More is better; only comparable within one answer. */
  readonly score: number;
  readonly text: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly sourcePath: string | undefined;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** First and last line in the source; `undefined` for notes and converted formats. */
  readonly lines: LineRange | undefined;
}

const MAX_QUERY = 10_000;
const MAX_RESULTS = 50;

/** Finds the best passages of a collection. Throws `invalid_arguments` that says what to change. */
export async function searchCollection(
  target: WriteTarget,
  query: string,
  options: SearchOptions,
): Promise<KnowledgeHit[]> {
  const text = query.trim();
  if (text === '') throw refuseInput('query', 'is empty. Say in a few words what you look for.');
  if (text.length > MAX_QUERY)
    throw refuseInput('query', `has ${text.length} characters; the most is ${MAX_QUERY}. Ask for one thing.`);
  const { limit = 10, type, sourcePath, tags } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RESULTS) {
    throw refuseInput('limit', `must be a whole number from 1 to ${MAX_RESULTS}; got ${limit}.`);
  }
  const filter: DocumentFilter = {
    type: type === undefined ? undefined : checkDocumentType(type),
    tags: tags === undefined || tags.length === 0 ? undefined : checkTags(tags),
    sourcePath: sourcePath === undefined || sourcePath.trim() === '' ? undefined : checkSourcePath(sourcePath.trim()),
  };
  const found = await retrieve(target, text, { filter, limit, signal: options.signal });
  const isOnePath = filter.sourcePath !== undefined && !/[*?/]$|[*?]/.test(filter.sourcePath);
  if (found.length > 0 || !isOnePath) return found;
  // As in ctx, a path may be that of a folder.
  return retrieve(target, text, {
    filter: { ...filter, sourcePath: `${filter.sourcePath}/` },
    limit,
    signal: options.signal,
  });
}

async function retrieve(
  { store, collection }: WriteTarget,
  text: string,
  scope: { readonly filter: DocumentFilter; readonly limit: number; readonly signal: AbortSignal | undefined },
): Promise<KnowledgeHit[]> {
  const hits = await store.search(collection, { by: 'words', text, ...scope });
  const chunks = new Map(
    (
      await store.chunks(
        collection,
        hits.map(({ chunkId }) => chunkId),
      )
    ).map((chunk) => [chunk.id, chunk]),
  );
  return hits.flatMap(({ chunkId, score }) => {
    const chunk = chunks.get(chunkId);
    if (chunk === undefined) return [];
    const { text: passage, type, tags, sourcePath, headings, lines } = chunk;
    return [{ score, text: passage, type, tags, sourcePath, headings, lines }];
  });
}
