import type { ToolMetadata } from './tool/tool-metadata.ts';
import type { Tool } from './tool/tool.ts';
import { type RagOperation, RAG_OPERATIONS } from './kinds/rag/rag-tool-config.ts';
import { ragTools } from './kinds/rag/rag-tools.ts';
import type { Knowledge } from './knowledge/knowledge.ts';

export { openKnowledge } from './knowledge/open-knowledge.ts';
export type { OpenKnowledgeOptions } from './knowledge/open-knowledge.ts';
export type { Knowledge };
export type { CopiedCollection, CopyRequest } from './knowledge/knowledge.ts';
export type {
  CollectionRebuild,
  IndexOptions,
  IndexSourcesOptions,
  KnowledgeCollection,
} from './knowledge/collection/knowledge-collection.ts';
export type { IndexedFiles } from './knowledge/indexing/run-scope.ts';
export type { EmbeddingProblem } from './knowledge/collection/embedding-problem.ts';
export type { DocumentType, Note, NoteOrigin, StoredNote } from './knowledge/collection/note.ts';
export type {
  CollectionSettings,
  CommonSourceSettings,
  GitSourceSettings,
  SourceSettings,
  WebSourceSettings,
  EmbeddingOverrides,
  KnowledgeSettings,
  RerankerSettings,
  StoreServerSettings,
  TransformerSettings,
  VectorizerSettings,
} from './knowledge/plan/knowledge-settings.ts';
export type { SourceRecords } from './knowledge/sources/source.ts';
export type { SourcesReport } from './knowledge/sources/index-sources.ts';
export type { IndexProgress, IndexReport, SkippedFile } from './knowledge/indexing/index-report.ts';
export type { KnowledgeSearchOptions } from './knowledge/retrieval/search-knowledge.ts';
export type {
  DuplicatePlace,
  Highlight,
  HitExplanation,
  KnowledgeAnswer,
  KnowledgeHit,
} from './knowledge/retrieval/knowledge-search.ts';
export { DOCUMENT_TYPES } from './knowledge/collection/note.ts';
export { createMemoryStore } from './knowledge/stores/sqlite/sqlite-store.ts';
export type { CollectionStats, OpenVectorStore, StoreSettings, VectorStore } from './knowledge/vector-store.ts';
export type { Embedder } from './vectors/embedder.ts';

/** The tools of a collection, as a config file's `type: rag` describes them. */
export interface KnowledgeToolsOptions extends ToolMetadata {
  /** The tools are called `<name>-search` and `<name>-store`. */
  readonly name: string;
  /** The collection that the tools search and store into. */
  readonly collection: string;
  /** Default: both. */
  readonly operations?: readonly RagOperation[];
}

/** Tools that search and store in a collection, ready for a board. Closing the knowledge is up to you. */
export function knowledgeTools(knowledge: Knowledge, options: KnowledgeToolsOptions): Tool[] {
  const { collection, operations = RAG_OPERATIONS, ...metadata } = options;
  // A name that is not there is found now, not at the first call.
  knowledge.collection(collection);
  return ragTools({ metadata, settings: { collection, operations } }, { knowledge: () => Promise.resolve(knowledge) });
}
export type { WriteTarget } from './knowledge/indexing/batch-writer.ts';
export type { StaleFiles } from './knowledge/indexing/find-stale.ts';
export type { OtherRuns, RunScope } from './knowledge/indexing/run-scope.ts';
export type { CopyProgress } from './knowledge/collection/copy-collection.ts';
export type { RerankerConfig } from './vectors/rerank/reranker-config.ts';
export type {
  CollectionInfo,
  CollectionMove,
  Distance,
  DocumentFacts,
  DocumentFilter,
  EmbeddingSettings,
  KnowledgeDocument,
  LineRange,
  NewChunk,
  OptimizeOptions,
  PageRequest,
  SearchHit,
  SearchRequest,
  SearchScope,
  StoredChunk,
  StoredDocument,
  UpsertOptions,
} from './knowledge/vector-store.ts';
