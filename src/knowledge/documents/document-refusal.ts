/** The reason to skip a document. Its message follows the file name: `is a document without words`. */
export class DocumentRefusal extends Error {}

/**
 * The longest text of a document: as much as the largest text file gives, with table borders. A small archive can hold
 * far more.
 */
const MAX_TEXT = 50_000_000;

/** Throws if a document's text exceeds the limit, before it takes all memory. */
export function checkLength(length: number): void {
  if (length > MAX_TEXT)
    throw new DocumentRefusal(`has more than ${MAX_TEXT / 1_000_000} million characters of text; split it`);
}
