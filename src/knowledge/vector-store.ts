/** The measure of nearness: cosine, dot product, or negative Euclidean distance. */
export type Distance = 'cosine' | 'dot' | 'euclidean';

/** The origin of a collection's vectors. Vectors of different embedders are never stored or compared together. */
export interface EmbeddingSettings {
  /** `Embedder.id`. */
  readonly embedder: string;
  /** Numbers in a vector. */
  readonly dimension: number;
  readonly distance: Distance;
}

/** A collection as stored. */
export interface CollectionInfo {
  readonly name: string;
  /** `undefined` if only words are searched. */
  readonly embedding: EmbeddingSettings | undefined;
}

/** The size of a collection. */
export interface CollectionStats extends CollectionInfo {
  readonly documents: number;
  readonly chunks: number;
  /** The time of the last write, in milliseconds since 1970, if the store knows it. */
  readonly changedAt: number | undefined;
  /** The disk usage of the whole store, if the store knows it. */
  readonly bytes: number | undefined;
}

/** The facts of a document that filters can use. */
export interface DocumentFacts {
  /** Unique in its collection: a path, or a hash of the content. */
  readonly id: string;
  /** A hash of the whole content: the same hash means nothing to index again. */
  readonly contentHash: string;
  /** `architecture`, `api`, `general`, … */
  readonly type: string;
  readonly tags: readonly string[];
  /** The path it came from, with `/` between folders. */
  readonly sourcePath: string | undefined;
  /** A text that its writer compares before reading the content again, such as a file's size and time. */
  readonly stamp: string | undefined;
}

/** A document to store, with all its chunks in order. */
export interface KnowledgeDocument extends DocumentFacts {
  readonly chunks: readonly NewChunk[];
}

/** A part of a document that can be found by itself. */
export interface NewChunk {
  /** The text to search and return. */
  readonly text: string;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** First and last line in the source, counted from 1; or pages, slides, rows or cells, depending on the format. */
  readonly lines: LineRange | undefined;
  /** Required if the collection has an embedder, rejected otherwise. */
  readonly embedding: Float32Array | undefined;
}

/** First and last line, counted from 1. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** A document without its chunks. */
export interface StoredDocument extends DocumentFacts {
  readonly chunkCount: number;
}

/** A chunk with the facts of its document. */
export interface StoredChunk extends Omit<NewChunk, 'embedding'>, Omit<DocumentFacts, 'id' | 'stamp'> {
  /** `chunkId(documentId, position)`. */
  readonly id: string;
  readonly documentId: string;
  /** Its index among the document's chunks. */
  readonly position: number;
}

/** Selects documents for which all conditions hold; an empty filter selects every document. */
export interface DocumentFilter {
  readonly type?: string | undefined;
  /** Only documents with all of these tags. */
  readonly tags?: readonly string[] | undefined;
  /**
   * The exact path; every path below it if it ends with `/`; a pattern if it has `*` (anything but `/`), `**`
   * (anything) or `?` (one character that is not `/`).
   */
  readonly sourcePath?: string | undefined;
  readonly documentIds?: readonly string[] | undefined;
}

/** A search by words, weighed with BM25 (repeated words count twice), or by nearness to a vector. */
export type SearchRequest = SearchScope &
  ({ readonly by: 'words'; readonly text: string } | { readonly by: 'vector'; readonly vector: Float32Array });

