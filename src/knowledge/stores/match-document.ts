import type { DocumentFacts, DocumentFilter } from '../vector-store.ts';
import { readPathFilter } from './match-path.ts';

/** Reads a filter into a function that says whether it means a document; `undefined` when it means every one. */
export function readFilter(filter: DocumentFilter | undefined): ((document: DocumentFacts) => boolean) | undefined {
  const { type, tags = [], sourcePath, documentIds } = filter ?? {};
  const tests: ((document: DocumentFacts) => boolean)[] = [];
  if (type !== undefined) tests.push((document) => document.type === type);
  if (tags.length > 0) tests.push((document) => tags.every((tag) => document.tags.includes(tag)));
  if (sourcePath !== undefined) {
    const matchesPath = readPathFilter(sourcePath);
    tests.push((document) => matchesPath(document.sourcePath));
  }
  if (documentIds !== undefined) {
    const ids = new Set(documentIds);
    tests.push((document) => ids.has(document.id));
  }
  return tests.length === 0 ? undefined : (document) => tests.every((test) => test(document));
}
