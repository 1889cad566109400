import { ToolError } from '../../tool/tool-error.ts';

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

/** The error for a value that cannot be used: which, why, and what to send instead. */
export function refuseInput(field: string, reason: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `${field}: ${reason}`, field, reason });
}
