import type { Embedder } from '../../vectors/embedder.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { PlannedCollection } from '../plan/knowledge-plan.ts';
import { checkSameEmbedding } from '../stores/check-input.ts';
import type { CollectionStats, EmbeddingSettings } from '../vector-store.ts';

/** A difference between a collection's vectors and its settings. */
export interface EmbeddingProblem {
  /**
   * `unused` and `missing`: only words are searched. `other`: the collection is rejected. `unfinished`: a reindex was
   * interrupted.
   */
  readonly type: 'unused' | 'missing' | 'other' | 'unfinished';
  /** The problem and its fix. */
  readonly message: string;
}

/** Compares a collection with its settings, without asking a model. Returns `undefined` if they agree. */
export function findEmbeddingProblem(
  plan: PlannedCollection,
  embedder: Pick<Embedder, 'id' | 'dimension'> | undefined,
  stats: Pick<CollectionStats, 'name' | 'documents' | 'embedding'>,
): EmbeddingProblem | undefined {
  const { embedding, documents } = stats;
  if (documents === 0) return undefined;
  if (embedder === undefined) {
    if (embedding === undefined) return undefined;
    const message = `Only its words are searched, and it accepts no new documents: ${unusedVectors(plan.name, embedding.embedder)}`;
    return { type: 'unused', message };
  }
  if (embedding === undefined)
    return { type: 'missing', message: `Only its words are searched: ${missingVectors(plan.name)}` };
  try {
    checkWantedDimension(plan, embedder);
    const dimension = embedder.dimension ?? plan.dimension ?? embedding.dimension;
    // A suggested command needs the name in the settings.
    checkSameEmbedding({ name: plan.name, embedding }, { embedder: embedder.id, dimension, distance: plan.distance });
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { type: 'other', message: error.message };
  }
}

export function unfinishedRebuild(name: string): EmbeddingProblem {
  const message = `The last reindex of the collection "${name}" was interrupted, and notes of tools are kept aside. Continue: pegboard rag reindex --collection ${name}`;
  return { type: 'unfinished', message };
}

/** Explains why the vectors of a collection are not used, with the fix. */
export function unusedVectors(name: string, embedder: string): string {
  return `the collection "${name}" has vectors of ${embedder}, and the config has no vectorizer for it. Set the vectorizer back, or rebuild the collection without vectors: pegboard rag reindex --collection ${name}`;
}

/** Explains why a collection has no vectors, with the fix. */
export function missingVectors(name: string): string {
  return `the collection "${name}" was created without vectors. Create them: pegboard rag reindex --collection ${name}`;
}

/**
 * Returns the settings of an embedder's vectors; asks it for an unknown dimension. Throws if the settings require
 * another dimension.
 */
export async function readEmbedding(
  plan: Pick<PlannedCollection, 'name' | 'dimension' | 'distance'>,
  embedder: Pick<Embedder, 'id' | 'dimension' | 'embed'>,
  signal: AbortSignal | undefined,
): Promise<EmbeddingSettings> {
  // Some platforms know it only after a request.
  const dimension =
    embedder.dimension ?? (await embedder.embed(['dimension'], signal === undefined ? {} : { signal }))[0]?.length ?? 0;
  checkWantedDimension(plan, { id: embedder.id, dimension });
  return { embedder: embedder.id, dimension, distance: plan.distance };
}

/** Throws if the settings require vectors of another length than the embedder returns. An unknown length passes. */
export function checkWantedDimension(
  { name, dimension: wanted }: Pick<PlannedCollection, 'name' | 'dimension'>,
  { id, dimension }: Pick<Embedder, 'id' | 'dimension'>,
): void {
  if (wanted === undefined || dimension === undefined || wanted === dimension) return;
  const message = `The collection "${name}" has embeddings_dimension ${wanted}, but ${id} gives vectors of ${dimension} numbers. Set embeddings_dimension to ${dimension}, or use another model.`;
  const reason = 'another dimension';
  throw new ToolError({ code: 'invalid_arguments', message, field: 'embeddings_dimension', reason });
}
