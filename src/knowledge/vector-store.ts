/** How near two vectors are: the cosine of their angle, their dot product, or their distance turned round. */
export type Distance = 'cosine' | 'dot' | 'euclidean';

/** What made a collection's vectors. Vectors of different embedders are never kept or compared together. */
export interface EmbeddingSettings {
  /** `Embedder.id`. */
  readonly embedder: string;
  /** How many numbers a vector has. */
  readonly dimension: number;
  readonly distance: Distance;
}

/** A collection as its store remembers it. */
export interface CollectionInfo {
  readonly name: string;
  /** `undefined` for a collection that is searched by words alone. */
  readonly embedding: EmbeddingSettings | undefined;
}

/** What a collection holds. */
export interface CollectionStats extends CollectionInfo {
  readonly documents: number;
  readonly chunks: number;
  /** When it was last written to, in milliseconds since 1970; `undefined` when the store does not know. */
  readonly changedAt: number | undefined;
  /** What the whole store takes on disk; `undefined` when the store does not know. */
  readonly bytes: number | undefined;
}

/** What the filter of a search can ask of a document. */
export interface DocumentFacts {
  /** Unique in its collection: a path, or a hash of what was stored. */
  readonly id: string;
  /** Of the whole content: equal hashes mean that nothing has to be indexed again. */
  readonly contentHash: string;
  /** `architecture`, `api`, `general`, … */
  readonly type: string;
  readonly tags: readonly string[];
  /** Where it came from, with `/` between folders. */
  readonly sourcePath: string | undefined;
  /** What its writer compares before it reads the content again, such as a file's size and time. */
  readonly stamp: string | undefined;
}

/** A document to keep, with all its chunks in order. */
export interface KnowledgeDocument extends DocumentFacts {
  readonly chunks: readonly NewChunk[];
}

/** A part of a document that can be found by itself. */
export interface NewChunk {
  /** What is searched and given back. */
  readonly text: string;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** First and last line in the source, from 1; pages, slides, rows or cells of a format that has those. */
  readonly lines: LineRange | undefined;
  /** Needed when the collection has an embedder, refused when it has none. */
  readonly embedding: Float32Array | undefined;
}

/** First and last line, counted from 1. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** A document without its chunks, as a store lists it. */
export interface StoredDocument extends DocumentFacts {
  /** How many chunks it has. */
  readonly chunkCount: number;
}

/** A chunk with what is known of its document. */
export interface StoredChunk extends Omit<NewChunk, 'embedding'>, Omit<DocumentFacts, 'id' | 'stamp'> {
  /** `chunkId(documentId, position)`. */
  readonly id: string;
  readonly documentId: string;
  /** Its place among the document's chunks, from 0. */
  readonly position: number;
}

/** Which documents are meant: all conditions must hold, an empty filter means every document. */
export interface DocumentFilter {
  readonly type?: string | undefined;
  /** The document has all of them. */
  readonly tags?: readonly string[] | undefined;
  /**
   * The path itself; every path below it when it ends with `/`; a pattern when it has `*` (anything but `/`), `**` (anything)
   * or `?` (one character that is not `/`).
   */
  readonly sourcePath?: string | undefined;
  /** Only these documents. */
  readonly documentIds?: readonly string[] | undefined;
}

/** What is looked for: words, weighed with BM25 (repeated words count twice), or the chunks nearest to a vector. */
export type SearchRequest = SearchScope &
  ({ readonly by: 'words'; readonly text: string } | { readonly by: 'vector'; readonly vector: Float32Array });

