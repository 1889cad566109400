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
  /** Pages and repositories that are indexed besides files. */
  readonly sources?: readonly SourceSettings[] | undefined;
}

/** Where documents come from, besides files of this machine. */
export type SourceSettings = WebSourceSettings | GitSourceSettings;

/** What every source may have. */
export interface CommonSourceSettings {
  /** What its documents are about. Default: `general`. */
  readonly type?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Patterns of pages or files to leave out. */
  readonly exclude?: readonly string[] | undefined;
  /** Headers of its requests, sent to its own origin alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Private hosts, `host:port` or networks that it may reach. */
  readonly allow_hosts?: readonly string[] | undefined;
  /** Bytes of all its documents together. Default: 100 MB for pages, 500 MB for a repository. */
  readonly max_bytes?: number | undefined;
}

/** A page, a site or a sitemap. */
export interface WebSourceSettings extends CommonSourceSettings {
  /** The first page; one that ends in `.xml` or `.xml.gz` is a sitemap. */
  readonly url: string;
  /** How many links away from the first page to go, below its folder. Default: 0, the page alone. */
  readonly depth?: number | undefined;
  /** Default: 500. */
  readonly max_pages?: number | undefined;
}

/** A repository at a revision. */
export interface GitSourceSettings extends CommonSourceSettings {
  /** An address, or a path from the folder of the config. */
  readonly git: string;
  /** A branch, a tag or a whole commit. Default: the branch that the repository names. */
  readonly ref?: string | undefined;
  /** A folder or a file in it. Default: all of it. */
  readonly path?: string | undefined;
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
