import type { RerankerConfig } from '../../vectors/rerank/reranker-config.ts';
import type { EmbedderConfig } from '../../vectors/embedder-config.ts';

/** Where knowledge is kept and how it is read, in the words of a config file's `rag` section. */
export interface KnowledgeSettings {
  readonly servers?: Readonly<Record<string, StoreServerSettings>> | undefined;
  readonly collections?: Readonly<Record<string, CollectionSettings | null>> | undefined;
  /** One store for everything, as older ctx files have it. */
  readonly store?: Readonly<Record<string, unknown>> | undefined;
  readonly vectorizer?: VectorizerSettings | undefined;
  readonly transformer?: TransformerSettings | undefined;
  readonly reranker?: RerankerSettings | undefined;
}

/** A store that collections are kept in: an entry of `rag.servers`. */
export interface StoreServerSettings extends EmbeddingOverrides {
  /** `sqlite`, `memory`, `postgres` or `qdrant`. */
  readonly driver: string;
  /** A file for `sqlite`, a connection string for `postgres`, an address for `qdrant`. */
  readonly endpoint_url?: string | undefined;
  readonly api_key?: string | undefined;
  /** `postgres`: the schema of the tables, one for each tenant. Default: `pegboard`. */
  readonly schema?: string | undefined;
  /** `postgres`: what stands before the names of tables, so that several tenants share a schema. */
  readonly prefix?: string | undefined;
}

/** A named set of documents. */
export interface CollectionSettings extends EmbeddingOverrides {
  /** The name of a server. Default: `default`. */
  readonly server?: string | undefined;
  /** Its name in the store. Default: the collection's own name. */
  readonly collection?: string | undefined;
  readonly description?: string | undefined;
  readonly vectorizer?: VectorizerSettings | undefined;
  readonly transformer?: TransformerSettings | undefined;
  readonly reranker?: RerankerSettings | undefined;
}

/** How vectors are made, where a server or a collection says it otherwise than the whole. */
export interface EmbeddingOverrides {
  readonly embeddings_dimension?: number | undefined;
  readonly embeddings_distance?: string | undefined;
}

/** What turns text into vectors; without one, or with the platform `none`, words alone are searched. */
export type VectorizerSettings = EmbedderConfig;

/** What puts results into a better order; without one, or with the platform `none`, nothing does. */
export type RerankerSettings = RerankerConfig;

/** How documents are cut. */
export interface TransformerSettings {
  readonly chunk_size?: number | undefined;
  readonly overlap?: number | undefined;
}
