import { z } from 'zod';
import { common } from '../common-schema.ts';

const ragOperations = z
  .array(z.enum(['search', 'store']))
  .min(1)
  .describe('Which tools exist; both when it is not said');

/** `type: rag`: a knowledge base to search and to store in. */
export const ragTool = z.strictObject({
  ...common,
  type: z.literal('rag'),
  collection: z.string().min(1).describe('The name of a collection under rag.collections'),
  operations: ragOperations.optional(),
});

const overrides = {
  embeddings_dimension: z.int().min(1).optional(),
  embeddings_distance: z.string().optional(),
};

/** The `rag` section: where knowledge is kept and how it is read. */
export const ragSection = z.looseObject({
  enabled: z.boolean().optional(),
  servers: z
    .record(
      z.string(),
      z.looseObject({
        driver: z.string(),
        endpoint_url: z.string().optional(),
        api_key: z.string().optional(),
        ...overrides,
      }),
    )
    .optional(),
  collections: z
    .record(
      z.string(),
      z.looseObject({
        server: z.string().optional(),
        collection: z.string().optional(),
        description: z.string().optional(),
        ...overrides,
      }),
    )
    .optional(),
  store: z.looseObject({ driver: z.string().optional() }).optional(),
  vectorizer: z
    .looseObject({
      platform: z.string().optional(),
      model: z.string().optional(),
      api_key: z.string().optional(),
      url: z.string().optional(),
    })
    .optional(),
  transformer: z.looseObject({ chunk_size: z.int().min(1).optional(), overlap: z.int().min(0).optional() }).optional(),
});
