import { ToolError } from '../../tool/tool-error.ts';
import {
  type CollectionInfo,
  type Distance,
  type EmbeddingSettings,
  type KnowledgeDocument,
  MAX_CHUNK_LENGTH,
  MAX_LIMIT,
  type SearchRequest,
} from '../vector-store.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const DISTANCES: readonly Distance[] = ['cosine', 'dot', 'euclidean'];
const MAX_DIMENSION = 16_000;
/** A length that every driver can index: a key in PostgreSQL has at most 2,704 bytes. */
export const MAX_KEY_BYTES = 2_000;
const MAX_TAGS = 100;

/** Throws if a name cannot be used for a collection. Names appear in URLs and tables, so all drivers share this rule. */
export function checkCollectionName(name: string): void {
  if (NAME.test(name)) return;
  const reason = 'use 1 to 128 letters, digits, "_", "." and "-", beginning with a letter or a digit';
  throw refuse('collection', `"${shorten(name)}" cannot be the name of a collection: ${reason}.`);
}

export function checkEmbeddingSettings(collection: string, embedding: EmbeddingSettings): void {
  const { embedder, dimension, distance } = embedding;
  if (embedder === '') throw refuse('embedder', `Collection "${collection}": the embedder has no id.`);
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > MAX_DIMENSION) {
    const reason = `a dimension is a whole number from 1 to ${MAX_DIMENSION}, not ${dimension}`;
    throw refuse('embeddings_dimension', `Collection "${collection}": ${reason}.`);
  }
  if (!DISTANCES.includes(distance)) {
    const reason = `unknown distance "${distance}". Use one of: ${DISTANCES.join(', ')}`;
    throw refuse('embeddings_distance', `Collection "${collection}": ${reason}.`);
  }
}

export function checkDocuments(collection: CollectionInfo, documents: readonly KnowledgeDocument[]): void {
  const seen = new Set<string>();
  for (const document of documents) {
    const where = `Document "${shorten(document.id)}" in collection "${collection.name}"`;
    if (document.id === '' || document.id.includes('\0'))
      throw refuse('id', `${where}: an id is not empty and has no NUL.`);
    checkKeys(where, document);
    if (seen.has(document.id)) throw refuse('id', `${where} is given twice in one call. Give each document once.`);
    seen.add(document.id);
    if (document.tags.length > MAX_TAGS)
      throw refuse('tags', `${where} has ${document.tags.length} tags; the most is ${MAX_TAGS}.`);
    checkChunks(where, document, collection);
  }
}

function checkKeys(where: string, { id, type, sourcePath = '', tags }: KnowledgeDocument): void {
  for (const [field, value] of [
    ['id', id],
    ['type', type],
    ['sourcePath', sourcePath],
    ...tags.map((tag) => ['tags', tag]),
  ]) {
    const bytes = Buffer.byteLength(value ?? '');
    if (bytes <= MAX_KEY_BYTES) continue;
    throw refuse(field ?? '', `${where}: ${field} has ${bytes} bytes; the most is ${MAX_KEY_BYTES}. Shorten it.`);
  }
}

function checkChunks(where: string, { chunks }: KnowledgeDocument, { name, embedding }: CollectionInfo): void {
  if (chunks.length === 0) throw refuse('chunks', `${where} has no chunks. Give at least one.`);
  for (const [position, chunk] of chunks.entries()) {
    const place = `${where}, chunk ${position}`;
    if (chunk.text.trim() === '') throw refuse('content', `${place} has no text. Leave empty chunks out.`);
    if (chunk.text.length > MAX_CHUNK_LENGTH) {
      const advice = `a chunk has at most ${MAX_CHUNK_LENGTH.toLocaleString('en-US')}. Cut it into smaller chunks`;
      throw refuse('content', `${place} has ${chunk.text.length.toLocaleString('en-US')} characters; ${advice}.`);
    }
    if (embedding === undefined) {
      if (chunk.embedding === undefined) continue;
      throw refuse('embedding', `${place} has a vector, but the collection has no embedder. Rebuild it with one.`);
    }
    if (chunk.embedding === undefined) {
      const advice = `the collection's come from ${embedding.embedder}. Set that embedder, or rebuild the collection without one: pegboard rag reindex --collection ${name}`;
      throw refuse('embedding', `${place} has no vector; ${advice}`);
    }
    checkVector(place, chunk.embedding, embedding.dimension);
  }
}

