import type { Embedder } from '../core/embedder.ts';
import { ToolError } from '../core/tool-error.ts';
import type { PlannedCollection } from './knowledge-plan.ts';
import type { EmbeddingSettings } from './vector-store.ts';

/** What an embedder's vectors are, asked of it where it has to be. Throws when the settings want another dimension. */
export async function readEmbedding(
  { name, dimension: wanted, distance }: PlannedCollection,
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<EmbeddingSettings> {
  // Some platforms only know once they were asked.
  const dimension =
    embedder.dimension ?? (await embedder.embed(['dimension'], signal === undefined ? {} : { signal }))[0]?.length ?? 0;
  if (wanted !== undefined && wanted !== dimension) {
    const message = `The collection "${name}" has embeddings_dimension ${wanted}, but ${embedder.id} gives vectors of ${dimension} numbers. Set embeddings_dimension to ${dimension}, or use another model.`;
    throw new ToolError({
      code: 'invalid_arguments',
      message,
      field: 'embeddings_dimension',
      reason: 'another dimension',
    });
  }
  return { embedder: embedder.id, dimension, distance };
}
