import type { KnowledgeCollection } from '../../../../knowledge/collection/knowledge-collection.ts';
import type { KnowledgeHit } from '../../../../knowledge/retrieval/knowledge-search.ts';
import { nearestNames } from '../../../../tool/texts/suggest.ts';
import { hasHeading, isOfDocument, type PassageNeed, satisfies, type KnowledgeEvalQuery } from './knowledge-queries.ts';

/** The number of hits of one search. */
const MOST = 50;

export interface EvaluatedCollection {
  readonly collection: KnowledgeCollection;
  readonly paths: ReadonlySet<string>;
}

/** Explains why a passage is not among the first ten hits. */
export async function explainMiss(
  need: PassageNeed,
  asked: KnowledgeEvalQuery,
  { collection, paths }: EvaluatedCollection,
): Promise<string> {
  const { path } = need;
  if (!paths.has(path)) {
    const [near] = nearestNames(path, [...paths]);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return `not indexed: the collection has no document ${path}${hint}`;
  }
  const { query, filter } = asked;
  const { hits } = await collection.search(query, { ...filter, limit: MOST });
  const place = hits.findIndex((hit) => satisfies(hit, need)) + 1;
  if (place > 0) return `ranked too low: place ${place}, behind ${nameHit(hits[0])}`;
  const sibling = hits.findIndex((hit) => isOfDocument(hit, need)) + 1;
  if (sibling > 0) {
    const said = `another passage of ${path} is at place ${sibling} (${nameHit(hits[sibling - 1])})`;
    return (await isThere(need, collection)) ? said : `no passage of ${path} is at ${need.written}; ${said}`;
  }
  if (Object.keys(filter).length > 0) {
    const { hits: all } = await collection.search(query, { limit: MOST });
    if (all.some((hit) => isOfDocument(hit, need))) return `filtered: ${path} does not match ${JSON.stringify(filter)}`;
  }
  return `not among the best ${MOST}: no passage of ${path} contains the words or has a similar meaning`;
}

/** Returns true when the document has the expected passage. */
async function isThere({ path, heading, line }: PassageNeed, collection: KnowledgeCollection): Promise<boolean> {
  const { store, collection: name } = await collection.open();
  const [document] = await store.read(name, { filter: { documentIds: [path] }, limit: 1 });
  return (document?.chunks ?? []).some((chunk) => {
    if (line !== undefined) return chunk.lines !== undefined && chunk.lines.from <= line && line <= chunk.lines.to;
    return heading === undefined || hasHeading(chunk, heading);
  });
}

/** Formats a hit as `guide/login.md:1` or `guide/login.md#Heading`. */
export function nameHit(hit: KnowledgeHit | undefined): string {
  if (hit === undefined) return 'nothing';
  const { sourcePath, documentId, lines, headings } = hit;
  const name = sourcePath ?? documentId;
  if (lines !== undefined) return `${name}:${lines.from}`;
  return headings.length === 0 ? name : `${name}#${headings.at(-1)}`;
}