/** Throws if a vector has the wrong length or a number that is not finite. */
function checkVector(where: string, vector: Float32Array, dimension: number): void {
  if (vector.length !== dimension) {
    const advice = `the collection's have ${dimension}. Use the collection's embedder, or rebuild it`;
    throw refuse('embedding', `${where} has a vector of ${vector.length} numbers; ${advice}.`);
  }
  const place = vector.findIndex((value) => !Number.isFinite(value));
  if (place >= 0) throw refuse('embedding', `${where} has a vector with ${vector[place]} at place ${place}.`);
}

export function checkRequest(collection: CollectionInfo, request: SearchRequest): void {
  checkLimit(request.limit);
  if ((request.among?.length ?? 0) > MAX_LIMIT)
    throw refuse('among', `A search looks among at most ${MAX_LIMIT} chunks, not ${request.among?.length}.`);
  request.signal?.throwIfAborted();
  if (request.by === 'words') return;
  if (collection.embedding === undefined) {
    const advice = 'Search it by words, or rebuild it with an embedder';
    throw refuse('vector', `Collection "${collection.name}" has no vectors. ${advice}.`);
  }
  checkVector('The query', request.vector, collection.embedding.dimension);
}

export function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return;
  throw refuse('limit', `A limit is a whole number from 1 to ${MAX_LIMIT}, not ${limit}.`);
}

export function refuse(field: string, message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message, field, reason: message });
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

export function unknownCollection(name: string, known: readonly Pick<CollectionInfo, 'name'>[]): ToolError {
  const listed = known.map((collection) => collection.name).join(', ');
  const names = known.length === 0 ? 'There is none yet: index or store something first' : `Known: ${listed}`;
  return new ToolError({ code: 'not_found', message: `There is no collection "${name}". ${names}.` });
}

export function takenName(name: string): ToolError {
  const message = `There is a collection "${name}" already. Drop it first, or use another name.`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'collection', reason: 'name is taken' });
}

/** Returns true if vectors with these settings can be compared. */
export function isSameEmbedding(a: EmbeddingSettings | undefined, b: EmbeddingSettings | undefined): boolean {
  return a?.embedder === b?.embedder && a?.dimension === b?.dimension && a?.distance === b?.distance;
}

export function checkSameEmbedding(collection: CollectionInfo, wanted: EmbeddingSettings): void {
  const has = collection.embedding;
  if (isSameEmbedding(has, wanted)) return;
  const made = has === undefined ? 'without an embedder' : `with ${describeEmbedding(has)}`;
  const advice = adviseOn(has, wanted);
  const message =
    `Collection "${collection.name}" was created ${made}, and the config asks for ${describeEmbedding(wanted)}. ` +
    `Vectors of different kinds cannot be mixed. ${advice}, or rebuild the collection: pegboard rag reindex --collection ${collection.name}`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'embedding', reason: 'another embedder' });
}

function adviseOn(has: EmbeddingSettings | undefined, wanted: EmbeddingSettings): string {
  if (has === undefined) return 'Take the embedder out of the config';
  if (has.embedder !== wanted.embedder) return 'Set the embedder back';
  if (has.dimension !== wanted.dimension)
    return `Set embeddings_dimension, or the model, back to what gives ${has.dimension} numbers`;
  return `Set embeddings_distance to ${DISTANCE_NAMES[has.distance]}`;
}

/** The spelling of distances in config files. */
const DISTANCE_NAMES = { cosine: 'Cosine', dot: 'Dot', euclidean: 'Euclid' } as const;

function describeEmbedding({ embedder, dimension, distance }: EmbeddingSettings): string {
  return `${embedder} (${dimension} numbers, ${distance})`;
}

const OTHER_WORDS = 'other words';

/** Creates the error for a collection whose words another version read by other rules. */
export function otherWords(name: string): ToolError {
  const message = `Collection "${name}" was indexed by another version of Pegboard, which reads words by other rules. Rebuild it: pegboard rag reindex --collection ${name}`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'collection', reason: OTHER_WORDS });
}

export function isOtherWords(error: unknown): boolean {
  return error instanceof ToolError && error.reason === OTHER_WORDS;
}
