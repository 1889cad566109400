import { readTerms } from '../../text/read-terms.ts';
import type { KnowledgeDocument } from '../vector-store.ts';

/** A document with the words of its chunks, read before the write starts. */
export interface PreparedDocument {
  readonly document: KnowledgeDocument;
  readonly terms: readonly (readonly string[])[];
}

/** Reads the words of documents. Yields after each chunk, for `runInTurns`. */
export function* prepareDocuments(documents: readonly KnowledgeDocument[]): Generator<void, PreparedDocument[]> {
  const prepared: PreparedDocument[] = [];
  for (const document of documents) {
    const terms: string[][] = [];
    for (const { text } of document.chunks) {
      terms.push(readTerms(text));
      yield;
    }
    prepared.push({ document, terms });
  }
  return prepared;
}
