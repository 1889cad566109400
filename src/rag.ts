import type { ToolMetadata } from './core/tool-metadata.ts';
import type { Tool } from './core/tool.ts';
import { type RagOperation, RAG_OPERATIONS } from './kinds/rag/rag-tool-config.ts';
import { ragTools } from './kinds/rag/rag-tools.ts';
import type { Knowledge } from './rag/knowledge.ts';

export { openKnowledge } from './rag/open-knowledge.ts';
export type { OpenKnowledgeOptions } from './rag/open-knowledge.ts';
export type { Knowledge };
export type { CopiedCollection, CopyRequest } from './rag/knowledge.ts';
export type { IndexOptions } from './rag/index-options.ts';
export type { IndexedFiles, KnowledgeCollection } from './rag/knowledge-collection.ts';
export type { EmbeddingProblem } from './rag/embedding-problem.ts';
export type { StoredNote } from './rag/store-note.ts';
export type {
  CollectionSettings,
  KnowledgeSettings,
  ServerSettings,
  TransformerSettings,
  VectorizerSettings,
} from './rag/knowledge-settings.ts';
export type { IndexProgress, IndexReport, SkippedFile } from './rag/indexing/index-report.ts';
export type { SearchOptions } from './rag/search-collection.ts';
export type { HitExplanation, KnowledgeAnswer, KnowledgeHit } from './rag/retrieval/knowledge-search.ts';
export type { Note } from './rag/note.ts';
export { DOCUMENT_TYPES } from './rag/document-type.ts';
export type { DocumentType } from './rag/document-type.ts';
export type { CollectionStats, VectorStore } from './rag/vector-store.ts';
export type { Embedder } from './core/embedder.ts';

/** The tools of a collection, as a config file's `type: rag` describes them. */
export interface KnowledgeToolsOptions extends ToolMetadata {
  /** The tools are called `<name>-search` and `<name>-store`. */
  readonly name: string;
  readonly collection: string;
  /** Both unless told. */
  readonly operations?: readonly RagOperation[];
}

/** Tools that search and store in a collection, ready for a board. Closing the knowledge is up to you. */
export function knowledgeTools(knowledge: Knowledge, options: KnowledgeToolsOptions): Tool[] {
  const { collection, operations = RAG_OPERATIONS, ...metadata } = options;
  // A name that is not there is found now, not at the first call.
  knowledge.collection(collection);
  return ragTools({ metadata, collection, operations }, { knowledge: () => Promise.resolve(knowledge) });
}
