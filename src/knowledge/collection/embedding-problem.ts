import type { Embedder } from '../../vectors/embedder.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { PlannedCollection } from '../plan/knowledge-plan.ts';
import { checkSameEmbedding } from '../stores/collection-errors.ts';
import type { CollectionStats, EmbeddingSettings } from '../vector-store.ts';

/** How the vectors of a collection differ from what the settings ask for. */
export interface EmbeddingProblem {
  /** `unused` and `missing` are searched by words alone, `other` is refused, `unfinished` is a reindex that was interrupted. */
  readonly type: 'unused' | 'missing' | 'other' | 'unfinished';
  /** What is wrong and what to do. */
  readonly message: string;
}

/** Compares what a collection was made with to what the settings ask for; `undefined` when they agree. Asks no model. */
export function findEmbeddingProblem(
  plan: PlannedCollection,
  embedder: Pick<Embedder, 'id' | 'dimension'> | undefined,
  stats: Pick<CollectionStats, 'name' | 'documents' | 'embedding'>,
): EmbeddingProblem | undefined {
  const { embedding, documents } = stats;
  if (documents === 0) return undefined;
  if (embedder === undefined) {
    if (embedding === undefined) return undefined;
    const message = `It is searched by words alone and takes nothing new: ${unusedVectors(plan.name, embedding.embedder)}`;
    return { type: 'unused', message };
  }
  if (embedding === undefined)
    return { type: 'missing', message: `It is searched by words alone: ${missingVectors(plan.name)}` };
  try {
    checkWantedDimension(plan, embedder);
    const dimension = embedder.dimension ?? plan.dimension ?? embedding.dimension;
    // A command that is to be run needs the name in the settings.
    checkSameEmbedding({ name: plan.name, embedding }, { embedder: embedder.id, dimension, distance: plan.distance });
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { type: 'other', message: error.message };
  }
}

/** The problem of a collection whose last `rag reindex` was interrupted. */
export function unfinishedRebuild(name: string): EmbeddingProblem {
  const message = `The last reindex of the collection "${name}" was interrupted, and what tools had stored waits beside it. Go on: pegboard rag reindex --collection ${name}`;
  return { type: 'unfinished', message };
}

/** Why the vectors of a collection are not used, and what to do. */
export function unusedVectors(name: string, embedder: string): string {
  return `the collection "${name}" has vectors of ${embedder}, and the config has no vectorizer for it. Set the vectorizer back, or make the collection anew without vectors: pegboard rag reindex --collection ${name}`;
}

/** Why a collection has no vectors, and what to do. */
export function missingVectors(name: string): string {
  return `the collection "${name}" was made without vectors. Make them: pegboard rag reindex --collection ${name}`;
}

/** The settings of an embedder's vectors; asks it for the dimension where that is not known. Throws when the settings want another dimension. */
export async function readEmbedding(
  plan: Pick<PlannedCollection, 'name' | 'dimension' | 'distance'>,
  embedder: Pick<Embedder, 'id' | 'dimension' | 'embed'>,
  signal: AbortSignal | undefined,
): Promise<EmbeddingSettings> {
  // Some platforms only know once they were asked.
  const dimension =
    embedder.dimension ?? (await embedder.embed(['dimension'], signal === undefined ? {} : { signal }))[0]?.length ?? 0;
  checkWantedDimension(plan, { id: embedder.id, dimension });
  return { embedder: embedder.id, dimension, distance: plan.distance };
}

/** Throws when the settings want vectors of another length than the embedder gives; one that does not know yet may pass. */
export function checkWantedDimension(
  { name, dimension: wanted }: Pick<PlannedCollection, 'name' | 'dimension'>,
  { id, dimension }: Pick<Embedder, 'id' | 'dimension'>,
): void {
  if (wanted === undefined || dimension === undefined || wanted === dimension) return;
  const message = `The collection "${name}" has embeddings_dimension ${wanted}, but ${id} gives vectors of ${dimension} numbers. Set embeddings_dimension to ${dimension}, or use another model.`;
  const reason = 'another dimension';
  throw new ToolError({ code: 'invalid_arguments', message, field: 'embeddings_dimension', reason });
}
