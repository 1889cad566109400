import { messageOf } from '../../tool/texts/message-of.ts';
import type { Embedder } from '../../vectors/embedder.ts';
import type { Reranker } from '../../vectors/rerank/reranker.ts';
import { checkWantedDimension, unusedVectors } from '../collection/embedding-problem.ts';
import {
  checkDocumentType,
  checkSourcePath,
  checkTags,
  isNote,
  type NoteOrigin,
  readNoteStamp,
  refuseInput,
} from '../collection/note.ts';
import { checkSameEmbedding, isSameEmbedding, refuse, unknownCollection } from '../stores/check-input.ts';
import type { CollectionInfo, DocumentFilter, EmbeddingSettings, SearchHit, VectorStore } from '../vector-store.ts';
import { explainHit, fuseHits, raiseScores, weighWords } from './fuse-hits.ts';
import { highlightPassages } from './highlight-passages.ts';
import {
  type KnowledgeAnswer,
  type KnowledgeHit,
  type KnowledgeQuery,
  MAX_HITS,
  MAX_QUERY_LENGTH,
} from './knowledge-search.ts';
import { type Passage, readBestTexts, ReadChunks, readPassages } from './read-passages.ts';

const DEFAULT_LIMIT = 10;
/** Chunks that each search returns: more would find hardly more and worsen the scaling of vectors. */
const DEPTH = 100;

const PATIENCE = 10_000;

/**
 * Searches a collection by words and vectors if there is an embedder, and by words alone otherwise.
 *
 * Neighbouring chunks of one document become one passage, and nearly equal texts appear once. If the embedder fails,
 * only words are used, and the answer has a notice.
 */
export async function searchKnowledge(store: VectorStore, query: KnowledgeQuery): Promise<KnowledgeAnswer> {
  const limit = checkQuery(query);
  const info = await getCollection(store, query.collection);
  try {
    const answer = await searchOnce(store, query, { info, limit });
    if (answer !== undefined) return answer;
  } catch (error) {
    const now = await getCollection(store, query.collection);
    if (isSameEmbedding(info.embedding, now.embedding)) throw error;
  }
  // Another collection replaced this one during the search.
  const again = await searchOnce(store, query, { info: await getCollection(store, query.collection), limit });
  return again ?? { mode: 'words', notice: undefined, hits: [] };
}

/** Returns `undefined` if the found chunks no longer exist. */
async function searchOnce(
  store: VectorStore,
  query: KnowledgeQuery,
  { info, limit }: { readonly info: CollectionInfo; readonly limit: number },
): Promise<KnowledgeAnswer | undefined> {
  const { vector, notice } = await embedQuery(info, query);
  const scope = { filter: query.filter, limit: Math.max(DEPTH, limit), signal: query.signal };
  const [words, vectors] = await Promise.all([
    store.search(query.collection, { by: 'words', text: query.query, ...scope }),
    vector === undefined ? undefined : store.search(query.collection, { by: 'vector', vector, ...scope }),
  ]);
  const otherWords = await scoreOthers(store, query, { words, vectors });
  const chunks = new ReadChunks(store, query.collection);
  const texts = await readBestTexts({ words, vectors, otherWords }, chunks);
  const found = raiseScores({ words, vectors, otherWords }, { query: query.query, texts });
  const fused = fuseHits(found, { wordsWeight: weighWords(found, texts) });
  const { reranker } = query;
  const wanted = reranker === undefined ? limit : Math.max(limit, reranker.candidates);
  const candidates = await readPassages(fused, { chunks, limit: wanted });
  const ordered = await rerankPassages(candidates, { query: query.query, reranker, limit, signal: query.signal });
  const { passages, before } = ordered;
  if (passages.length === 0 && fused.length > 0) return undefined;
  const byId = new Map(fused.map((hit) => [hit.chunkId, hit]));
  const { embedder, signal } = query;
  const meaning = embedder === undefined || vector === undefined ? undefined : { embedder, vector };
  const sentences =
    query.highlight === true ? await highlightPassages(passages, { query: query.query, meaning, signal }) : [];
  const origins = await readOrigins(store, query.collection, passages);
  const hits = passages.map((passage, place): KnowledgeHit => {
    const { best, parts: _, ...facts } = passage;
    const hit = query.explain === true ? byId.get(best) : undefined;
    return {
      ...facts,
      note: origins.get(passage.documentId),
      highlights: sentences[place] ?? [],
      explanation:
        hit === undefined
          ? undefined
          : explainHit(hit, { query: query.query, text: passage.text, before: before.get(passage) }),
    };
  });
  const notices = [notice, ordered.notice].filter((one) => one !== undefined);
  return {
    mode: vectors === undefined ? 'words' : 'hybrid',
    notice: notices.length === 0 ? undefined : notices.join(' '),
    hits,
  };
}

/** Reads the origins of notes among passages, by document id. */
async function readOrigins(
  store: VectorStore,
  collection: string,
  passages: readonly Pick<KnowledgeHit, 'documentId' | 'sourcePath'>[],
): Promise<ReadonlyMap<string, NoteOrigin>> {
  const notes = passages.filter(({ documentId, sourcePath }) => isNote({ id: documentId, sourcePath }));
  const ids = [...new Set(notes.map(({ documentId }) => documentId))];
  if (ids.length === 0) return new Map();
  const documents = await store.documents(collection, { filter: { documentIds: ids }, limit: ids.length });
  const stamps = new Map(documents.map(({ id, stamp }) => [id, stamp]));
  return new Map(ids.map((id) => [id, readNoteStamp(stamps.get(id))]));
}