/** Where a search looks and how much it gives back. */
export interface SearchScope {
  /** Applied before anything is ranked. */
  readonly filter?: DocumentFilter | undefined;
  /** Only these chunks: to score by words what vectors found, and the other way round. At most `MAX_LIMIT`. */
  readonly among?: readonly string[] | undefined;
  /** 1 to `MAX_LIMIT`. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** A chunk that was found; `VectorStore.chunks` gives its text. */
export interface SearchHit {
  readonly chunkId: string;
  /** More is better; only comparable within one answer. */
  readonly score: number;
}

/** A page of a list, in an order that the store chooses and keeps. */
export interface PageRequest {
  readonly filter?: DocumentFilter | undefined;
  /** The last id of the page before. */
  readonly after?: string | undefined;
  /** 1 to `MAX_LIMIT`. Default: `MAX_LIMIT`. */
  readonly limit?: number | undefined;
}

/** What a write counts on. */
export interface UpsertOptions {
  /** What made the vectors of the documents: a collection that another embedder made meanwhile refuses them. */
  readonly embedding?: EmbeddingSettings | undefined;
}

/** A collection that gets another name. */
export interface CollectionMove {
  readonly from: string;
  readonly to: string;
}

/**
 * A store for knowledge: named collections of documents cut into chunks, searched by words and by vectors.
 *
 * Every driver passes `vectorStoreContract` of `pegboard/testing`. Wrong input and unknown collections are
 * `ToolError`s (`invalid_arguments`, `not_found`), a server that cannot be reached is `upstream_unavailable`.
 */
export interface VectorStore {
  /** The name config files know it by: `sqlite`, `memory`, `postgres`, `qdrant`. */
  readonly driver: string;
  /**
   * Makes a collection, or checks that it is what is asked for. An empty collection takes the new settings; one with
   * documents of another embedder, dimension or distance is refused with what to do. `undefined` opens any collection
   * as it is, and makes one without vectors when there is none.
   */
  ensureCollection(name: string, embedding: EmbeddingSettings | undefined): Promise<CollectionInfo>;
  /** Every collection, by name. */
  collections(): Promise<CollectionInfo[]>;
  /** Forgets a collection with all it holds; whether there was one. */
  dropCollection(name: string): Promise<boolean>;
  /**
   * Gives collections other names, all at once or none: each search and each write finds either the names before or those
   * after. The moves are made in order; a name that is taken then is `invalid_arguments`, one that is not there `not_found`.
   * A store without it is rebuilt by copying, and holds only a part of a collection meanwhile.
   */
  renameCollections?(moves: readonly CollectionMove[]): Promise<void>;
  stats(collection: string): Promise<CollectionStats>;
  /** Keeps documents, each in place of the one with its id: all of them or none, and on disk when this returns. */
  upsert(collection: string, documents: readonly KnowledgeDocument[], options?: UpsertOptions): Promise<void>;
  /** Forgets documents; how many there were. */
  delete(collection: string, filter: DocumentFilter): Promise<number>;
  /** The best chunks, best first; equal scores always in the same order. */
  search(collection: string, request: SearchRequest): Promise<SearchHit[]>;
  /** Chunks by id, in the order asked for; ids that are not there (any more) are left out. */
  chunks(collection: string, ids: readonly string[]): Promise<StoredChunk[]>;
  /** Documents without their text: what incremental indexing compares with. */
  documents(collection: string, page?: PageRequest): Promise<StoredDocument[]>;
  /** Documents whole, vectors included: what copying to another store reads. */
  read(collection: string, page?: PageRequest): Promise<KnowledgeDocument[]>;
  /** Why no vectors can be kept here, for stores that cannot always; `undefined` when they can. Writes nothing. */
  vectorProblem?(): Promise<string | undefined>;
  /**
   * Does what makes searches quick after much was written, such as building an index; reads and writes go on meanwhile.
   * Gives why it could not be done, as a sentence. A store that needs nothing of the kind leaves it out.
   */
  optimize?(collection: string, options?: OptimizeOptions): Promise<string | undefined>;
  close(): Promise<void>;
}

/** How a store is made quick. */
export interface OptimizeOptions {
  /** Stops waiting; a server goes on with what it has begun. */
  readonly signal?: AbortSignal | undefined;
  /** Hears how much is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** What a driver of a plugin is told about the store that it opens. */
export interface StoreSettings {
  /** The server's name in the config. */
  readonly name: string;
  /** `endpoint_url` of the config. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly schema: string | undefined;
  readonly prefix: string | undefined;
  /** The folder for what is kept between runs; without it the store is kept in memory. */
  readonly data: string | undefined;
  /** Where relative files start. */
  readonly base: string;
}

/** Opens a store for a driver that a plugin brings. */
export type OpenVectorStore = (settings: StoreSettings) => VectorStore | Promise<VectorStore>;

/** The most a search or a page gives at once. */
export const MAX_LIMIT = 1_000;

/** The longest text of one chunk, in UTF-16 code units. */
export const MAX_CHUNK_LENGTH = 100_000;

/** The id of a document's chunk at a position. */
export function chunkId(documentId: string, position: number): string {
  return `${documentId}#${position}`;
}

/** The document and the position that `chunkId` was given. */
export function parseChunkId(id: string): { documentId: string; position: number } {
  const end = id.lastIndexOf('#');
  return { documentId: id.slice(0, end), position: Number(id.slice(end + 1)) };
}
