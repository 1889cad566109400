import { refuseInput } from './refuse-input.ts';

/** What a document can be about, as in ctx. */
export const DOCUMENT_TYPES = [
  'architecture',
  'api',
  'testing',
  'convention',
  'general',
  'tutorial',
  'reference',
] as const;

/** What a document is about. */
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** The type that is meant. Throws `invalid_arguments` with the known ones for any other. */
export function checkDocumentType(type: string): DocumentType {
  const known = DOCUMENT_TYPES.find((candidate) => candidate === type);
  if (known === undefined)
    throw refuseInput('type', `unknown type "${type.slice(0, 80)}". Use one of: ${DOCUMENT_TYPES.join(', ')}.`);
  return known;
}
