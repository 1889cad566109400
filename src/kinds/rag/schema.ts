import { z } from 'zod';

const ragOperations = z
  .array(z.enum(['search', 'store']))
  .min(1)
  .describe('The operations, each a tool. Default: both');

/** The keys of `type: rag`: a knowledge base to search and to store in. */
export const ragKeys = z.strictObject({
  collection: z.string().min(1).describe('The name of a collection under rag.collections'),
  operations: ragOperations.optional(),
});

const overrides = {
  embeddings_dimension: z
    .int()
    .min(1)
    .max(16_000)
    .describe('The dimensions of a vector; the model must produce as many')
    .optional(),
  embeddings_distance: z.string().describe('Cosine, Dot or Euclid').optional(),
};

const chunking = {
  chunk_size: z.int().min(50).max(20_000).describe('The most characters of a chunk. Default: 1000').optional(),
  overlap: z
    .int()
    .min(0)
    .describe('Characters that neighbouring chunks of a long section share. Default: 200')
    .optional(),
};

const embedding = {
  platform: z
    .string()
    .min(1)
    .describe('openai, ollama, lmstudio, vllm, voyage, any other with its url; local for a model on this machine; none')
    .optional(),
  model: z.string().min(1).optional(),
  api_key: z.string().optional(),
  url: z.string().min(1).describe('The address of the API, including /v1').optional(),
  dimensions: z.int().min(1).describe('The dimensions of a vector, for models that support fewer').optional(),
  query_prefix: z.string().optional(),
  document_prefix: z.string().optional(),
  batch_size: z.int().min(1).optional(),
  concurrency: z.int().min(1).optional(),
  requests_per_minute: z.int().min(1).optional(),
};

const reranking = {
  platform: z.string().min(1).describe('cohere, jina, vllm, tei, any other with its url; none').optional(),
  model: z.string().min(1).optional(),
  api_key: z.string().optional(),
  url: z.string().min(1).describe('The address of the API, without /rerank').optional(),
  candidates: z.int().min(2).max(100).describe('The number of passages to reorder. Default: 30').optional(),
  timeout: z
    .number()
    .min(0.1)
    .max(60)
    .describe('Seconds to wait for the model before its order is skipped. Default: 5')
    .optional(),
};

const place = {
  endpoint_url: z
    .string()
    .describe('A file for sqlite, a connection string for postgres, an address for qdrant')
    .optional(),
  api_key: z.string().optional(),
  schema: z.string().min(1).describe('postgres: the schema of its tables. Default: pegboard').optional(),
  prefix: z.string().min(1).describe('postgres: the prefix of its table names').optional(),
  ...overrides,
};

const commonSource = {
  type: z
    .enum(['architecture', 'api', 'testing', 'convention', 'general', 'tutorial', 'reference'])
    .describe('The type of its documents. Default: general')
    .optional(),
  tags: z.array(z.string()).describe('Tags of its documents').optional(),
  exclude: z.array(z.string().min(1)).describe('Patterns of pages or files to skip').optional(),
  headers: z.record(z.string(), z.string()).describe('Headers of its requests, sent only to its own origin').optional(),
  allow_hosts: z.array(z.string()).describe('Private hosts, host:port or networks that it may reach').optional(),
  max_bytes: z
    .int()
    .min(1)
    .describe('Bytes of all its documents together. Default: 100 MB for pages, 500 MB for a repository')
    .optional(),
};

const webSource = z.strictObject({
  url: z.string().min(1).describe('The first page; one that ends in .xml or .xml.gz is a sitemap'),
  depth: z
    .int()
    .min(0)
    .max(20)
    .describe('The number of links to follow from the first page, below its folder. Default: 0, only the page')
    .optional(),
  max_pages: z.int().min(1).max(100_000).describe('Default: 500').optional(),
  ...commonSource,
});

const gitSource = z.strictObject({
  git: z.string().min(1).describe('The address of a repository, or its path relative to the folder of the config'),
  ref: z
    .string()
    .min(1)
    .describe('A branch, a tag or a whole commit. Default: the branch that the repository names')
    .optional(),
  path: z.string().describe('A folder or a file in it. Default: all of it').optional(),
  ...commonSource,
});

const collectionText = {
  sources: z
    .array(z.union([webSource, gitSource]))
    .describe('Pages and repositories that rag index updates, in addition to files')
    .optional(),
  server: z.string().min(1).describe('A server under rag.servers. Default: default').optional(),
  collection: z.string().min(1).describe('Its name in the store. Default: its own name').optional(),
  description: z.string().optional(),
  ...overrides,
};

const driver = z.string().min(1).describe('sqlite, memory, postgres, qdrant, or one that a plugin brings');

const legacyStore = z.looseObject({ driver: z.string().optional() });

/** The `rag` section: the stores of knowledge and its sources. */
export const ragSection = z.strictObject({
  servers: z
    .record(z.string(), z.strictObject({ driver, ...place }))
    .describe('Stores. Default: the embedded one')
    .optional(),
  collections: z
    .record(
      z.string(),
      z
        .strictObject({
          ...collectionText,
          vectorizer: z.strictObject(embedding).optional(),
          transformer: z.strictObject(chunking).optional(),
          reranker: z.strictObject(reranking).optional(),
        })
        .nullable(),
    )
    .describe('Named sets of documents')
    .optional(),
  vectorizer: z
    .strictObject(embedding)
    .describe('The model that turns text into vectors. Default: none, search by words only')
    .optional(),
  transformer: z.strictObject(chunking).describe('The size of chunks').optional(),
  reranker: z.strictObject(reranking).describe('A model that reorders the results. Default: none').optional(),
  store: legacyStore.describe('The older setting of ctx for a single store').optional(),
});

/** The `rag` section of a ctx file: the same, with keys of ctx that have no effect here, and its older single store. */
export const ctxRagSection = z.looseObject({
  enabled: z.boolean().optional(),
  servers: z.record(z.string(), z.looseObject({ driver: z.string(), ...place })).optional(),
  collections: z
    .record(
      z.string(),
      z.looseObject({
        ...collectionText,
        vectorizer: z.looseObject(embedding).optional(),
        transformer: z.looseObject(chunking).optional(),
        reranker: z.looseObject(reranking).optional(),
      }),
    )
    .optional(),
  store: legacyStore.optional(),
  vectorizer: z.looseObject(embedding).optional(),
  transformer: z.looseObject(chunking).optional(),
  reranker: z.looseObject(reranking).optional(),
});
