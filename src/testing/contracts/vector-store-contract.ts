import type { ContractCheck } from './contract.ts';
import { storeCollections } from './store-collections.ts';
import { storeDocuments } from './store-documents.ts';
import { storeFilters, storeWords } from './store-searches.ts';
import type { VectorStoreSubject } from './store-subject.ts';
import { storeVectors } from './store-vectors.ts';

/** Returns the checks that every vector store must pass. Failures are tested by code and by the values they name. */
export function vectorStoreContract(subject: VectorStoreSubject): ContractCheck[] {
  return [
    ...storeCollections(subject),
    ...storeDocuments(subject),
    ...storeWords(subject),
    ...storeFilters(subject),
    ...(subject.hasVectors === false ? [] : storeVectors(subject)),
  ];
}
