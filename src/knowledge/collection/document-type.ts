import { ToolError } from '../../tool/tool-error.ts';

/** The types of documents, as in ctx. */
export const DOCUMENT_TYPES = [
  'architecture',
  'api',
  'testing',
  'convention',
  'general',
  'tutorial',
  'reference',
] as const;

/** The type of a document. */
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Checks a type. Throws `invalid_arguments` with the valid ones. */
export function checkDocumentType(type: string): DocumentType {
  const known = DOCUMENT_TYPES.find((candidate) => candidate === type);
  if (known === undefined)
    throw refuseInput('type', `unknown type "${type.slice(0, 80)}". Use one of: ${DOCUMENT_TYPES.join(', ')}.`);
  return known;
}

/** Creates the error for invalid input, with the field, the reason and the fix. */
export function refuseInput(field: string, reason: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `${field}: ${reason}`, field, reason });
}
