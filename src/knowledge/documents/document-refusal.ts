/** Why a document is left out. Its message follows the name of the file: `is a document without words`. */
export class DocumentRefusal extends Error {}

/** As much as the largest text file can give, cells of tables with their borders; a small archive can hold far more. */
const MAX_TEXT = 50_000_000;

/** Refuses a document whose text has become this long, before it takes all memory. */
export function checkLength(length: number): void {
  if (length > MAX_TEXT)
    throw new DocumentRefusal(`has more than ${MAX_TEXT / 1_000_000} million characters of text; split it`);
}