/** The part of a collection that is searched. */
export interface SearchScope {
  /** Applied before ranking. */
  readonly filter?: DocumentFilter | undefined;
  /** Only these chunks, at most `MAX_LIMIT`: for scoring by words what vectors found, and vice versa. */
  readonly among?: readonly string[] | undefined;
  /** 1 to `MAX_LIMIT`. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** A found chunk; `VectorStore.chunks` returns its text. */
export interface SearchHit {
  readonly chunkId: string;
  /** Higher is better; only comparable within one answer. */
  readonly score: number;
}

/** A page of a list, in a stable order that the store chooses. */
export interface PageRequest {
  readonly filter?: DocumentFilter | undefined;
  /** The last id of the previous page. */
  readonly after?: string | undefined;
  /** 1 to `MAX_LIMIT`. Default: `MAX_LIMIT`. */
  readonly limit?: number | undefined;
}

/** Options for writing documents. */
export interface UpsertOptions {
  /** The origin of the documents' vectors: a collection that was recreated with another embedder rejects them. */
  readonly embedding?: EmbeddingSettings | undefined;
}

/** A rename of a collection. */
export interface CollectionMove {
  readonly from: string;
  readonly to: string;
}

/**
 * A store for knowledge: named collections of documents split into chunks, searched by words and by vectors.
 *
 * Every driver passes `vectorStoreContract` of `pegboard/testing`. Wrong input and unknown collections are `ToolError`s
 * (`invalid_arguments`, `not_found`), a server that cannot be reached is `upstream_unavailable`.
 */
export interface VectorStore {
  /** Its name in config files: `sqlite`, `memory`, `postgres`, `qdrant`. */
  readonly driver: string;
  /**
   * Creates a collection, or checks an existing one. An empty collection takes the new settings; one with documents of
   * another embedder, dimension or distance is rejected with the fix. `undefined` opens any collection as it is, or
   * creates one without vectors.
   */
  ensureCollection(name: string, embedding: EmbeddingSettings | undefined): Promise<CollectionInfo>;
  /** Lists all collections by name. */
  collections(): Promise<CollectionInfo[]>;
  /** Deletes a collection with its contents. Returns false if it did not exist. */
  dropCollection(name: string): Promise<boolean>;
  /**
   * Renames collections in order, all or none: each search and write sees the names before or after. A taken name is
   * `invalid_arguments`, an unknown one `not_found`. Without this method a rebuild copies documents, and the collection
   * is incomplete meanwhile.
   */
  renameCollections?(moves: readonly CollectionMove[]): Promise<void>;
  stats(collection: string): Promise<CollectionStats>;
  /** Stores documents, replacing those with the same ids: all or none, and on disk when this resolves. */
  upsert(collection: string, documents: readonly KnowledgeDocument[], options?: UpsertOptions): Promise<void>;
  /** Deletes documents. Returns their number. */
  delete(collection: string, filter: DocumentFilter): Promise<number>;
  /** Finds the best chunks, best first; equal scores always have the same order. */
  search(collection: string, request: SearchRequest): Promise<SearchHit[]>;
  /** Reads chunks by id, in the given order; skips unknown ids. */
  chunks(collection: string, ids: readonly string[]): Promise<StoredChunk[]>;
  /** Lists documents without their text, for incremental indexing. */
  documents(collection: string, page?: PageRequest): Promise<StoredDocument[]>;
  /** Reads whole documents with vectors, for copying to another store. */
  read(collection: string, page?: PageRequest): Promise<KnowledgeDocument[]>;
  /** Explains why the store cannot keep vectors; `undefined` if it can. Writes nothing. */
  vectorProblem?(): Promise<string | undefined>;
  /**
   * Makes searches fast after many writes, for example by building an index; reads and writes continue meanwhile.
   * Returns the reason if that fails. Stores that need nothing of the kind leave it out.
   */
  optimize?(collection: string, options?: OptimizeOptions): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Options for building the index of a collection. */
export interface OptimizeOptions {
  /** Stops waiting; a server continues what it has started. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** The settings that a plugin's driver gets. */
export interface StoreSettings {
  /** The server's name in the config. */
  readonly name: string;
  /** `endpoint_url` of the config. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly schema: string | undefined;
  readonly prefix: string | undefined;
  /** The folder for persistent data. Without it the store is in memory. */
  readonly data: string | undefined;
  /** The folder that relative paths start from. */
  readonly base: string;
}

/** Opens a store for a driver of a plugin. */
export type OpenVectorStore = (settings: StoreSettings) => VectorStore | Promise<VectorStore>;

/** The most results of one search or page. */
export const MAX_LIMIT = 1_000;

/** The longest text of a chunk, in UTF-16 code units. */
export const MAX_CHUNK_LENGTH = 100_000;

/** Returns the id of a document's chunk at a position. */
export function chunkId(documentId: string, position: number): string {
  return `${documentId}#${position}`;
}

/** Splits an id of `chunkId`. */
export function parseChunkId(id: string): { documentId: string; position: number } {
  const end = id.lastIndexOf('#');
  return { documentId: id.slice(0, end), position: Number(id.slice(end + 1)) };
}
