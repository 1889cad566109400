import type { ContractCheck } from './contract.ts';
import { storeCollections } from './store-collections.ts';
import { storeDocuments } from './store-documents.ts';
import { storeFilters, storeWords } from './store-searches.ts';
import type { VectorStoreSubject } from './store-subject.ts';
import { storeVectors } from './store-vectors.ts';

/** Everything that a vector store must do. Failures are told by their codes and what they name. */
export function vectorStoreContract(subject: VectorStoreSubject): ContractCheck[] {
  return [
    ...storeCollections(subject),
    ...storeDocuments(subject),
    ...storeWords(subject),
    ...storeFilters(subject),
    ...(subject.hasVectors === false ? [] : storeVectors(subject)),
  ];
}
