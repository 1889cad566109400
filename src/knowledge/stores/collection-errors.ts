import { ToolError } from '../../tool/tool-error.ts';
import type { CollectionInfo, EmbeddingSettings } from '../vector-store.ts';

/** Creates the error for an unknown collection; it lists the existing ones. */
export function unknownCollection(name: string, known: readonly Pick<CollectionInfo, 'name'>[]): ToolError {
  const listed = known.map((collection) => collection.name).join(', ');
  const names = known.length === 0 ? 'There is none yet: index or store something first' : `Known: ${listed}`;
  return new ToolError({ code: 'not_found', message: `There is no collection "${name}". ${names}.` });
}

/** Creates the error for a name that another collection has. */
export function takenName(name: string): ToolError {
  const message = `There is a collection "${name}" already. Drop it first, or use another name.`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'collection', reason: 'name is taken' });
}

/** Returns true if vectors with these settings can be compared. */
export function isSameEmbedding(a: EmbeddingSettings | undefined, b: EmbeddingSettings | undefined): boolean {
  return a?.embedder === b?.embedder && a?.dimension === b?.dimension && a?.distance === b?.distance;
}

/** Throws if a collection with documents has other settings. */
export function checkSameEmbedding(collection: CollectionInfo, wanted: EmbeddingSettings): void {
  const has = collection.embedding;
  if (isSameEmbedding(has, wanted)) return;
  const made = has === undefined ? 'without an embedder' : `with ${describe(has)}`;
  const advice = adviseOn(has, wanted);
  const message =
    `Collection "${collection.name}" was made ${made}, and the config asks for ${describe(wanted)}. ` +
    `Vectors of different kinds cannot be mixed. ${advice}, or rebuild the collection: pegboard rag reindex --collection ${collection.name}`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'embedding', reason: 'another embedder' });
}

function adviseOn(has: EmbeddingSettings | undefined, wanted: EmbeddingSettings): string {
  if (has === undefined) return 'Take the embedder out of the config';
  if (has.embedder !== wanted.embedder) return 'Set the embedder back';
  if (has.dimension !== wanted.dimension)
    return `Set embeddings_dimension, or the model, back to what gives ${has.dimension} numbers`;
  return `Set embeddings_distance to ${NAMES[has.distance]}`;
}

/** The spelling of distances in config files. */
const NAMES = { cosine: 'Cosine', dot: 'Dot', euclidean: 'Euclid' } as const;

function describe({ embedder, dimension, distance }: EmbeddingSettings): string {
  return `${embedder} (${dimension} numbers, ${distance})`;
}

const OTHER_WORDS = 'other words';

/** Creates the error for a collection whose words another version read by other rules. */
export function otherWords(name: string): ToolError {
  const message = `Collection "${name}" was indexed by another version of Pegboard, which reads words by other rules. Rebuild it: pegboard rag reindex --collection ${name}`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'collection', reason: OTHER_WORDS });
}

/** Returns true for an `otherWords` error. */
export function isOtherWords(error: unknown): boolean {
  return error instanceof ToolError && error.reason === OTHER_WORDS;
}
