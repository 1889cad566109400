import type { RerankerConfig } from '../../vectors/rerank/reranker-config.ts';
import type { EmbedderConfig } from '../../vectors/embedder-config.ts';

/** The `rag` section of a config file. */
export interface KnowledgeSettings {
  readonly servers?: Readonly<Record<string, StoreServerSettings>> | undefined;
  readonly collections?: Readonly<Record<string, CollectionSettings | null>> | undefined;
  /** One store for everything, as in older ctx files. */
  readonly store?: Readonly<Record<string, unknown>> | undefined;
  readonly vectorizer?: VectorizerSettings | undefined;
  readonly transformer?: TransformerSettings | undefined;
  readonly reranker?: RerankerSettings | undefined;
}

/** A store for collections: an entry of `rag.servers`. */
export interface StoreServerSettings extends EmbeddingOverrides {
  /** `sqlite`, `memory`, `postgres` or `qdrant`. */
  readonly driver: string;
  /** A file for `sqlite`, a connection string for `postgres`, an address for `qdrant`. */
  readonly endpoint_url?: string | undefined;
  readonly api_key?: string | undefined;
  /** `postgres`: the schema of the tables, one for each tenant. Default: `pegboard`. */
  readonly schema?: string | undefined;
  /** `postgres`: a prefix of table names, so that several tenants can share a schema. */
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
  /** Web pages and repositories to index in addition to files. */
  readonly sources?: readonly SourceSettings[] | undefined;
}

/** A source of documents other than files of this machine. */
export type SourceSettings = WebSourceSettings | GitSourceSettings;

/** Settings that all kinds of knowledge sources share. */
export interface CommonSourceSettings {
  /** The type of its documents. Default: `general`. */
  readonly type?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Patterns of pages or files to skip. */
  readonly exclude?: readonly string[] | undefined;
  /** Headers of its requests, sent only to its own origin. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Private hosts, `host:port` or networks that it may reach. */
  readonly allow_hosts?: readonly string[] | undefined;
  /** The size limit of all its documents together. Default: 100 MB for pages, 500 MB for a repository. */
  readonly max_bytes?: number | undefined;
}

/** A page, a site or a sitemap. */
export interface WebSourceSettings extends CommonSourceSettings {
  /** The first page; one that ends in `.xml` or `.xml.gz` is a sitemap. */
  readonly url: string;
  /** The number of links to follow from the first page, within its folder. Default: 0, only that page. */
  readonly depth?: number | undefined;
  /** Default: 500. */
  readonly max_pages?: number | undefined;
}

/** A repository at a revision. */
export interface GitSourceSettings extends CommonSourceSettings {
  /** A URL, or a path relative to the folder of the config. */
  readonly git: string;
  /** A branch, a tag or a full commit hash. Default: the default branch. */
  readonly ref?: string | undefined;
  /** A folder or file in it. Default: everything. */
  readonly path?: string | undefined;
}

/** Embedding settings of a server or collection. */
export interface EmbeddingOverrides {
  readonly embeddings_dimension?: number | undefined;
  readonly embeddings_distance?: string | undefined;
}

/** The model that turns text into vectors. Without one, or with platform `none`, only words are searched. */
export type VectorizerSettings = EmbedderConfig;

/** The model that reorders results. Without one, or with platform `none`, they keep their order. */
export type RerankerSettings = RerankerConfig;

/** Settings for splitting documents. */
export interface TransformerSettings {
  readonly chunk_size?: number | undefined;
  readonly overlap?: number | undefined;
}
