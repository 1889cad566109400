import type { Embedder } from '../vectors/embedder.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { PlannedCollection } from './knowledge-plan.ts';
import type { EmbeddingSettings } from './vector-store.ts';

/** What an embedder's vectors are, asked of it where it has to be. Throws when the settings want another dimension. */
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