function checkQuery({ query, limit = DEFAULT_LIMIT }: KnowledgeQuery): number {
  if (query.trim() === '') throw refuse('query', 'The query is empty. Say what to look for.');
  if (query.length > MAX_QUERY_LENGTH) {
    const [most, length] = [MAX_QUERY_LENGTH, query.length].map((figure) => figure.toLocaleString('en-US'));
    throw refuse('query', `The query has ${length} characters; the most is ${most}. Ask for the main point.`);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_HITS)
    throw refuse('limit', `The limit is a whole number from 1 to ${MAX_HITS}, not ${limit}.`);
  return limit;
}

async function getCollection(store: VectorStore, name: string): Promise<CollectionInfo> {
  const all = await store.collections();
  const found = all.find((collection) => collection.name === name);
  if (found !== undefined) return found;
  throw unknownCollection(name, all);
}

interface EmbeddedQuery {
  readonly vector: Float32Array | undefined;
  readonly notice: string | undefined;
}

async function embedQuery(collection: CollectionInfo, query: KnowledgeQuery): Promise<EmbeddedQuery> {
  const { name, embedding } = collection;
  const { embedder, signal, wanted, patience = PATIENCE } = query;
  if (embedder === undefined && embedding !== undefined) {
    const notice = `Only words were searched: ${unusedVectors(wanted?.name ?? name, embedding.embedder)}`;
    return { vector: undefined, notice };
  }
  if (embedder === undefined || embedding === undefined) return { vector: undefined, notice: undefined };
  checkVectors({ name, embedding }, query, embedder);
  let vector: Float32Array | undefined;
  // An embedder that never answers must not delay the search by words for long.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  try {
    const stop = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    [vector] = await embedder.embed([query.query], { as: 'query', signal: stop });
  } catch (error) {
    signal?.throwIfAborted();
    const said = messageOf(error);
    const reason = late.signal.aborted ? `no answer in ${patience / 1000} s` : said;
    return { vector: undefined, notice: `Only words were searched: the embedder ${embedder.id} failed: ${reason}` };
  } finally {
    clearTimeout(timer);
  }
  // Some embedders know the length of their vectors only now.
  checkVectors({ name, embedding }, query, { id: embedder.id, dimension: vector?.length });
  return { vector, notice: undefined };
}

/** Throws if the embedder's vectors differ from those of the collection or the settings, as far as known. */
function checkVectors(
  { name, embedding }: CollectionInfo & { readonly embedding: EmbeddingSettings },
  { wanted }: KnowledgeQuery,
  { id, dimension }: Pick<Embedder, 'id' | 'dimension'>,
): void {
  if (wanted !== undefined) checkWantedDimension(wanted, { id, dimension });
  checkSameEmbedding(
    { name, embedding },
    {
      embedder: id,
      dimension: dimension ?? wanted?.dimension ?? embedding.dimension,
      distance: wanted?.distance ?? embedding.distance,
    },
  );
}

/** Scores the chunks that only vectors found by words. */
async function scoreOthers(
  store: VectorStore,
  { collection, query, signal }: KnowledgeQuery,
  { words, vectors = [] }: { readonly words: readonly SearchHit[]; readonly vectors: readonly SearchHit[] | undefined },
): Promise<SearchHit[]> {
  const known = new Set(words.map(({ chunkId }) => chunkId));
  const among = vectors.map(({ chunkId }) => chunkId).filter((id) => !known.has(id));
  if (among.length === 0 || words.length === 0) return [];
  return store.search(collection, { by: 'words', text: query, among, limit: among.length, signal });
}

interface OrderedPassages {
  readonly passages: readonly Passage[];
  /** The reason that the model was not used; `undefined` if nothing is wrong. */
  readonly notice: string | undefined;
  /** The earlier rank of each passage, counted from 1; empty if the model was not used. */
  readonly before: ReadonlyMap<Passage, number>;
}

interface RerankQuery {
  readonly query: string;
  readonly reranker: Reranker | undefined;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Orders passages by a model's scores, if there is one and it answers in time. Returns the best of them. */
async function rerankPassages(found: readonly Passage[], asked: RerankQuery): Promise<OrderedPassages> {
  const { query, reranker, limit, signal } = asked;
  const plain = { passages: found.slice(0, limit), notice: undefined, before: new Map<Passage, number>() };
  if (reranker === undefined || found.length < 2) return plain;
  const texts = found.map(({ text }) => text);
  let scores: number[];
  try {
    scores = await reranker.rerank(query, texts, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return { ...plain, notice: `The reranker ${reranker.id} did not decide the order: ${messageOf(error)}` };
  }
  const before = new Map<Passage, number>();
  const scored = found.map((passage, place) => {
    const again = { ...passage, score: scores[place] ?? 0 };
    before.set(again, place + 1);
    return again;
  });
  // Equal scores keep their order.
  return { passages: scored.toSorted((a, b) => b.score - a.score).slice(0, limit), notice: undefined, before };
}

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

interface CollectionTarget extends Pick<KnowledgeQuery, 'wanted' | 'reranker'> {
  readonly store: VectorStore;
  readonly collection: string;
  readonly embedder: Embedder | undefined;
}

const MAX_RESULTS = 50;
const MAX_WILDCARDS = 10;
const PATTERN = /[*?]|\/$/;

/** Finds the best passages of a collection. Throws `invalid_arguments` with the fix. */
export async function searchCollection(
  { store, ...place }: CollectionTarget,
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
