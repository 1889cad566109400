import type { Embedder } from '../../vectors/embedder.ts';
import { checkDocumentType, refuseInput } from './document-type.ts';
import { checkSourcePath, checkTags } from './note.ts';
import type { KnowledgeAnswer, KnowledgeQuery } from '../retrieval/knowledge-search.ts';
import { searchKnowledge } from '../retrieval/search-knowledge.ts';
import type { DocumentFilter, VectorStore } from '../vector-store.ts';

/** Options of a search in a knowledge base. */
export interface KnowledgeSearchOptions {
  /** Only documents of this type. */
  readonly type?: string | undefined;
  /** A path, or a folder with everything below it; `*`, `**` and `?` work as in a shell. */
  readonly sourcePath?: string | undefined;
  /** Only documents with all of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** The number of passages: 1 to 50. Default: 10. */
  readonly limit?: number | undefined;
  /** Adds an explanation to each hit. */
  readonly explain?: boolean | undefined;
  /** Aborts the search. */
  readonly signal?: AbortSignal | undefined;
}

interface SearchTarget extends Pick<KnowledgeQuery, 'wanted' | 'reranker'> {
  readonly store: VectorStore;
  readonly collection: string;
  readonly embedder: Embedder | undefined;
}

const MAX_RESULTS = 50;
const MAX_WILDCARDS = 10;
const PATTERN = /[*?]|\/$/;

/** Finds the best passages of a collection. Throws `invalid_arguments` with the fix. */
export async function searchCollection(
  { store, ...place }: SearchTarget,
  query: string,
  options: KnowledgeSearchOptions,
): Promise<KnowledgeAnswer> {
  const { limit = 10, explain, signal } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RESULTS)
    throw refuseInput('limit', `must be a whole number from 1 to ${MAX_RESULTS}; got ${limit}.`);
  const filter = readFilter(options);
  const asked = { ...place, query: query.trim(), limit, explain, highlight: true, signal };
  const search = (sourcePath: string | undefined): Promise<KnowledgeAnswer> =>
    searchKnowledge(store, { ...asked, filter: { ...filter, sourcePath } });
  const answer = await search(filter.sourcePath);
  if (answer.hits.length > 0 || filter.sourcePath === undefined || PATTERN.test(filter.sourcePath)) return answer;
  // As in ctx, a path may be that of a folder.
  return search(`${filter.sourcePath}/`);
}

function readFilter({ type, tags = [], sourcePath = '' }: KnowledgeSearchOptions): DocumentFilter {
  return {
    type: type === undefined ? undefined : checkDocumentType(type),
    tags: tags.length === 0 ? undefined : checkTags(tags),
    sourcePath: sourcePath.trim() === '' ? undefined : checkPattern(checkSourcePath(sourcePath.trim())),
  };
}

/** Limits wildcards: every path of the collection is compared, so many of them would block the board. */
function checkPattern(pattern: string): string {
  const wildcards = pattern.match(/\*+/g)?.length ?? 0;
  if (wildcards <= MAX_WILDCARDS) return pattern;
  const message = `has ${wildcards} wildcards; the most is ${MAX_WILDCARDS}. Use "**" for many folders.`;
  throw refuseInput('sourcePath', message);
}
